#include "operator.h"
#include "bp4.h"
#include "handler.h"
#include "parameters.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace
{

/* Of adios2::DataType; the same from 2.8 to 2.12. */
constexpr int Float = 9, Double = 10;

fsz_text Text(std::string_view text) { return {text.data(), text.size()}; }

} // namespace

fsz::Operator::Operator(const Host &host, const void *params) : m_Host(host)
{
    std::vector<fsz_text> keys, values;
    m_HostHeader = 5; /* type, version, two bytes of padding, number of parameters */
    ForEachParameter(params, [&](std::string_view key, std::string_view value) {
        keys.push_back(Text(key));
        values.push_back(Text(value));
        if (key == "pluginname" || key == "pluginlibrary")
        {
            m_HostHeader += 2 + key.size() + value.size();
        }
    });
    const bool may_fail = FindHandler() != Handler::Noexcept;
    fsz_message message;
    m_Core = fsz_core_create(keys.data(), values.data(), keys.size(), may_fail, &message);
    if (m_Core == nullptr)
    {
        throw std::invalid_argument(message.text);
    }
}

fsz::Operator::~Operator() { fsz_core_destroy(m_Core); }

/* Bytes beyond the values in a buffer for which the host did not ask for the estimate. */
size_t fsz::Operator::Slack(size_t dimensions, bool is_bp4) const
{
    size_t slack;
    if (is_bp4)
    {
        /* What BP4Base::GetBPIndexSizeInData reserves and the metadata before the values and after
         * them does not take, in all versions. */
        slack = 49 + 29 * dimensions + (dimensions == 1 ? 18 : 0);
    }
    else
    {
        /* BP5Serializer::Marshal; the Python package 2.9.0 does not ask its plugins. */
        slack = m_Host.layout == Layout::V1_10 ? 128 : 100;
    }
    return slack - std::min(slack, m_HostHeader);
}

size_t fsz::Operator::Operate(const char *in, const Dims &start, const Dims &count, int type,
                              char *out) const
{
    const auto bp4 = Bp4Block::Find(count, m_Host.caller);
    fsz_write write;
    write.data = in;
    write.start = start.data();
    write.start_length = start.size();
    write.count = count.data();
    write.count_length = count.size();
    write.memory_start = bp4 && bp4->has_memory ? bp4->memory_start : nullptr;
    write.memory_count = bp4 && bp4->has_memory ? bp4->memory_count : nullptr;
    write.element_size = type == Double ? 8 : 4;
    /* Python programs usually close the file after an exception, and then an exception from Put is
     * the end: ADIOS2 has half an entry of the variable. */
    write.may_fail = fsz_core_refuses(m_Core) && FindHandler() == Handler::Program;
    write.variable = Text(m_Variable);
    write.out = out;
    write.slack = Slack(count.size(), bp4.has_value());
    fsz_message message;
    const size_t bytes = fsz_core_operate(m_Core, &write, &message);
    if (bytes == 0)
    {
        throw std::runtime_error(message.text);
    }
    return bytes;
}

size_t fsz::Operator::InverseOperate(const char *in, size_t length, char *out) const
{
    fsz_message message;
    const size_t bytes = fsz_core_inverse(m_Core, in, length, out, &message);
    if (bytes == 0)
    {
        const std::string of = m_Variable.empty() ? "" : " of variable " + m_Variable;
        throw std::runtime_error("FSZ: cannot decompress a block" + of + ": " + message.text);
    }
    return bytes;
}

bool fsz::Operator::IsDataTypeValid(int type) const
{
    const bool is_valid = type == Float || type == Double;
    if (is_valid)
    {
        fsz_core_attach(m_Core);
    }
    return is_valid;
}

size_t fsz::Operator::GetEstimatedSize(size_t elements, size_t element_size,
                                       size_t dimensions) const
{
    return fsz_core_estimate(m_Core, elements, element_size, dimensions);
}

void fsz::Operator::AddExtraParameters(const void *params)
{
    m_Variable.clear();
    ForEachParameter(params, [&](std::string_view key, std::string_view value) {
        if (key == "VariableName")
        {
            m_Variable = value;
        }
    });
}
