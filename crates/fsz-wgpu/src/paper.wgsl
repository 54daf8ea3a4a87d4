// Decodes the tiles that a slice touches: one workgroup per tile, one thread per element. The constants of
// the format are in format_prelude.wgsl, its numbers in float.wgsl, relative.wgsl
// and elements.wgsl.
//
// A slice is runs of consecutive elements of the field.

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
    // Logarithmic codes: the first one's pattern and the distance of the next, 64 bits; the code before it, and
    // whether patterns are curved.
    code_base: vec2<u32>,
    code_stride: vec2<u32>,
    knee: u32,
    curve: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// A page: where each chunk's payload begins, rate bytes, payload.
@group(0) @binding(1) var<storage, read> page: array<u32>;
@group(0) @binding(2) var<storage, read_write> values: array<u32>;
// Kind, sum of rates << 8, bytes << 16 of each element's tile.
@group(0) @binding(3) var<storage, read_write> tiles: array<u32>;

const WORD_BYTES = 4u;
const WORD_BITS = 32u;
const RATE_WORDS = TILE_BLOCKS / WORD_BYTES;
// A tile's elements are a power of two.
const TILE_LOG2 = countTrailingZeros(TILE);
// The kind of a tile: its variant by these two bits, or behind them the kind in its escape field.
const TILE_KIND_ORDER2 = 1u;
const TILE_KIND_CENTERED = 2u;
const TILE_KIND_ESCAPES = 4u;
// In `listed_at`, of an element under the mask.
const MASKED = 0xffffffffu;

var<workgroup> scan: array<u32, TILE>;
var<workgroup> codes: array<u32, TILE>;
var<workgroup> listed_at: array<u32, TILE>;
var<workgroup> tile_facts: u32;

fn start_of(run: u32) -> vec2<u32> {
    var at = wide(run, params.stride.x);
    at.y += run * params.stride.y;
    let low = at.x + params.first.x;
    at.y += params.first.y + select(0u, 1u, low < at.x);
    return vec2(low, at.y);
}

fn byte_at(at: u32, k: u32) -> u32 {
    return extractBits(page[at + k / WORD_BYTES], 8u * (k % WORD_BYTES), 8u);
}

// Words of so many bytes.
fn words_of(bytes: u32) -> u32 {
    return (bytes + WORD_BYTES - 1u) / WORD_BYTES;
}

fn rate_byte(tile: u32, block: u32) -> u32 {
    return byte_at(params.chunks + RATE_WORDS * tile, block);
}

fn rate(tile: u32, block: u32) -> u32 {
    return rate_byte(tile, block) & RATE_MASK;
}

// Sign word and bit-planes.
fn block_words(rate: u32) -> u32 {
    return select(0u, rate + 1u, rate > 0u);
}

fn escape_field(tile: u32) -> u32 {
    var field = 0u;
    for (var k = 1u; k <= ESCAPE_BLOCKS; k++) {
        field |= (rate_byte(tile, k) >> RATE_HIGH_SHIFT) << (ESCAPE_BITS_PER_BLOCK * (k - 1u));
    }
    return field;
}

fn kind_of(field: u32) -> u32 {
    return field >> ESCAPE_KIND_SHIFT & ESCAPE_KIND_MASK;
}

fn pattern_of(field: u32) -> u32 {
    return field >> ESCAPE_PATTERN_SHIFT & ESCAPE_PATTERN_MASK;
}

fn run_ends_of(field: u32) -> u32 {
    return field >> ESCAPE_RUN_ENDS_SHIFT & ESCAPE_RUN_ENDS_MASK;
}

fn listed_of(field: u32) -> u32 {
    return field >> ESCAPE_LISTED_SHIFT & ESCAPE_LISTED_MASK;
}

fn coded_words(tile: u32) -> u32 {
    var words = select(0u, 1u, (rate_byte(tile, 0u) & RATE_CENTERED) != 0u);
    for (var k = 0u; k < TILE_BLOCKS; k++) {
        words += block_words(rate(tile, k));
    }
    return words;
}

fn pattern_words(field: u32) -> u32 {
    return select(0u, params.width, pattern_of(field) == PATTERN_IN_PAYLOAD);
}

// The mask's pattern, of a tile with exceptions.
fn mask_pattern_words(field: u32) -> u32 {
    return select(0u, pattern_words(field), run_ends_of(field) > 0u);
}

fn mask_words(ends: u32) -> u32 {
    return select(words_of(ends), TILE / WORD_BITS, ends == MASK_BITMAP);
}

fn escape_words(tile: u32, field: u32) -> u32 {
    let kind = kind_of(field);
    if kind == KIND_VERBATIM {
        return params.width * select(TILE, params.last_count, params.tile + tile == params.last_tile);
    }
    if kind == KIND_CONSTANT {
        return pattern_words(field);
    }
    let listed = listed_of(field);
    return mask_pattern_words(field) + mask_words(run_ends_of(field)) + words_of(listed)
        + listed * params.width;
}

fn tile_words(tile: u32) -> u32 {
    var words = coded_words(tile);
    if (rate_byte(tile, 0u) & RATE_ESCAPES) != 0u {
        words += escape_words(tile, escape_field(tile));
    }
    return words;
}

// Inclusive sums over the workgroup, modulo 2^32.
fn sums(i: u32, value: u32) -> u32 {
    scan[i] = value;
    workgroupBarrier();
    for (var step = 1u; step < TILE; step *= 2u) {
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

fn is_masked(at: u32, ends: u32, i: u32) -> bool {
    if ends == MASK_BITMAP {
        return extractBits(page[at + i / WORD_BITS], WORD_BITS - 1u - i % WORD_BITS, 1u) != 0u;
    }
    var passed = 0u;
    for (var k = 0u; k < ends; k++) {
        passed += select(0u, 1u, byte_at(at, k) <= i);
    }
    return (passed & 1u) != 0u;
}

// The tile's kind, rates and bytes.
fn facts(tile: u32, head: u32, field: u32) -> u32 {
    var tile_kind = select(0u, TILE_KIND_ORDER2, (head & RATE_ORDER2) != 0u)
        | select(0u, TILE_KIND_CENTERED, (head & RATE_CENTERED) != 0u);
    if (head & RATE_ESCAPES) != 0u {
        tile_kind = TILE_KIND_ESCAPES + kind_of(field);
    }
    var rates = 0u;
    for (var k = 0u; k < TILE_BLOCKS; k++) {
        rates += rate(tile, k);
    }
    return tile_kind | rates << 8u | (TILE_BLOCKS + WORD_BYTES * tile_words(tile)) << 16u;
}

@compute @workgroup_size(TILE)
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
    let field_tile = (start.y << (WORD_BITS - TILE_LOG2) | start.x >> TILE_LOG2) + t;
    // Wraps below 0 in a run's first tile, for the elements before the run.
    let before = TILE * t - start.x % TILE;
    let beyond = t > 0u && before >= params.inner;
    if beyond || field_tile < params.tile || field_tile - params.tile >= params.tiles {
        return;
    }
    let tile = field_tile - params.tile;
    let head = rate_byte(tile, 0u);
    var field = 0u;
    if (head & RATE_ESCAPES) != 0u {
        field = escape_field(tile);
    }

    // Where the tile's payload begins: the chunk's, and the tiles before it in the chunk.
    var words = 0u;
    if i < tile % CHUNK_TILES {
        words = tile_words(tile - tile % CHUNK_TILES + i);
    }
    let total = sums(i, words);
    if i == TILE - 1u {
        codes[0] = total;
        tile_facts = facts(tile, head, field);
    }
    workgroupBarrier();
    var at = page[tile / CHUNK_TILES] + codes[0];
    workgroupBarrier();

    let kind = kind_of(field);
    var value: u32;
    if kind == KIND_CONSTANT {
        value = pattern_element(pattern_of(field), at);
    } else if kind == KIND_VERBATIM {
        value = element(at + i * params.width);
    } else {
        var mu = 0u;
        if (head & RATE_CENTERED) != 0u {
            mu = page[at];
            at += 1u;
        }
        var block_at = at;
        for (var k = 0u; k < TILE_BLOCKS; k++) {
            let size = block_words(rate(tile, k));
            block_at += select(0u, size, k < i / BLOCK);
            at += size;
        }
        let r = rate(tile, i / BLOCK);
        let place = BLOCK - 1u - i % BLOCK;
        var residual = 0u;
        for (var plane = 0u; plane < r; plane++) {
            residual |= (page[block_at + 1u + plane] >> place & 1u) << plane;
        }
        if r > 0u && (page[block_at] >> place & 1u) != 0u {
            residual = 0u - residual;
        }
        var code = sums(i, residual);
        if (head & RATE_ORDER2) != 0u {
            code = sums(i, code);
        }
        code += mu;
        if field != 0u {
            code = spread(i, code, at, field);
        }
        value = code_value(code, params.step, params.exponent, 0u);
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

// The chain's codes at the places that are not escaped. Leaves each listed place's number, from 1, or
// MASKED, in `listed_at`.
fn spread(i: u32, code: u32, begin: u32, field: u32) -> u32 {
    let ends = run_ends_of(field);
    let mask = begin + mask_pattern_words(field);
    codes[i] = code;
    listed_at[i] = select(0u, MASKED, ends > 0u && is_masked(mask, ends, i));
    workgroupBarrier();
    if i < listed_of(field) {
        listed_at[byte_at(mask + mask_words(ends), i)] = i + 1u;
    }
    workgroupBarrier();
    let coded = select(0u, 1u, listed_at[i] == 0u);
    let rank = sums(i, coded) - coded;
    return codes[rank % TILE];
}

fn escaped(i: u32, begin: u32, field: u32, coded: u32) -> u32 {
    let number = listed_at[i];
    if number == 0u {
        return coded;
    }
    if number == MASKED {
        return pattern_element(pattern_of(field), begin);
    }
    let bits = begin + mask_pattern_words(field) + mask_words(run_ends_of(field))
        + words_of(listed_of(field));
    return element(bits + (number - 1u) * params.width);
}
