#ifndef FSZ_ADIOS2_PARAMETERS_H
#define FSZ_ADIOS2_PARAMETERS_H

#include <functional>
#include <string_view>

namespace fsz
{

/* Calls `visit` with each key and value of an `adios2::Params`, that is
 * std::map<std::string, std::string>, in either ABI of libstdc++'s std::string. */
void ForEachParameter(const void *params,
                      const std::function<void(std::string_view, std::string_view)> &visit);

} // namespace fsz

#endif /* FSZ_ADIOS2_PARAMETERS_H */
