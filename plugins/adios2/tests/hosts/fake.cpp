// An ADIOS2 of each version as the operator sees it, and others that it must refuse: the object
// that calls OperatorCreate, with a vtable of as many functions, and calls of the operator's
// functions by their place. Nothing of ADIOS2 is exported, as in a program with a static ADIOS2.
// Compiled with both ABIs of std::string.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace
{

using Dims = std::vector<size_t>;
using Params = std::map<std::string, std::string>;

void *(*Create)(const void *);
void (*Destroy)(void *);

void Require(bool holds, const std::string &what)
{
    if (!holds)
    {
        throw std::logic_error(what);
    }
}

void Function() {}

/* adios2::plugin::PluginOperator. */
struct Caller
{
    const uintptr_t *table;
    std::string type = "plugin";
    char number = 53;
    std::string category = "plugin";
    Params params;
};

/* A vtable of `places` functions. It stays where it is, as that of a program does: its address
 * tells the version from then on. */
const std::vector<uintptr_t> &Table(size_t places)
{
    static std::list<std::vector<uintptr_t>> all;
    std::vector<uintptr_t> &table =
        all.emplace_back(places, reinterpret_cast<uintptr_t>(&Function));
    table.push_back(0);
    return table;
}

/* Where a version has each function; 0: it has none. */
struct Version
{
    const char *name;
    size_t places, operate, inverse, valid, estimate, extra;
    /* Bytes beyond the values where it asks for no estimate, less its own header. */
    size_t slack;
};

constexpr Version Versions[] = {
    {"2.8", 21, 18, 19, 20, 0, 0, 100 - 45},
    {"2.9", 22, 19, 20, 21, 0, 0, 100 - 45},
    {"2.10", 23, 20, 21, 22, 19, 0, 128 - 45},
    {"2.11", 8, 5, 6, 7, 3, 4, 0},
    {"2.12", 8, 2, 3, 4, 5, 6, 0},
};

/* An operator, called by the places of a version. */
class Operator
{
public:
    Operator(const Version &version, const Params &params) : m_Version(version)
    {
        m_Caller.table = Table(version.places).data();
        m_Caller.params = params;
        m_Made = Create(&m_Caller.params);
    }
    ~Operator() { Destroy(m_Made); }
    Operator(const Operator &) = delete;
    Operator &operator=(const Operator &) = delete;

    bool IsValid(int type)
    {
        return At<bool (*)(const void *, int)>(m_Version.valid)(m_Made, type);
    }

    /* As much as the version gives, and no byte more is written. */
    std::vector<char> Operate(const std::vector<float> &values, const Dims &start,
                              const Dims &count, bool ask)
    {
        size_t room = values.size() * sizeof(float) + m_Version.slack;
        if (m_Version.estimate && ask)
        {
            using Estimate = size_t (*)(const void *, size_t, size_t, size_t, const size_t *);
            room = At<Estimate>(m_Version.estimate)(m_Made, values.size(), sizeof(float),
                                                    count.size(), count.data());
        }
        std::vector<char> out(room + 64, '\x55');
        Extra();
        using Operate = size_t (*)(void *, const char *, const Dims &, const Dims &, int, char *);
        const size_t written = At<Operate>(m_Version.operate)(
            m_Made, reinterpret_cast<const char *>(values.data()), start, count, 9, out.data());
        Require(written > 0 && written <= room, "written");
        for (size_t i = room; i < out.size(); ++i)
        {
            Require(out[i] == '\x55', "nothing is written beyond the room");
        }
        out.resize(written);
        return out;
    }

    std::vector<float> Inverse(const std::vector<char> &payload, size_t elements)
    {
        std::vector<float> values(elements);
        Extra();
        using Inverse = size_t (*)(void *, const char *, size_t, char *);
        const size_t bytes = At<Inverse>(m_Version.inverse)(
            m_Made, payload.data(), payload.size(), reinterpret_cast<char *>(values.data()));
        Require(bytes == elements * sizeof(float), "the values' bytes");
        return values;
    }

private:
    void Extra()
    {
        const Params extra = {{"EngineName", "out.bp"}, {"VariableName", "U"}};
        if (m_Version.extra)
        {
            At<void (*)(void *, const void *)>(m_Version.extra)(m_Made, &extra);
        }
    }

    template <class F> F At(size_t place) const
    {
        const uintptr_t *table;
        std::memcpy(&table, m_Made, sizeof table);
        return reinterpret_cast<F>(table[place]);
    }

    const Version &m_Version;
    Caller m_Caller;
    void *m_Made;
};

const Params Plugin = {
    {"pluginname", "fsz"}, {"pluginlibrary", "fsz_adios2"}, {"accuracy", "1e-3"}};

void WriteAndRead(const Version &version)
{
    const Dims count = {5, 10, 20}, start = {5, 0, 0};
    std::vector<float> smooth(1000), noise(1000);
    uint32_t random = 1;
    for (size_t i = 0; i < smooth.size(); ++i)
    {
        smooth[i] = std::sin(0.01f * i);
        random = 1664525 * random + 1013904223;
        const uint32_t bits = 0x00800000 + (random >> 2);
        std::memcpy(&noise[i], &bits, sizeof bits);
    }
    Operator writer(version, Plugin);
    Require(writer.IsValid(9) && writer.IsValid(10) && !writer.IsValid(5), "types");
    const auto payload = writer.Operate(smooth, start, count, true);
    Require(payload.size() < smooth.size() * sizeof(float) / 2, "it is compressed");
    Params fine = Plugin;
    fine["accuracy"] = "1e-30";
    Operator exact(version, fine);
    Require(exact.IsValid(9), "types");
    Operator reader(version, {});
    const auto back = reader.Inverse(payload, smooth.size());
    for (size_t i = 0; i < smooth.size(); ++i)
    {
        Require(std::fabs(back[i] - smooth[i]) <= 1e-3f, "the bound");
    }
    for (const bool ask : {true, false})
    {
        if (!ask && version.slack == 0)
        {
            continue; /* it always asks */
        }
        const auto raw = exact.Operate(noise, start, count, ask);
        Require(reader.Inverse(raw, noise.size()) == noise, "noise");
    }
    /* A writer reads too. */
    Require(writer.Inverse(payload, smooth.size()) == back, "the writer reads");
}

void Refused(const void *params, const std::string &what)
{
    try
    {
        Create(params);
    }
    catch (const std::runtime_error &error)
    {
        Require(std::string(error.what()).find("2.8 to 2.12") != std::string::npos, error.what());
        return;
    }
    throw std::logic_error(what + " was accepted");
}

void Unknown()
{
    for (const size_t places : {0, 5, 7, 9, 20, 24, 30})
    {
        Caller caller;
        caller.table = Table(places).data();
        caller.params = Plugin;
        Refused(&caller.params, std::to_string(places) + " places");
        caller.number = 54;
        Refused(&caller.params, "another number");
    }
    const auto bare = std::make_unique<Params>(Plugin);
    Refused(bare.get(), "bare parameters");
    /* Nothing is readable before these. */
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    auto *const pages = static_cast<char *>(
        mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    Require(pages != MAP_FAILED && mprotect(pages, page, PROT_NONE) == 0, "memory");
    Params *const alone = new (pages + page) Params(Plugin);
    Refused(alone, "parameters at the start of memory");
    alone->~Params();
    munmap(pages, 2 * page);
}

} // namespace

int main(int, char **arguments)
try
{
    void *const library = dlopen(arguments[1], RTLD_NOW);
    Require(library != nullptr, "the library opens");
    Create = reinterpret_cast<void *(*)(const void *)>(dlsym(library, "OperatorCreate"));
    Destroy = reinterpret_cast<void (*)(void *)>(dlsym(library, "OperatorDestroy"));
    for (const Version &version : Versions)
    {
        std::cout << version.name << std::endl;
        WriteAndRead(version);
    }
    std::cout << "others" << std::endl;
    Unknown();
    return 0;
}
catch (const std::exception &error)
{
    std::cerr << error.what() << '\n';
    return 1;
}
