#include "host.h"
#include "memory.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>

namespace
{

using fsz::Layout;

/* The number of adios2::core::Operator::PLUGIN_INTERFACE, in all versions. */
constexpr char PluginInterface = 53;
/* The type of the operator, at the start of the caller and in its configuration. */
constexpr char TypeName[] = "plugin";

/* Functions in the vtable of adios2::core::Operator, two destructors included, by version.
 * From 2.11 on it has 8. */
constexpr size_t Places8 = 21, Places9 = 22, Places10 = 23, Places11 = 8;

/* The caller holds a vtable pointer, the text "plugin", the number 53, the text "plugin" and then
 * the parameters that OperatorCreate gets. The texts are std::strings of one of the two ABIs of
 * libstdc++. Null where it looks different. */
const void *FindCaller(const void *params)
{
    const char *const at = static_cast<const char *>(params);
    constexpr size_t NewSize = 80, OldSize = 32;
    std::array<char, NewSize> before;
    const auto word = [&](size_t offset) {
        const char *value;
        std::memcpy(&value, &before[offset], sizeof value);
        return value;
    };
    /* A string of the new ABI holds a short text itself. */
    if (fsz::Peek(at - NewSize, before.data(), NewSize) && word(8) == at - NewSize + 24 &&
        std::memcmp(&before[24], TypeName, sizeof TypeName) == 0 && before[40] == PluginInterface)
    {
        return at - NewSize;
    }
    std::array<char, sizeof TypeName> text;
    if (fsz::Peek(at - OldSize, before.data(), OldSize) && before[16] == PluginInterface &&
        fsz::Peek(word(8), text.data(), text.size()) &&
        std::memcmp(text.data(), TypeName, sizeof TypeName) == 0)
    {
        return at - OldSize;
    }
    return nullptr;
}

std::optional<Layout> FromPlaces(size_t places, Layout of_eight)
{
    switch (places)
    {
    case Places8:
        return Layout::V1_8;
    case Places9:
        return Layout::V1_9;
    case Places10:
        return Layout::V1_10;
    case Places11:
        return of_eight;
    default:
        return std::nullopt;
    }
}

/* By what the module with this vtable exports: a shared ADIOS2, or a static one in a library that
 * does not hide it, as in the Python package of openPMD-api. */
std::optional<Layout> FromSymbols(const void *table)
{
    Dl_info host;
    if (!dladdr(table, &host))
    {
        return std::nullopt;
    }
    void *const module = dlopen(host.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (module == nullptr)
    {
        return std::nullopt; /* the program itself, with ADIOS2 in it */
    }
    Dl_info info;
    const auto find = [&](const char *name) -> void * {
        void *const found = dlsym(module, name);
        const bool is_own =
            found != nullptr && dladdr(found, &info) && info.dli_fbase == host.dli_fbase;
        return is_own ? found : nullptr;
    };
    /* adios2::helper::GetDataTypeSize(DataType), which 2.12 removed together with version 1 of the
     * interface. */
    const bool is_v1 = find("_ZN6adios26helper15GetDataTypeSizeENS_8DataTypeE") != nullptr;
    /* The vtable of adios2::core::Operator. */
    void *const operators = find("_ZTVN6adios24core8OperatorE");
    void *symbol = nullptr;
    std::optional<Layout> layout;
    if (operators != nullptr && dladdr1(operators, &info, &symbol, RTLD_DL_SYMENT) && symbol)
    {
        /* Two words of a vtable are not functions. */
        const size_t words = static_cast<const ElfW(Sym) *>(symbol)->st_size / sizeof(void *);
        layout =
            words < 2 ? std::nullopt : FromPlaces(words - 2, is_v1 ? Layout::V1_11 : Layout::V2);
    }
    dlclose(module);
    return layout;
}

struct Code
{
    uintptr_t address;
    bool found;
};

int FindCode(struct dl_phdr_info *info, size_t, void *data)
{
    auto *const code = static_cast<Code *>(data);
    for (int i = 0; i < info->dlpi_phnum; ++i)
    {
        const auto &part = info->dlpi_phdr[i];
        const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
        code->found |=
            part.p_type == PT_LOAD && (part.p_flags & PF_X) && code->address - begin < part.p_memsz;
    }
    return code->found;
}

/* Without symbols: the caller's vtable is as long as that of adios2::core::Operator, and what comes
 * after a vtable is no address of code. */
std::optional<Layout> FromTable(const void *table)
{
    size_t places = 0;
    for (uintptr_t entry; places <= Places10; ++places)
    {
        if (!fsz::Peek(static_cast<const char *>(table) + places * sizeof entry, &entry,
                       sizeof entry))
        {
            break;
        }
        Code code{entry, false};
        dl_iterate_phdr(FindCode, &code);
        if (!code.found)
        {
            break;
        }
    }
    return FromPlaces(places, Layout::V1_11_or_V2);
}

/* By the caller's vtable: a process may have several ADIOS2, and up to 2.10 each block that is read
 * makes an operator. */
std::optional<Layout> FindLayout(const void *table)
{
    static std::mutex lock;
    static std::map<const void *, std::optional<Layout>> known;
    const std::lock_guard<std::mutex> guard(lock);
    const auto found = known.find(table);
    if (found != known.end())
    {
        return found->second;
    }
    auto layout = FromSymbols(table);
    if (!layout)
    {
        layout = FromTable(table);
    }
    return known[table] = layout;
}

} // namespace

fsz::Host fsz::FindHost(const void *params)
{
    const void *const caller = FindCaller(params);
    const void *table = nullptr;
    std::optional<Layout> layout;
    if (caller != nullptr && Peek(caller, &table, sizeof table))
    {
        layout = FindLayout(table);
    }
    if (!layout)
    {
        const char *const reason =
            "FSZ operator: this program's ADIOS2 is not one that the operator knows (2.8 to 2.12, "
            "built with libstdc++)";
        /* Another C++ library would not find the text in the exception. */
        std::fprintf(stderr, "%s\n", reason);
        throw std::runtime_error(reason);
    }
    return {*layout, caller};
}
