#ifndef FSZ_ADIOS2_HOST_H
#define FSZ_ADIOS2_HOST_H

namespace fsz
{

/* Where an ADIOS2 looks for the functions of an operator. */
enum class Layout
{
    V1_8,       /* 2.8 */
    V1_9,       /* 2.9 */
    V1_10,      /* 2.10, and the Python package 2.9.0 */
    V1_11,      /* 2.11, and the Python package 2.10.2.100774 */
    V2,         /* 2.12 */
    V1_11_or_V2 /* one of the last two */
};

/* The ADIOS2 that makes an operator: a shared library, or a part of another program or library. */
struct Host
{
    Layout layout;
    /* The object that calls the operator (adios2::plugin::PluginOperator). */
    const void *caller;
};

/* Finds out who calls OperatorCreate with these parameters. No version number says it: a program
 * with a static ADIOS2 has none, and those of some Python packages are wrong. Throws
 * std::runtime_error for an ADIOS2 that is none of 2.8 to 2.12. */
Host FindHost(const void *params);

} // namespace fsz

#endif /* FSZ_ADIOS2_HOST_H */
