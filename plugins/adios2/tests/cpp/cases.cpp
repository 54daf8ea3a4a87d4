// The cases that ADIOS2 tests its own operators with: 1 to 3 dimensions, float and double, global
// and local arrays, several ADIOS2 blocks and steps, selections, memory selections, deferred and
// sync Puts; the operator defined by its type, a bound with each variable. Arguments name what the
// ADIOS2 cannot do in BP5 ("BP5": nothing), and "written": another version has written the files.
#include <adios2.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

using adios2::Dims;

constexpr size_t Steps = 4, Blocks = 3;

size_t Elements(const Dims &count)
{
    size_t elements = 1;
    for (const size_t extent : count)
    {
        elements *= extent;
    }
    return elements;
}

template <class T> std::vector<T> Smooth(size_t elements, double phase)
{
    std::vector<T> values(elements);
    for (size_t i = 0; i < elements; ++i)
    {
        const double x = 0.01 * i + phase;
        values[i] = static_cast<T>(std::sin(x) * std::cos(0.1 * x));
    }
    return values;
}

template <class T>
void Check(const std::vector<T> &written, const std::vector<T> &read, double bound,
           const std::string &what)
{
    double worst = 0;
    if (written.size() != read.size())
    {
        throw std::logic_error(what + ": another number of values");
    }
    for (size_t i = 0; i < written.size(); ++i)
    {
        worst = std::max(worst, std::fabs(double(written[i]) - double(read[i])));
    }
    if (!(worst <= bound && worst > 0))
    {
        throw std::logic_error(what + ": largest error " + std::to_string(worst));
    }
}

/* A block of `count` inside an array with `ghosts` more cells on every side. */
template <class T>
std::vector<T> WithGhosts(const std::vector<T> &inside, const Dims &count, size_t ghosts)
{
    Dims whole = count;
    for (size_t &extent : whole)
    {
        extent += 2 * ghosts;
    }
    std::vector<T> array(Elements(whole), T(-999));
    for (size_t i = 0; i < inside.size(); ++i)
    {
        size_t rest = i, place = 0, stride = 1;
        for (size_t d = count.size(); d-- > 0;)
        {
            place += (rest % count[d] + ghosts) * stride;
            rest /= count[d];
            stride *= whole[d];
        }
        array[place] = inside[i];
    }
    return array;
}

/* A part of an array of `shape`. */
template <class T>
std::vector<T> Part(const std::vector<T> &array, const Dims &shape, const Dims &start,
                    const Dims &count)
{
    std::vector<T> part(Elements(count));
    for (size_t i = 0; i < part.size(); ++i)
    {
        size_t rest = i, place = 0, stride = 1;
        for (size_t d = count.size(); d-- > 0;)
        {
            place += (rest % count[d] + start[d]) * stride;
            rest /= count[d];
            stride *= shape[d];
        }
        part[i] = array[place];
    }
    return part;
}

struct Case
{
    std::string engine;
    adios2::Mode mode;
    /* Cells around each block in memory; 0: no memory selection. */
    size_t ghosts;
    Dims count; /* of each block; they lie one after another in the slowest dimension */
    double bound;
    bool has_local;

    std::string Name() const
    {
        return engine + "-" + (mode == adios2::Mode::Sync ? "sync" : "deferred") + "-" +
               std::to_string(ghosts) + "-" + std::to_string(count.size());
    }

    Dims Shape() const
    {
        Dims shape = count;
        shape[0] *= Blocks;
        return shape;
    }

    Dims Start(size_t block) const
    {
        Dims start(count.size(), 0);
        start[0] = block * count[0];
        return start;
    }
};

template <class T> std::vector<T> Block(const Case &c, size_t step, size_t block)
{
    return Smooth<T>(Elements(c.count), step + 0.3 * block);
}

template <class T> void Write(const Case &c, const std::string &path)
{
    adios2::ADIOS adios;
    adios2::IO io = adios.DeclareIO("out");
    io.SetEngine(c.engine);
    const auto fsz = adios.DefineOperator("fsz", "plugin",
                                          {{"PluginName", "fsz"}, {"PluginLibrary", "fsz_adios2"}});
    auto global = io.DefineVariable<T>("global", c.Shape(), c.Start(0), c.count);
    auto local = io.DefineVariable<T>("local", {}, {}, c.count);
    global.AddOperation(fsz, {{"accuracy", std::to_string(c.bound)}});
    local.AddOperation(fsz, {{"tolerance", std::to_string(c.bound / 10)}});
    adios2::Engine engine = io.Open(path, adios2::Mode::Write);
    for (size_t step = 0; step < Steps; ++step)
    {
        engine.BeginStep();
        std::vector<std::vector<T>> kept; /* until the step ends */
        kept.reserve(2 * Blocks);
        for (size_t block = 0; block < Blocks; ++block)
        {
            kept.push_back(Block<T>(c, step, block));
            global.SetSelection({c.Start(block), c.count});
            if (c.ghosts > 0)
            {
                Dims whole = c.count;
                for (size_t &extent : whole)
                {
                    extent += 2 * c.ghosts;
                }
                global.SetMemorySelection({Dims(c.count.size(), c.ghosts), whole});
                kept.push_back(WithGhosts(kept.back(), c.count, c.ghosts));
            }
            engine.Put(global, kept.back().data(), c.mode);
            if (!c.has_local)
            {
                continue;
            }
            local.SetSelection({{}, c.count});
            engine.Put(local, kept[c.ghosts > 0 ? 2 * block : block].data(), c.mode);
        }
        engine.EndStep();
    }
    engine.Close();
}

template <class T> void Read(const Case &c, const std::string &path)
{
    adios2::ADIOS adios;
    adios2::IO io = adios.DeclareIO("in");
    io.SetEngine(c.engine);
    adios2::Engine engine = io.Open(path, adios2::Mode::Read);
    size_t step = 0;
    for (; engine.BeginStep() == adios2::StepStatus::OK; ++step)
    {
        const std::string what = c.Name() + ", step " + std::to_string(step);
        std::vector<T> written;
        for (size_t block = 0; block < Blocks; ++block)
        {
            const auto part = Block<T>(c, step, block);
            written.insert(written.end(), part.begin(), part.end());
        }
        auto global = io.InquireVariable<T>("global");
        std::vector<T> read;
        global.SetSelection({c.Start(0), c.Shape()});
        engine.Get(global, read, adios2::Mode::Sync);
        Check(written, read, c.bound, what + ", all");

        /* Across the first two blocks, without the first and last elements. */
        Dims start(c.count.size(), 1), count = c.Shape();
        count[0] = c.count[0];
        for (size_t d = 1; d < count.size(); ++d)
        {
            count[d] -= 2;
        }
        std::vector<T> box(Elements(count));
        global.SetSelection({start, count});
        engine.Get(global, box.data(), adios2::Mode::Deferred);
        std::vector<std::vector<T>> locals(Blocks);
        for (size_t block = 0; c.has_local && block < Blocks; ++block)
        {
            auto local = io.InquireVariable<T>("local");
            local.SetBlockSelection(block);
            engine.Get(local, locals[block], adios2::Mode::Sync);
            Check(Block<T>(c, step, block), locals[block], c.bound / 10, what + ", local");
        }
        engine.PerformGets();
        Check(Part(written, c.Shape(), start, count), box, c.bound, what + ", box");
        engine.EndStep();
    }
    engine.Close();
    if (step != Steps)
    {
        throw std::logic_error(c.Name() + ": " + std::to_string(step) + " steps");
    }
}

template <class T> void Run(const Case &c, const std::string &type, bool is_written)
{
    const std::string path = c.Name() + "-" + type + ".bp";
    if (!is_written)
    {
        Write<T>(c, path);
    }
    Read<T>(c, path);
}

} // namespace

int main(int argc, char **argv)
try
{
    const std::vector<std::string> given(argv + 1, argv + argc);
    const auto has = [&](const char *what) {
        return std::find(given.begin(), given.end(), what) != given.end();
    };
    const bool is_written = has("written");
    const auto lacks = [&](const std::string &engine, const char *what) {
        return engine == "BP5" && has(what);
    };
    for (const std::string engine : {"BP5", "BP4"})
    {
        if (lacks(engine, "BP5"))
        {
            continue;
        }
        for (const auto mode : {adios2::Mode::Sync, adios2::Mode::Deferred})
        {
            for (const size_t ghosts : {0, 2})
            {
                if (ghosts > 0 && lacks(engine, "memory"))
                {
                    continue;
                }
                const bool has_local = !lacks(engine, "local");
                for (const Dims &count : {Dims{600}, Dims{20, 30}, Dims{6, 10, 20}})
                {
                    Run<float>({engine, mode, ghosts, count, 1e-2, has_local}, "float", is_written);
                    Run<double>({engine, mode, ghosts, count, 1e-3, has_local}, "double",
                                is_written);
                }
            }
        }
    }
    return 0;
}
catch (const std::exception &error)
{
    std::cerr << error.what() << '\n';
    return 1;
}
