#include "host.h"

#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <string>

namespace
{

/* adios2::plugin::PluginOperatorInterface::PluginOperatorInterface(const Params &): a function of
 * the library up to 2.11, header-only since 2.12. */
constexpr const char *OldConstructor =
    "_ZN6adios26plugin23PluginOperatorInterfaceC2ERKSt3mapINSt7__cxx1112basic_stringIcSt11char_"
    "traitsIcESaIcEEES8_St4lessIS8_ESaISt4pairIKS8_S8_EEE";

/* Stores the path of the loaded ADIOS2 core library. */
int FindCore(struct dl_phdr_info *info, size_t, void *found)
{
    const char *slash = std::strrchr(info->dlpi_name, '/');
    const char *name = slash ? slash + 1 : info->dlpi_name;
    if (std::strncmp(name, "libadios2", 9) != 0 || std::strstr(name, "_core") == nullptr)
    {
        return 0;
    }
    *static_cast<std::string *>(found) = info->dlpi_name;
    return 1;
}

} // namespace

bool fsz::HostIsTooOld()
{
    std::string path;
    dl_iterate_phdr(FindCore, &path);
    if (path.empty())
    {
        return false;
    }
    void *core = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (core == nullptr)
    {
        return false;
    }
    const bool old = dlsym(core, OldConstructor) != nullptr;
    dlclose(core);
    return old;
}
