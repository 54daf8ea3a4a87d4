#include "parameters.h"

#include <cstddef>
#include <map>
#include <string>

namespace
{

/* A std::string as libstdc++ lays it out with _GLIBCXX_USE_CXX11_ABI=0, as the wheels 2.9.0 and
 * 2.10.0 have it: a pointer to the text; its length lies before the text. */
struct OldString
{
    const char *text;

    std::string_view View() const { return {text, reinterpret_cast<const size_t *>(text)[-3]}; }
};

/* The map is only walked, never searched. */
struct NoOrder
{
    template <class T> bool operator()(const T &, const T &) const { return false; }
};

using OldParams = std::map<OldString, OldString, NoOrder>;
using NewParams = std::map<std::string, std::string>;

/* The nodes of the tree are the same in both ABIs. A short string of the new one points into
 * itself, and every map that is not empty has a short key: pluginname when an operator is made,
 * EngineName among the extra parameters. */
bool HasNewStrings(const OldParams &params)
{
    for (const auto &parameter : params)
    {
        const char *const key = reinterpret_cast<const char *>(&parameter.first);
        if (parameter.first.text == key + 16)
        {
            return true;
        }
    }
    return false;
}

} // namespace

void fsz::ForEachParameter(const void *params,
                           const std::function<void(std::string_view, std::string_view)> &visit)
{
    const auto &old = *static_cast<const OldParams *>(params);
    if (HasNewStrings(old))
    {
        for (const auto &parameter : *static_cast<const NewParams *>(params))
        {
            visit(parameter.first, parameter.second);
        }
        return;
    }
    for (const auto &parameter : old)
    {
        visit(parameter.first.View(), parameter.second.View());
    }
}
