// Decodes the tiles that a slice touches: a workgroup a tile, a thread an element.
//
// A slice is runs of consecutive elements of the field. Everything is integer arithmetic, the last
// multiplication too: graphics cards may flush subnormal numbers, fuse operations and round conversions
// as they like, and the bits shall be those of FORMAT.md.

struct Params {
    // First element of run 0, and elements from run to run: 64 bits, low word first.
    first: vec2<u32>,
    stride: vec2<u32>,
    // Of this dispatch: first run, number of runs.
    run: u32,
    runs: u32,
    // Elements of a run, and the most tiles that one touches.
    inner: u32,
    tiles_per_run: u32,
    // Tiles of the page: first, number; and its chunks.
    tile: u32,
    tiles: u32,
    chunks: u32,
    // Workgroups along x.
    groups: u32,
    // The field's last tile and its elements.
    last_tile: u32,
    last_count: u32,
    // Words of an element: 1 for f32, 2 for f64.
    width: u32,
    // step = mantissa · 2^exponent, with a mantissa of 24 bits or 0.
    step: u32,
    exponent: i32,
    // The first missing value as a display value.
    missing: u32,
    unused: vec2<u32>,
}

@group(0) @binding(0) var<uniform> params: Params;
// A page: where each chunk's payload begins, rate bytes, payload.
@group(0) @binding(1) var<storage, read> page: array<u32>;
@group(0) @binding(2) var<storage, read_write> values: array<u32>;
// Kind, sum of rates << 8, bytes << 16 of each element's tile.
@group(0) @binding(3) var<storage, read_write> tiles: array<u32>;

const CONSTANT = 1u;
const VERBATIM = 2u;
const BITMAP = 63u;

var<workgroup> scan: array<u32, 256>;
var<workgroup> codes: array<u32, 256>;
var<workgroup> listed_at: array<u32, 256>;
var<workgroup> tile_facts: u32;

fn wide(a: u32, b: u32) -> vec2<u32> {
    let al = a & 0xffffu;
    let ah = a >> 16u;
    let bl = b & 0xffffu;
    let bh = b >> 16u;
    let low = al * bl;
    let middle = ah * bl + (low >> 16u);
    let other = al * bh + (middle & 0xffffu);
    return vec2(a * b, ah * bh + (middle >> 16u) + (other >> 16u));
}

fn start_of(run: u32) -> vec2<u32> {
    var at = wide(run, params.stride.x);
    at.y += run * params.stride.y;
    let low = at.x + params.first.x;
    at.y += params.first.y + select(0u, 1u, low < at.x);
    return vec2(low, at.y);
}

fn rate(tile: u32, block: u32) -> u32 {
    let word = page[params.chunks + 2u * tile + block / 4u];
    return word >> (8u * (block % 4u)) & 0xffu;
}

fn escape_field(tile: u32) -> u32 {
    var field = 0u;
    for (var k = 1u; k < 8u; k++) {
        field |= (rate(tile, k) >> 5u) << (3u * (k - 1u));
    }
    return field;
}

fn coded_words(tile: u32) -> u32 {
    var words = rate(tile, 0u) >> 6u & 1u;
    for (var k = 0u; k < 8u; k++) {
        let r = rate(tile, k) & 31u;
        words += select(0u, r + 1u, r > 0u);
    }
    return words;
}

fn pattern_words(field: u32) -> u32 {
    return select(0u, params.width, (field >> 2u & 3u) == 3u);
}

fn mask_words(ends: u32) -> u32 {
    return select((ends + 3u) / 4u, 8u, ends == BITMAP);
}

fn escape_words(tile: u32, field: u32) -> u32 {
    let kind = field & 3u;
    if kind == VERBATIM {
        return params.width * select(256u, params.last_count, params.tile + tile == params.last_tile);
    }
    if kind == CONSTANT {
        return pattern_words(field);
    }
    let ends = field >> 4u & 63u;
    let listed = field >> 10u & 255u;
    return select(0u, pattern_words(field), ends > 0u) + mask_words(ends)
        + (listed + 3u) / 4u + listed * params.width;
}

fn tile_words(tile: u32) -> u32 {
    var words = coded_words(tile);
    if (rate(tile, 0u) & 32u) != 0u {
        words += escape_words(tile, escape_field(tile));
    }
    return words;
}

// Inclusive sums over the workgroup, modulo 2^32.
fn sums(i: u32, value: u32) -> u32 {
    scan[i] = value;
    workgroupBarrier();
    for (var step = 1u; step < 256u; step *= 2u) {
        var before = 0u;
        if i >= step {
            before = scan[i - step];
        }
        workgroupBarrier();
        scan[i] += before;
        workgroupBarrier();
    }
    let sum = scan[i];
    workgroupBarrier();
    return sum;
}

// An f64 as the nearest f32; below the smallest normal f32 it is a zero.
fn narrow(low: u32, high: u32) -> u32 {
    let sign = high & 0x80000000u;
    let exponent = i32(high >> 20u & 0x7ffu) - 1023;
    var mantissa = (high & 0xfffffu) << 3u | low >> 29u;
    if exponent == 1024 {
        let nan = (high & 0xfffffu) != 0u || low != 0u;
        return sign | 0x7f800000u | select(0u, 0x400000u | mantissa, nan);
    }
    let rest = low & 0x1fffffffu;
    if rest > 0x10000000u || (rest == 0x10000000u && (mantissa & 1u) != 0u) {
        mantissa += 1u;
    }
    // A mantissa rounded up to 2^23 carries into the exponent.
    let biased = exponent + 127 + i32(mantissa >> 23u);
    if biased <= 0 {
        return sign;
    }
    if biased >= 255 {
        return sign | 0x7f800000u;
    }
    return sign | u32(biased) << 23u | (mantissa & 0x7fffffu);
}

fn element(at: u32) -> u32 {
    if params.width == 1u {
        return page[at];
    }
    return narrow(page[at], page[at + 1u]);
}

// `code` rounded to 24 bits, times the step, rounded to 24 bits; both to nearest, ties to even.
fn dequantize(code: u32) -> u32 {
    let sign = code & 0x80000000u;
    if code == 0u {
        return 0u;
    }
    if params.step == 0u {
        return sign;
    }
    var m = select(code, 0u - code, sign != 0u);
    var exponent = params.exponent;
    let bits = 32u - countLeadingZeros(m);
    if bits > 24u {
        let cut = bits - 24u;
        let rest = m & ((1u << cut) - 1u);
        let half = 1u << (cut - 1u);
        m >>= cut;
        m += select(0u, 1u, rest > half || (rest == half && (m & 1u) != 0u));
        exponent += i32(cut);
        if m == 0x1000000u {
            m = 0x800000u;
            exponent += 1;
        }
    } else {
        m <<= 24u - bits;
        exponent -= i32(24u - bits);
    }
    let p = wide(m, params.step);
    // 47 or 48 bits: 23 or 24 of them are cut.
    let cut = select(23u, 24u, p.y >= 0x8000u);
    var r = p.y << (32u - cut) | p.x >> cut;
    let rest = p.x & ((1u << cut) - 1u);
    let half = 1u << (cut - 1u);
    r += select(0u, 1u, rest > half || (rest == half && (r & 1u) != 0u));
    exponent += i32(cut);
    if r == 0x1000000u {
        r = 0x800000u;
        exponent += 1;
    }
    let biased = exponent + 150;
    if biased >= 255 {
        return sign | 0x7f800000u;
    }
    if biased <= 0 {
        return sign;
    }
    return sign | u32(biased) << 23u | (r & 0x7fffffu);
}

fn pattern_value(field: u32, at: u32) -> u32 {
    switch field >> 2u & 3u {
        case 0u: { return 0x7fc00000u; }
        case 1u: { return 0xffc00000u; }
        case 2u: { return params.missing; }
        default: { return element(at); }
    }
}

fn byte_at(at: u32, k: u32) -> u32 {
    return page[at + k / 4u] >> (8u * (k % 4u)) & 0xffu;
}

fn is_masked(at: u32, ends: u32, i: u32) -> bool {
    if ends == BITMAP {
        return (page[at + i / 32u] >> (31u - i % 32u) & 1u) != 0u;
    }
    var passed = 0u;
    for (var k = 0u; k < ends; k++) {
        passed += select(0u, 1u, byte_at(at, k) <= i);
    }
    return (passed & 1u) != 0u;
}

// The tile's kinds in the order of the legend, rates and bytes.
fn facts(tile: u32, head: u32, field: u32) -> u32 {
    var kind = head >> 7u | (head >> 6u & 1u) << 1u;
    if (head & 32u) != 0u {
        switch field & 3u {
            case CONSTANT: { kind = 4u; }
            case VERBATIM: { kind = 6u; }
            default: { kind = 5u; }
        }
    }
    var rates = 0u;
    for (var k = 0u; k < 8u; k++) {
        rates += rate(tile, k) & 31u;
    }
    return kind | rates << 8u | (8u + 4u * tile_words(tile)) << 16u;
}

@compute @workgroup_size(256)
fn decode(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) i: u32,
) {
    let w = group.x + group.y * params.groups;
    if w / params.tiles_per_run >= params.runs {
        return;
    }
    let run = params.run + w / params.tiles_per_run;
    let t = w % params.tiles_per_run;
    let start = start_of(run);
    let field_tile = (start.y << 24u | start.x >> 8u) + t;
    // Wraps below 0 in a run's first tile, for the elements before the run.
    let before = 256u * t - (start.x & 255u);
    let beyond = t > 0u && before >= params.inner;
    if beyond || field_tile < params.tile || field_tile - params.tile >= params.tiles {
        return;
    }
    let tile = field_tile - params.tile;
    let head = rate(tile, 0u);
    var field = 0u;
    if (head & 32u) != 0u {
        field = escape_field(tile);
    }

    // Where the tile's payload begins: the chunk's, and the tiles before it in the chunk.
    var words = 0u;
    if i < tile % 64u {
        words = tile_words(tile - tile % 64u + i);
    }
    let total = sums(i, words);
    if i == 255u {
        codes[0] = total;
        tile_facts = facts(tile, head, field);
    }
    workgroupBarrier();
    var at = page[tile / 64u] + codes[0];
    workgroupBarrier();

    let kind = field & 3u;
    var value: u32;
    if kind == CONSTANT {
        value = pattern_value(field, at);
    } else if kind == VERBATIM {
        value = element(at + i * params.width);
    } else {
        var mu = 0u;
        if (head & 64u) != 0u {
            mu = page[at];
            at += 1u;
        }
        var block_at = at;
        for (var k = 0u; k < 8u; k++) {
            let r = rate(tile, k) & 31u;
            let size = select(0u, r + 1u, r > 0u);
            block_at += select(0u, size, k < i / 32u);
            at += size;
        }
        let r = rate(tile, i / 32u) & 31u;
        let place = 31u - i % 32u;
        var residual = 0u;
        for (var plane = 0u; plane < r; plane++) {
            residual |= (page[block_at + 1u + plane] >> place & 1u) << plane;
        }
        if r > 0u && (page[block_at] >> place & 1u) != 0u {
            residual = 0u - residual;
        }
        var code = sums(i, residual);
        if (head & 128u) != 0u {
            code = sums(i, code);
        }
        code += mu;
        if field != 0u {
            code = spread(i, code, at, field);
        }
        value = dequantize(code);
        if field != 0u {
            value = escaped(i, at, field, value);
        }
    }
    // Wraps to more than any run for the elements before it.
    let r = before + i;
    if r < params.inner {
        let out = run * params.inner + r;
        values[out] = value;
        tiles[out] = tile_facts;
    }
}

// The chain's codes at the places that are not escaped. Leaves each listed place's number, from 1, or 256
// for a masked one, in `listed_at`.
fn spread(i: u32, code: u32, begin: u32, field: u32) -> u32 {
    let ends = field >> 4u & 63u;
    let listed = field >> 10u & 255u;
    let mask = begin + select(0u, pattern_words(field), ends > 0u);
    codes[i] = code;
    listed_at[i] = select(0u, 256u, ends > 0u && is_masked(mask, ends, i));
    workgroupBarrier();
    if i < listed {
        listed_at[byte_at(mask + mask_words(ends), i)] = i + 1u;
    }
    workgroupBarrier();
    let coded = select(0u, 1u, listed_at[i] == 0u);
    let rank = sums(i, coded) - coded;
    return codes[rank & 255u];
}

fn escaped(i: u32, begin: u32, field: u32, coded: u32) -> u32 {
    let number = listed_at[i];
    if number == 0u {
        return coded;
    }
    if number == 256u {
        return pattern_value(field, begin);
    }
    let ends = field >> 4u & 63u;
    let listed = field >> 10u & 255u;
    let bits = begin + select(0u, pattern_words(field), ends > 0u) + mask_words(ends)
        + (listed + 3u) / 4u;
    return element(bits + (number - 1u) * params.width);
}
