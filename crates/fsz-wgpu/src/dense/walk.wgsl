// The walk through a box from coarse grids to fine: its values, predictions and contexts (FORMAT.md, Dense:
// predict and Dense: escapes).

const WORD_BITS = 32u;

// Values of the box counted from its base, 16 bits each, two a word. Each is written once, onto zeros.
var<workgroup> box_values: array<atomic<u32>, DENSE_BOX / 2u>;
// The masked elements, a bit each.
var<workgroup> box_mask: array<atomic<u32>, DENSE_BOX / WORD_BITS>;

// Begins a box, of which no value is known and no element masked.
fn clear_box() {
    workgroupBarrier();
    for (var k = lane; k < DENSE_BOX / 2u; k += DENSE_LANES) {
        atomicStore(&box_values[k], 0u);
    }
    for (var k = lane; k < DENSE_BOX / WORD_BITS; k += DENSE_LANES) {
        atomicStore(&box_mask[k], 0u);
    }
    workgroupBarrier();
}

fn value_at(at: u32) -> i32 {
    return extractBits(i32(atomicLoad(&box_values[at / 2u])), 16u * (at % 2u), 16u);
}

fn put_value(at: u32, value: i32) {
    atomicOr(&box_values[at / 2u], (bitcast<u32>(value) & 0xffffu) << (16u * (at % 2u)));
}

fn is_masked(at: u32) -> bool {
    return (atomicLoad(&box_mask[at / WORD_BITS]) >> (at % WORD_BITS) & 1u) != 0u;
}

fn mask_element(at: u32) {
    atomicOr(&box_mask[at / WORD_BITS], 1u << (at % WORD_BITS));
}

struct Pass {
    // Its first entries in `programs`, and its steps.
    entries: u32,
    steps: u32,
    // Odd axes, and for each elements to the neighbour, and to the right one of points whose right neighbour is
    // the box's last element.
    axes: u32,
    distance: vec3<u32>,
    last: vec3<u32>,
    fine: bool,
}

fn pass_of(program: u32, number: u32) -> Pass {
    let at = program + PROGRAM_LEN + PASS_LEN * number;
    let d = at + PASS_DISTANCE;
    let l = at + PASS_LAST;
    return Pass(
        programs[program + PROGRAM_ENTRIES] + DENSE_LANES * programs[at + PASS_FIRST],
        programs[at + PASS_STEPS],
        programs[at + PASS_AXES],
        vec3(programs[d], programs[d + 1u], programs[d + 2u]),
        vec3(programs[l], programs[l + 1u], programs[l + 2u]),
        programs[at + PASS_FINE] != 0u,
    );
}

// What an axis adds to the sum of the neighbours, and how far the nearest are apart. `left_out` has bit 0 where
// the outer left one is missing, bit 1 where the outer right one is.
fn along(at: u32, distance: u32, right: u32, outer: bool, left_out: u32) -> vec2<i32> {
    let a = value_at(at - distance);
    let c = value_at(at + right);
    let difference = a - c;
    if !outer {
        return vec2(a + c, abs(difference));
    }
    // An outer neighbour that is missing lies on the quadratic through the other three: it is the other outer
    // one and three times a difference; if both are missing, they are the nearest.
    let low = (left_out & 1u) != 0u;
    let high = (left_out & 2u) != 0u;
    let three = 3u * distance;
    let e = value_at(select(at - three, select(at + three, at - distance, high), low));
    let g = value_at(select(at + three, select(at - three, at + distance, low), high));
    let bend = select(0, select(-3, 3, low) * difference, low != high);
    let edge = low || high;
    let sum = select(params.near, 9, edge) * (a + c) + select(params.far, -1, edge) * (e + g + bend);
    return vec2(sum, abs(difference));
}

// The sum of the neighbours across two axes, so far before a point and behind it along each.
fn across(at: u32, one: vec2<u32>, other: vec2<u32>) -> i32 {
    let before = at - one.x;
    let behind = at + one.y;
    return value_at(before - other.x) + value_at(before + other.y) + value_at(behind - other.x)
        + value_at(behind + other.y);
}

// The prediction of a point that is odd along several axes, from the sum of its nearest neighbours and from those
// across the axes.
fn blend(own: Pass, at: u32, right: vec3<u32>, nearest: i32) -> i32 {
    let x = vec2(own.distance.x, right.x);
    let y = vec2(own.distance.y, right.y);
    if own.axes == 2u {
        return (2 * nearest - across(at, x, y) + 2) >> 2u;
    }
    let z = vec2(own.distance.z, right.z);
    let edges = across(at, x, y) + across(at, x, z) + across(at, y, z);
    let corners = across(at - x.x, y, z) + across(at + x.y, y, z);
    return (4 * nearest - 2 * edges + corners + 4) >> 3u;
}

// The prediction of a point, and what the largest difference of its nearest neighbours counts in its context.
fn predict(own: Pass, entry: u32) -> vec2<i32> {
    let at = entry & ENTRY_POSITION;
    let edge = entry >> ENTRY_EDGE_SHIFT;
    let blended = own.axes > 1u && params.blended != 0u;
    let outer = own.fine && own.axes < 3u && params.near != 0 && !blended;
    // In the finest grid both distances are the same.
    let clamped = (vec3(edge, edge >> 1u, edge >> 2u) & vec3(1u)) != vec3(0u);
    let right = select(own.distance, own.last, clamped);
    let x = along(at, own.distance.x, right.x, outer, edge);
    var sum = x.x;
    var spread = x.y;
    if own.axes > 1u {
        let y = along(at, own.distance.y, right.y, outer, edge >> 2u);
        sum += y.x;
        spread = max(spread, y.y);
    }
    if own.axes > 2u {
        let z = along(at, own.distance.z, right.z, false, 0u);
        sum += z.x;
        spread = max(spread, z.y);
    }
    if blended {
        let counts = spread << DENSE_BLENDED_SPREAD_BITS >> params.fine;
        return vec2(blend(own, at, right, sum), counts);
    }
    let counts = spread << DENSE_SPREAD_BITS >> params.fine;
    if own.axes > 2u {
        return vec2((sum * 5461 + 16384) >> 15u, counts);
    }
    let shift = own.axes + select(0u, 3u, outer);
    return vec2((sum + (1 << (shift - 1u))) >> shift, counts);
}

// The context of a residual from what the spread of its neighbours counts and the residuals around it.
fn context_of(spread: i32, around: i32, fine: bool) -> u32 {
    let size = u32(min(spread + (around << 4u) + 16, 4095));
    let octave = firstLeadingBit(size) - 4u;
    return select(DENSE_FINE_CONTEXTS + octave, 2u * octave + (size >> (octave + 3u) & 1u), fine);
}

// The context of the flag of a point in a mask: none, some or all of its nearest neighbours are masked.
fn mask_context(own: Pass, entry: u32) -> u32 {
    let at = entry & ENTRY_POSITION;
    let edge = select(entry >> ENTRY_EDGE_SHIFT, 0u, own.fine);
    var masked = 0u;
    for (var a = 0u; a < own.axes; a++) {
        let right = select(own.distance[a], own.last[a], (edge >> a & 1u) != 0u);
        masked += select(0u, 1u, is_masked(at - own.distance[a]));
        masked += select(0u, 1u, is_masked(at + right));
    }
    let kind = select(select(1u, 2u, masked == 2u * own.axes), 0u, masked == 0u);
    return kind + select(DENSE_MASK_COARSE, DENSE_MASK_FINE, own.fine);
}
