#ifndef FSZ_ADIOS2_HOST_H
#define FSZ_ADIOS2_HOST_H

namespace fsz
{

/* Whether the ADIOS2 of this process is older than 2.12. Its operator interface has another layout,
 * so it would call the wrong functions. */
bool HostIsTooOld();

} // namespace fsz

#endif /* FSZ_ADIOS2_HOST_H */
