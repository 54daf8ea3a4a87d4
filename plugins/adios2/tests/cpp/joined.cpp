// Writes a joined array, whose ADIOS2 blocks have no place of their own, with other extents at each
// step: joined.cpp FILE ENGINE. Row r of a step has the values 100 step + r.
#include <adios2.h>

#include <iostream>
#include <vector>

int main(int, char **argv)
try
{
    const size_t nx = 30;
    adios2::ADIOS adios;
    adios2::IO io = adios.DeclareIO("joined");
    io.SetEngine(argv[2]);
    auto fsz = adios.DefineOperator("fsz", "plugin",
                                    {{"PluginName", "fsz"}, {"PluginLibrary", "fsz_adios2"}});
    auto u = io.DefineVariable<double>("u", {adios2::JoinedDim, nx}, {}, {1, nx});
    u.AddOperation(fsz, {{"accuracy", "0.25"}});
    adios2::Engine engine = io.Open(argv[1], adios2::Mode::Write);
    for (size_t step = 0; step < 5; ++step)
    {
        engine.BeginStep();
        double row = 0;
        // More rows, then fewer.
        for (size_t rows : {10 + 10 * (step % 2), size_t(0), 5 * step})
        {
            std::vector<double> values;
            for (size_t r = 0; r < rows; ++r, ++row)
            {
                values.insert(values.end(), nx, 100.0 * step + row);
            }
            u.SetSelection({{}, {rows, nx}});
            values.resize(values.size() + 1); // Put takes no null pointer.
            engine.Put(u, values.data(), adios2::Mode::Sync);
        }
        engine.EndStep();
    }
    engine.Close();
}
catch (const std::exception &error)
{
    std::cerr << error.what() << '\n';
    return 1;
}
