#ifndef FSZ_ADIOS2_HANDLER_H
#define FSZ_ADIOS2_HANDLER_H

namespace fsz
{

/* Who would get an exception that is thrown now. */
enum class Handler
{
    Program, /* a handler of the program, or none: then C++ ends it with the message */
    Python,  /* a Python extension, which passes it on to Python */
    Noexcept /* a function that must not throw: C++ would end the program without asking anyone */
};

Handler FindHandler();

} // namespace fsz

#endif /* FSZ_ADIOS2_HANDLER_H */
