// Reads what writer.cpp wrote. A reader needs no configuration: each block names its operator,
// which ADIOS2 loads from ADIOS2_PLUGIN_PATH.
#include <adios2.h>

#include <cmath>
#include <iostream>
#include <vector>

int main()
try
{
    adios2::ADIOS adios;
    adios2::IO io = adios.DeclareIO("Input");
    adios2::Engine engine = io.Open("cpp.bp", adios2::Mode::Read);
    float worst = 0;
    while (engine.BeginStep() == adios2::StepStatus::OK)
    {
        auto u = io.InquireVariable<float>("U");
        const auto shape = u.Shape();
        std::vector<float> field;
        u.SetSelection({{0, 0}, shape});
        engine.Get(u, field, adios2::Mode::Sync);
        const size_t nx = shape[1];
        const float step = static_cast<float>(engine.CurrentStep());
        for (size_t i = 0; i < field.size(); ++i)
        {
            const float written = std::sin(0.01f * (i / nx) + step) * std::cos(0.02f * (i % nx));
            worst = std::max(worst, std::fabs(field[i] - written));
        }
        engine.EndStep();
    }
    engine.Close();
    std::cout << "largest error " << worst << '\n';
    return worst <= 1e-3f ? 0 : 1;
}
catch (const std::exception &error)
{
    std::cerr << error.what() << '\n';
    return 1;
}
