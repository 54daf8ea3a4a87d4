#ifndef FSZ_ADIOS2_OPERATOR_H
#define FSZ_ADIOS2_OPERATOR_H

#include "bridge.h"
#include "host.h"

#include <optional>
#include <string>
#include <vector>

namespace fsz
{

/* adios2::Dims, the same in both ABIs of std::string. */
using Dims = std::vector<size_t>;

/* The operator, whatever the host: converts types, and turns the core's messages into exceptions.
 * All decisions about values are made in Rust. */
class Operator
{
public:
    /* Throws std::invalid_argument for a wrong parameter, unless that would end the program. */
    Operator(const Host &host, const void *params);
    ~Operator();

    Operator(const Operator &) = delete;
    Operator &operator=(const Operator &) = delete;

    size_t Operate(const char *in, const Dims &start, const Dims &count, int type, char *out) const;
    size_t InverseOperate(const char *in, size_t length, char *out) const;
    bool IsDataTypeValid(int type) const;
    size_t GetEstimatedSize(size_t elements, size_t element_size, size_t dimensions) const;
    void AddExtraParameters(const void *params);

private:
    size_t Slack(size_t dimensions, bool is_bp4) const;

    fsz_operator *m_Core = nullptr;
    Host m_Host;
    /* Bytes of the header that the host puts before each payload. */
    size_t m_HostHeader;
    std::string m_Variable;
};

} // namespace fsz

#endif /* FSZ_ADIOS2_OPERATOR_H */
