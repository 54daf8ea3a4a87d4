/* The C++ side of the operator. It converts types and turns the core's messages into exceptions;
 * all decisions are made in Rust. */
#include <adios2/plugin/PluginOperatorInterface.h>

#if !defined(ADIOS2_PLUGIN_OPERATOR_INTERFACE) || ADIOS2_PLUGIN_OPERATOR_INTERFACE < 2
#error "the FSZ operator needs the headers of ADIOS2 2.12 or newer"
#endif

#include "bridge.h"
#include "host.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace
{

using adios2::DataType;
using adios2::Dims;
using adios2::Params;

fsz_text Text(const std::string &text) { return {text.data(), text.size()}; }

class Operator : public adios2::plugin::PluginOperatorInterface
{
public:
    explicit Operator(const Params &parameters) : PluginOperatorInterface(parameters)
    {
        std::vector<fsz_text> keys, values;
        for (const auto &parameter : parameters)
        {
            keys.push_back(Text(parameter.first));
            values.push_back(Text(parameter.second));
        }
        fsz_message message;
        m_Core = fsz_core_create(keys.data(), values.data(), keys.size(), &message);
        if (m_Core == nullptr)
        {
            throw std::invalid_argument(message.text);
        }
    }

    ~Operator() override { fsz_core_destroy(m_Core); }

    Operator(const Operator &) = delete;
    Operator &operator=(const Operator &) = delete;

    size_t Operate(const char *dataIn, const Dims &blockStart, const Dims &blockCount,
                   const DataType type, char *bufferOut) override
    {
        fsz_write write;
        write.data = dataIn;
        write.start = blockStart.data();
        write.start_length = blockStart.size();
        write.count = blockCount.data();
        write.count_length = blockCount.size();
        write.element_size = static_cast<uint32_t>(adios2::GetDataTypeSize(type));
        write.variable = Text(m_Variable);
        write.out = bufferOut;
        const size_t bytes = fsz_core_operate(m_Core, &write);
        if (bytes == 0)
        {
            /* The only exceptions at run time: the values cannot be read at all. SST gives none for
             * a variable with a memory selection. */
            const std::string reason =
                dataIn == nullptr
                    ? "ADIOS2 gave the operator no values: this engine does not support memory "
                      "selections with an operator"
                    : "the CUDA device that holds the values does not respond";
            throw std::runtime_error("FSZ: variable " + m_Variable + ": " + reason);
        }
        return bytes;
    }

    size_t InverseOperate(const char *bufferIn, const size_t sizeIn, char *dataOut) override
    {
        fsz_message message;
        const size_t bytes = fsz_core_inverse(m_Core, bufferIn, sizeIn, dataOut, &message);
        if (bytes == 0)
        {
            const std::string of = m_Variable.empty() ? "" : " of variable " + m_Variable;
            throw std::runtime_error("FSZ: cannot decompress a block" + of + ": " + message.text);
        }
        return bytes;
    }

    bool IsDataTypeValid(const DataType type) const override
    {
        return type == DataType::Float || type == DataType::Double;
    }

    size_t GetEstimatedSize(const size_t ElemCount, const size_t ElemSize, const size_t ndims,
                            const size_t *) const override
    {
        return fsz_core_estimate(m_Core, ElemCount, ElemSize, ndims);
    }

    void AddExtraParameters(const Params &parameters) override
    {
        const auto name = parameters.find("VariableName");
        m_Variable = name == parameters.end() ? std::string() : name->second;
    }

private:
    fsz_operator *m_Core = nullptr;
    std::string m_Variable;
};

} // namespace

/* Rust exports these two as OperatorCreate and OperatorDestroy: the C symbols of a static library
 * do not leave a Rust cdylib. */
extern "C" void *fsz_shim_create(const void *parameters)
{
    if (fsz::HostIsTooOld())
    {
        throw std::runtime_error(
            "the FSZ operator requires ADIOS2 2.12 or newer; this program uses an older one");
    }
    adios2::plugin::PluginOperatorInterface *made =
        new Operator(*static_cast<const Params *>(parameters));
    return made;
}

extern "C" void fsz_shim_destroy(void *made)
{
    delete static_cast<adios2::plugin::PluginOperatorInterface *>(made);
}
