// A variable without a bound is refused by an exception of Put that names it, and the program goes
// on. Where ADIOS2 would end the program for an exception (BP4), the values are written as they
// are.
#include <adios2.h>

#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

const adios2::Params Plugin = {{"PluginName", "fsz"}, {"PluginLibrary", "fsz_adios2"}};

adios2::Params With(adios2::Params parameters, const adios2::Params &more)
{
    parameters.insert(more.begin(), more.end());
    return parameters;
}

void Require(bool holds, const std::string &what)
{
    if (!holds)
    {
        throw std::logic_error(what);
    }
}

/* What Put says of the variable `name` with this operation. */
std::string Refusal(const std::string &engine_type, const std::string &name, bool is_defined,
                    const adios2::Params &more)
{
    adios2::ADIOS adios;
    adios2::IO io = adios.DeclareIO("out");
    io.SetEngine(engine_type);
    auto variable = io.DefineVariable<float>(name, {100}, {0}, {100});
    if (is_defined)
    {
        variable.AddOperation(adios.DefineOperator("fsz", "plugin", Plugin), more);
    }
    else
    {
        variable.AddOperation("plugin", With(Plugin, more));
    }
    adios2::Engine engine = io.Open(name + "-" + engine_type + ".bp", adios2::Mode::Write);
    const std::vector<float> field(100, 0.5f);
    engine.BeginStep();
    try
    {
        engine.Put(variable, field.data(), adios2::Mode::Sync);
    }
    catch (const std::exception &error)
    {
        return error.what();
    }
    engine.EndStep();
    engine.Close();
    return "";
}

/* What a Put says that lets ADIOS2 give the memory for values of a variable with the operator. */
std::string SpanRefusal()
{
    adios2::ADIOS adios;
    adios2::IO io = adios.DeclareIO("out");
    auto variable = io.DefineVariable<float>("span", {100}, {0}, {100});
    variable.AddOperation("plugin", With(Plugin, {{"accuracy", "0.1"}}));
    adios2::Engine engine = io.Open("span.bp", adios2::Mode::Write);
    engine.BeginStep();
    try
    {
        engine.Put(variable);
    }
    catch (const std::exception &error)
    {
        return error.what();
    }
    return "";
}

std::vector<float> Read(const std::string &path, const std::string &name)
{
    adios2::ADIOS adios;
    adios2::IO io = adios.DeclareIO("in");
    adios2::Engine engine = io.Open(path, adios2::Mode::Read);
    engine.BeginStep();
    std::vector<float> field;
    engine.Get(io.InquireVariable<float>(name), field, adios2::Mode::Sync);
    engine.EndStep();
    engine.Close();
    return field;
}

} // namespace

int main(int argc, char **)
try
{
    const auto named = [&](const std::string &name) { return argc > 1 ? "a variable" : name; };
    for (const bool is_defined : {false, true})
    {
        const std::string said = Refusal("BP5", "temperature", is_defined, {});
        Require(said.find(named("temperature") + ": it has no bound") != std::string::npos, said);
        const std::string wrong = Refusal("BP5", "wrong", is_defined, {{"accuracy", "a little"}});
        Require(wrong.find(named("wrong") + ": accuracy: ") != std::string::npos, wrong);
        Require(Refusal("BP5", "right", is_defined, {{"tolerance", "0.1"}}).empty(), "right");
        Require(Refusal("BP4", "raw", is_defined, {}).empty(), "BP4");
        Require(Read("raw-BP4.bp", "raw") == std::vector<float>(100, 0.5f), "BP4 is raw");
    }
    if (argc == 1)
    {
        const std::string span = SpanRefusal();
        Require(span.find("<Core> <Engine> <Put> : Span does not support Operations. Try removing "
                          "Operations from variables using Span") != std::string::npos,
                span);
    }
    return 0;
}
catch (const std::exception &error)
{
    std::cerr << error.what() << '\n';
    return 1;
}
