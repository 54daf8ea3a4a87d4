/* The object that OperatorCreate returns. A host only ever calls virtual functions of it, by their
 * place, and hands it to OperatorDestroy: it is enough that each function lies where that host
 * looks for it. No header and no symbol of ADIOS2 is needed. */
#include "host.h"
#include "operator.h"

#include <cstdint>

namespace
{

using fsz::Dims;

/* Places 0 and 1 in every host: the destructors, which no host calls. */
struct Object
{
    virtual ~Object() = default;
};

/* Places 2 to 17 up to 2.10: callbacks, which no host calls on a plugin. */
struct WithCallbacks : Object
{
    virtual void Place2() {}
    virtual void Place3() {}
    virtual void Place4() {}
    virtual void Place5() {}
    virtual void Place6() {}
    virtual void Place7() {}
    virtual void Place8() {}
    virtual void Place9() {}
    virtual void Place10() {}
    virtual void Place11() {}
    virtual void Place12() {}
    virtual void Place13() {}
    virtual void Place14() {}
    virtual void Place15() {}
    virtual void Place16() {}
    virtual void Place17() {}
};

/* The functions, each in the form in which every host calls it. The next place is that of the line
 * after it. */
#define OPERATE                                                                                    \
    virtual size_t Operate(const char *in, const Dims &start, const Dims &count, const int type,   \
                           char *out)                                                              \
    {                                                                                              \
        return own.Operate(in, start, count, type, out);                                           \
    }
#define INVERSE_OPERATE                                                                            \
    virtual size_t InverseOperate(const char *in, const size_t length, char *out)                  \
    {                                                                                              \
        return own.InverseOperate(in, length, out);                                                \
    }
#define IS_DATA_TYPE_VALID                                                                         \
    virtual bool IsDataTypeValid(const int type) const { return own.IsDataTypeValid(type); }
#define GET_HEADER_SIZE                                                                            \
    virtual size_t GetHeaderSize() const { return 0; }
#define GET_ESTIMATED_SIZE                                                                         \
    virtual size_t GetEstimatedSize(const size_t elements, const size_t element_size,              \
                                    const size_t dimensions, const size_t *) const                 \
    {                                                                                              \
        return own.GetEstimatedSize(elements, element_size, dimensions);                           \
    }
#define ADD_EXTRA_PARAMETERS                                                                       \
    virtual void AddExtraParameters(const void *params) { own.AddExtraParameters(params); }

template <class Places> struct Owner : Places
{
    fsz::Operator own;
    Owner(const fsz::Host &host, const void *params) : own(host, params) {}
};

struct For8 final : Owner<WithCallbacks>
{
    using Owner::Owner;
    OPERATE
    INVERSE_OPERATE
    IS_DATA_TYPE_VALID
};

struct For9 final : Owner<WithCallbacks>
{
    using Owner::Owner;
    GET_HEADER_SIZE
    OPERATE
    INVERSE_OPERATE
    IS_DATA_TYPE_VALID
};

struct For10 final : Owner<WithCallbacks>
{
    using Owner::Owner;
    GET_HEADER_SIZE
    GET_ESTIMATED_SIZE
    OPERATE
    INVERSE_OPERATE
    IS_DATA_TYPE_VALID
};

struct For11 final : Owner<Object>
{
    using Owner::Owner;
    GET_HEADER_SIZE
    GET_ESTIMATED_SIZE
    ADD_EXTRA_PARAMETERS
    OPERATE
    INVERSE_OPERATE
    IS_DATA_TYPE_VALID
};

struct ForV2 final : Owner<Object>
{
    using Owner::Owner;
    OPERATE
    INVERSE_OPERATE
    IS_DATA_TYPE_VALID
    GET_ESTIMATED_SIZE
    ADD_EXTRA_PARAMETERS
};

/* For 2.11 and 2.12 at once, where no symbol tells them apart. Arguments are taken as the registers
 * that they come in. Both hosts call AddExtraParameters right before Operate and InverseOperate, at
 * place 4 or 6, and what is at place 4 for the other is told by its argument, so that the first
 * call that could mean two things always comes after one that could not. */
struct ForEither final : Owner<Object>
{
    using Owner::Owner;
    using Word = uintptr_t;

    virtual Word Place2(Word in, Word start, Word count, Word type, Word out)
    {
        return Operate(in, start, count, type, out); /* 2.12; 2.11 does not call it */
    }
    virtual Word Place3(Word a, Word b, Word c, Word)
    {
        return m_Is12 ? Inverse(a, b, c) : own.GetEstimatedSize(a, b, c);
    }
    virtual Word Place4(Word a)
    {
        /* A type is a small number, which the address of an object practically never ends in. */
        constexpr uint32_t Types = 64;
        if (m_Is12 || (!m_Is11 && static_cast<uint32_t>(a) < Types))
        {
            return own.IsDataTypeValid(static_cast<int>(a));
        }
        m_Is11 = true;
        own.AddExtraParameters(reinterpret_cast<const void *>(a));
        return 0;
    }
    virtual Word Place5(Word a, Word b, Word c, Word d, Word e)
    {
        return m_Is11 ? Operate(a, b, c, d, e) : own.GetEstimatedSize(a, b, c);
    }
    virtual Word Place6(Word a, Word b, Word c)
    {
        if (m_Is11)
        {
            return Inverse(a, b, c);
        }
        m_Is12 = true;
        own.AddExtraParameters(reinterpret_cast<const void *>(a));
        return 0;
    }
    virtual Word Place7(Word type)
    {
        m_Is11 = true;
        return own.IsDataTypeValid(static_cast<int>(type));
    }

private:
    Word Operate(Word in, Word start, Word count, Word type, Word out) const
    {
        return own.Operate(reinterpret_cast<const char *>(in),
                           *reinterpret_cast<const Dims *>(start),
                           *reinterpret_cast<const Dims *>(count), static_cast<int>(type),
                           reinterpret_cast<char *>(out));
    }
    Word Inverse(Word in, Word length, Word out) const
    {
        return own.InverseOperate(reinterpret_cast<const char *>(in), length,
                                  reinterpret_cast<char *>(out));
    }

    bool m_Is11 = false, m_Is12 = false;
};

Object *Make(const fsz::Host &host, const void *params)
{
    switch (host.layout)
    {
    case fsz::Layout::V1_8:
        return new For8(host, params);
    case fsz::Layout::V1_9:
        return new For9(host, params);
    case fsz::Layout::V1_10:
        return new For10(host, params);
    case fsz::Layout::V1_11:
        return new For11(host, params);
    case fsz::Layout::V2:
        return new ForV2(host, params);
    case fsz::Layout::V1_11_or_V2:
        break;
    }
    return new ForEither(host, params);
}

} // namespace

/* Rust exports these two as OperatorCreate and OperatorDestroy: the C symbols of a static library
 * do not leave a Rust cdylib. */
extern "C" void *fsz_shim_create(const void *params) { return Make(fsz::FindHost(params), params); }

extern "C" void fsz_shim_destroy(void *made) { delete static_cast<Object *>(made); }
