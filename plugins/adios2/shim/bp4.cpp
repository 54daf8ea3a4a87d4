#include "bp4.h"
#include "memory.h"

namespace
{

/* A std::vector as libstdc++ lays it out. */
struct Vector
{
    const char *begin, *end, *room;
};

} // namespace

std::optional<fsz::Bp4Block> fsz::Bp4Block::Find(const Dims &count, const void *caller)
{
    /* The members that begin with Count. */
    struct
    {
        Vector count, memory_start, memory_count;
        Vector operations; /* of std::shared_ptr<adios2::core::Operator> */
    } block;
    const void *operation = nullptr;
    const bool is_bp4 = Peek(&count, &block, sizeof block) &&
                        block.operations.end - block.operations.begin == 2 * sizeof(void *) &&
                        Peek(block.operations.begin, &operation, sizeof operation) &&
                        operation == caller;
    if (!is_bp4)
    {
        return std::nullopt;
    }
    const auto bytes = static_cast<ptrdiff_t>(count.size() * sizeof(size_t));
    const auto is_full = [&](const Vector &list) { return list.end - list.begin == bytes; };
    return Bp4Block{bytes > 0 && is_full(block.memory_start) && is_full(block.memory_count),
                    reinterpret_cast<const size_t *>(block.memory_start.begin),
                    reinterpret_cast<const size_t *>(block.memory_count.begin)};
}
