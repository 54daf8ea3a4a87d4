// What the modules of decompression have alike, whatever their profile: the kernel that puts
// regions over a field, and how the structs that the driver shares lie in memory.
#pragma once

#include "decode/put_region.cuh"
#include "decode/stream_view.cuh"

#define FSZ_PUT_REGION_ENTRY(Value, coder)                                                         \
    extern "C" __global__ void fsz_put_region_##coder(const Value *from, Value *to,                \
                                                      const fsz::Move *moves, fsz::u64 count)      \
    {                                                                                              \
        fsz::put_region(from, to, moves, count);                                                   \
    }

/// That of streams and of what goes over them.
#define FSZ_STREAM_LAYOUT                                                                          \
    FSZ_SECTIONS_LAYOUT, sizeof(fsz::StreamView), FSZ_AT(fsz::StreamView, bytes),                  \
        FSZ_AT(fsz::StreamView, capacity), FSZ_AT(fsz::StreamView, header_first),                  \
        FSZ_AT(fsz::StreamView, header_kind), FSZ_AT(fsz::StreamView, missing_at),                 \
        FSZ_AT(fsz::StreamView, relative_at), FSZ_AT(fsz::StreamView, sections),                   \
        sizeof(fsz::Move), FSZ_AT(fsz::Move, from), FSZ_AT(fsz::Move, to), FSZ_AT(fsz::Move, len)

/// That of an output that is a box.
#define FSZ_BOX_LAYOUT(Output)                                                                     \
    sizeof(Output), FSZ_AT(Output, out), FSZ_AT(Output, box.dims), FSZ_AT(Output, box.shape),      \
        FSZ_AT(Output, box.start), FSZ_AT(Output, box.count)
