// Writes ten steps of a field through FSZ. The configuration file selects the operator; nothing in
// this program depends on it.
#include <adios2.h>

#include <cmath>
#include <iostream>
#include <vector>

int main(int argc, char **argv)
try
{
    const size_t ny = 500, nx = 400;
    adios2::ADIOS adios(argc > 1 ? argv[1] : "adios2.xml");
    adios2::IO io = adios.DeclareIO("SimulationOutput");
    auto u = io.DefineVariable<float>("U", {ny, nx}, {0, 0}, {ny, nx});
    adios2::Engine engine = io.Open("cpp.bp", adios2::Mode::Write);
    std::vector<float> field(ny * nx);
    for (int step = 0; step < 10; ++step)
    {
        for (size_t i = 0; i < field.size(); ++i)
        {
            field[i] = std::sin(0.01f * (i / nx) + step) * std::cos(0.02f * (i % nx));
        }
        engine.BeginStep();
        engine.Put(u, field.data());
        engine.EndStep();
    }
    engine.Close();
}
catch (const std::exception &error)
{
    // A bad operator parameter ends up here, with its name.
    std::cerr << error.what() << '\n';
    return 1;
}
