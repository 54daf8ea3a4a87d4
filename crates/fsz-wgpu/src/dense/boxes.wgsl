// Where boxes lie in the field, and which of their elements a slice has. Numbers of 64 bits are two words, the
// low one first.

struct Params {
    // Along the four axes: boxes, boxes of a cell, elements of a box and of the last one.
    counts: vec4<u32>,
    cell: vec4<u32>,
    extent: vec4<u32>,
    last: vec4<u32>,
    // Elements of the field from a box to the next: low words, high words.
    box_low: vec4<u32>,
    box_high: vec4<u32>,
    // Elements of the field from a row to the next along the second and third axis.
    plane: vec2<u32>,
    row: vec2<u32>,
    // The runs of a slice: first element, elements from run to run, from the first to behind the last, of a run.
    first: vec2<u32>,
    stride: vec2<u32>,
    span: vec2<u32>,
    inner: u32,
    // Boxes of a chunk, and of the field.
    chunk_tiles: u32,
    tiles: u32,
    // Chunks of the page: first, number.
    chunk: u32,
    chunks: u32,
    // Workgroups along x.
    groups: u32,
    // Words of an element: 1 for f32, 2 for f64.
    width: u32,
    // The first missing value as a display value.
    missing: u32,
    // log2 of the lattice points of a step.
    fine: u32,
    // How much the nearest and the outer neighbours count; 0 where the nearest alone do.
    near: i32,
    far: i32,
    // step = mantissa · 2^exponent, with a mantissa of 24 bits or 0; the same of the lattice.
    step: u32,
    step_exponent: i32,
    lattice: u32,
    lattice_exponent: i32,
    // Logarithmic codes: whether patterns are curved, the first one's and the distance of the next, 64 bits; the
    // code before it.
    curve: u32,
    code_base: vec2<u32>,
    code_stride: vec2<u32>,
    knee: u32,
    // 1: points that are odd along several axes are predicted by all neighbours across these.
    blended: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// A page: where each chunk's payload begins, kind, rate << 8, bytes << 16 of each box, payload.
@group(0) @binding(1) var<storage, read> page: array<u32>;
@group(0) @binding(2) var<storage, read_write> values: array<u32>;
// The facts of each element's box.
@group(0) @binding(3) var<storage, read_write> tiles: array<u32>;
@group(0) @binding(4) var<storage, read> slots: array<u32>;
@group(0) @binding(5) var<storage, read> programs: array<u32>;

// No place in the slice.
const NOWHERE = 0xffffffffu;

fn plus(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn less(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

fn times(a: vec2<u32>, k: u32) -> vec2<u32> {
    return vec2(0u, a.y * k) + wide(a.x, k);
}

// a / b, which is below 2^32.
fn quotient(a: vec2<u32>, b: vec2<u32>) -> u32 {
    if a.y == 0u {
        return select(0u, a.x / max(b.x, 1u), b.y == 0u);
    }
    var rest = vec2(0u);
    var found = 0u;
    for (var bit = 64u - countLeadingZeros(a.y); bit > 0u; bit--) {
        let next = select(a.x, a.y, bit > 32u) >> ((bit - 1u) % 32u) & 1u;
        rest = vec2(rest.x << 1u | next, rest.y << 1u | rest.x >> 31u);
        found <<= 1u;
        if !less(rest, b) {
            rest = minus(rest, b);
            found |= 1u;
        }
    }
    return found;
}

struct Box {
    // Its number, and its first element in the field.
    tile: u32,
    first: vec2<u32>,
    // Elements along its axes, and in all.
    n: vec3<u32>,
    len: u32,
    // Bit i: it is cut short along axis i.
    shape: u32,
}

fn box_of(tile: u32) -> Box {
    var rest = tile;
    var at = vec4(0u);
    var thick = vec4(1u);
    for (var a = 0u; a < 4u; a++) {
        // The boxes of a slab one cell thick.
        var slab = params.cell[a];
        for (var b = 0u; b < 4u; b++) {
            slab *= select(select(1u, params.counts[b], b > a), thick[b], b < a);
        }
        at[a] = rest / slab * params.cell[a];
        rest %= slab;
        thick[a] = min(params.cell[a], params.counts[a] - at[a]);
    }
    for (var k = 0u; k < 4u; k++) {
        let a = 3u - k;
        at[a] += rest % thick[a];
        rest /= thick[a];
    }
    let short = (at + 1u == params.counts) & (params.last < params.extent);
    let n = select(params.extent, params.last, short);
    let bits = select(vec3(0u), vec3(1u, 2u, 4u), short.yzw);
    var first = vec2(0u);
    for (var a = 0u; a < 4u; a++) {
        first = plus(first, times(vec2(params.box_low[a], params.box_high[a]), at[a]));
    }
    return Box(tile, first, n.yzw, n.y * n.z * n.w, bits.x + bits.y + bits.z);
}

// The first element of the row `row` of a box in the field.
fn row_of(own: Box, row: u32) -> vec2<u32> {
    let in_plane = times(params.row, row % own.n.y);
    return plus(own.first, plus(times(params.plane, row / own.n.y), in_plane));
}

// Whether the slice has an element of the row of `n` elements from `begin` on.
fn row_is_touched(begin: vec2<u32>, n: u32) -> bool {
    if !less(params.first, plus(begin, vec2(n, 0u))) {
        return false;
    }
    if less(begin, params.first) {
        return true;
    }
    let behind = minus(begin, params.first);
    if !less(behind, params.span) {
        return false;
    }
    let run = quotient(behind, params.stride);
    let within = minus(behind, times(params.stride, run));
    // In a run, or ahead of another one.
    return less(within, vec2(params.inner, 0u))
        || less(minus(params.stride, within), vec2(n, 0u));
}

// Whether this lane's rows of a box have an element of the slice.
fn is_touched(own: Box, lane: u32) -> bool {
    for (var row = lane; row < own.n.x * own.n.y; row += DENSE_LANES) {
        if row_is_touched(row_of(own, row), own.n.z) {
            return true;
        }
    }
    return false;
}

// The place in the slice of the element at a position in a box.
fn place_of(own: Box, position: u32) -> u32 {
    let element = plus(row_of(own, position / own.n.z), vec2(position % own.n.z, 0u));
    let behind = minus(element, params.first);
    if less(element, params.first) || !less(behind, params.span) {
        return NOWHERE;
    }
    let run = quotient(behind, params.stride);
    let within = minus(behind, times(params.stride, run));
    if !less(within, vec2(params.inner, 0u)) {
        return NOWHERE;
    }
    return run * params.inner + within.x;
}
