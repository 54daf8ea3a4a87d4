// What the modules of decompression have alike, whatever their profile: how the structs that the
// driver shares lie in memory.
#pragma once

#include "decode/stream_view.cuh"

/// That of streams.
#define FSZ_STREAM_LAYOUT                                                                          \
    FSZ_SECTIONS_LAYOUT, sizeof(fsz::StreamView), FSZ_AT(fsz::StreamView, bytes),                  \
        FSZ_AT(fsz::StreamView, capacity), FSZ_AT(fsz::StreamView, header_first),                  \
        FSZ_AT(fsz::StreamView, header_kind), FSZ_AT(fsz::StreamView, missing_at),                 \
        FSZ_AT(fsz::StreamView, relative_at), FSZ_AT(fsz::StreamView, sections)

/// That of an output that is a box.
#define FSZ_BOX_LAYOUT(Output)                                                                     \
    sizeof(Output), FSZ_AT(Output, out), FSZ_AT(Output, box.dims), FSZ_AT(Output, box.shape),      \
        FSZ_AT(Output, box.start), FSZ_AT(Output, box.count)
