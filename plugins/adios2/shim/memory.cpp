#include "memory.h"

#include <cstdint>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

bool fsz::Peek(const void *from, void *to, size_t length)
{
    const auto wanted = static_cast<ssize_t>(length);
    const iovec there = {const_cast<void *>(from), length}, here = {to, length};
    if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) == wanted)
    {
        return true;
    }
    /* Some containers do not allow that call. Opened each time: after a fork, an open file would
     * still show the parent's memory. */
    const int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (memory < 0)
    {
        return false;
    }
    const auto offset = static_cast<off_t>(reinterpret_cast<uintptr_t>(from));
    const ssize_t copied = pread(memory, to, length, offset);
    close(memory);
    return copied == wanted;
}
