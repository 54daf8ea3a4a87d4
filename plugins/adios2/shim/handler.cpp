/* ADIOS2 calls operators from functions that must not throw, such as AddOperation, and from others
 * that may. The tables that the unwinder itself reads say which: a function with a table that does
 * not list a call site ends the program when an exception comes from there (Itanium C++ ABI,
 * exception handling, level II, as gcc writes it). */
#include "handler.h"

#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <unwind.h>

namespace
{

/* Encodings of addresses in the tables (DWARF): the form in the low four bits. */
constexpr unsigned Omitted = 0xff;

/* Reads a table from front to back. */
class Cursor
{
public:
    explicit Cursor(const unsigned char *at) : m_At(at) {}

    const unsigned char *At() const { return m_At; }

    unsigned Byte() { return *m_At++; }

    uintptr_t Uleb()
    {
        uintptr_t value = 0;
        unsigned shift = 0, byte;
        do
        {
            byte = Byte();
            value |= static_cast<uintptr_t>(byte & 0x7f) << shift;
            shift += 7;
        } while (byte & 0x80);
        return value;
    }

    /* A length or an offset from the start of the function; false for a form not known here. */
    bool Number(unsigned encoding, uintptr_t &value)
    {
        switch (encoding & 0x0f)
        {
        case 0x01:
            value = Uleb();
            return true;
        case 0x02:
            return Fixed<uint16_t>(value);
        case 0x03:
            return Fixed<uint32_t>(value);
        case 0x00:
        case 0x04:
            return Fixed<uint64_t>(value);
        default:
            return false;
        }
    }

private:
    template <class T> bool Fixed(uintptr_t &value)
    {
        T fixed;
        std::memcpy(&fixed, m_At, sizeof fixed);
        m_At += sizeof fixed;
        value = static_cast<uintptr_t>(fixed);
        return true;
    }

    const unsigned char *m_At;
};

enum class Frame
{
    Passes,
    Catches,
    Ends
};

/* What an exception meets in a function with the table `table`, called at `offset` from its
 * start. */
Frame LookUp(const unsigned char *table, uintptr_t offset)
{
    Cursor cursor(table);
    uintptr_t skipped;
    const unsigned landing_pads = cursor.Byte();
    if (landing_pads != Omitted && !cursor.Number(landing_pads, skipped))
    {
        return Frame::Passes;
    }
    if (cursor.Byte() != Omitted)
    {
        cursor.Uleb(); /* where the table of types is */
    }
    const unsigned encoding = cursor.Byte();
    const uintptr_t length = cursor.Uleb();
    const unsigned char *const end = cursor.At() + length;
    while (cursor.At() < end)
    {
        uintptr_t start, size, landing_pad;
        if (!cursor.Number(encoding, start) || !cursor.Number(encoding, size) ||
            !cursor.Number(encoding, landing_pad))
        {
            return Frame::Passes;
        }
        const uintptr_t action = cursor.Uleb();
        if (offset < start)
        {
            break; /* they are sorted */
        }
        if (offset - start < size)
        {
            /* Destructors have no action. */
            return landing_pad != 0 && action != 0 ? Frame::Catches : Frame::Passes;
        }
    }
    return Frame::Ends;
}

/* Whether the code at this address is part of a Python extension module. */
bool IsPython(uintptr_t address)
{
    Dl_info info;
    if (!dladdr(reinterpret_cast<const void *>(address), &info) || info.dli_fname == nullptr)
    {
        return false;
    }
    const char *const slash = std::strrchr(info.dli_fname, '/');
    const char *const name = slash ? slash + 1 : info.dli_fname;
    const std::string entry = "PyInit_" + std::string(name, std::strcspn(name, "."));
    void *const module = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (module == nullptr)
    {
        return false;
    }
    const bool found = dlsym(module, entry.c_str()) != nullptr;
    dlclose(module);
    return found;
}

_Unwind_Reason_Code Visit(struct _Unwind_Context *context, void *data)
{
    auto *const table =
        static_cast<const unsigned char *>(_Unwind_GetLanguageSpecificData(context));
    if (table == nullptr)
    {
        return _URC_NO_REASON;
    }
    int before = 0;
    uintptr_t address = _Unwind_GetIPInfo(context, &before);
    address -= before ? 0 : 1; /* the call, not what comes after it */
    auto &handler = *static_cast<fsz::Handler *>(data);
    switch (LookUp(table, address - _Unwind_GetRegionStart(context)))
    {
    case Frame::Passes:
        return _URC_NO_REASON;
    case Frame::Catches:
        handler = IsPython(address) ? fsz::Handler::Python : fsz::Handler::Program;
        return _URC_END_OF_STACK;
    case Frame::Ends:
        handler = fsz::Handler::Noexcept;
        return _URC_END_OF_STACK;
    }
    return _URC_NO_REASON;
}

} // namespace

fsz::Handler fsz::FindHandler()
{
    Handler handler = Handler::Program;
    _Unwind_Backtrace(Visit, &handler);
    return handler;
}
