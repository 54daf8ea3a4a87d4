// Decodes the chunks of which a slice has elements: one workgroup per chunk, its 32 lanes those of the coder. The
// constants of the format are in format_prelude.wgsl. The host has verified that every chunk can be decoded.

// What the words of a box's codes are.
const CODES = 0u;
const BITS = 1u;
const LOW_BITS = 2u;
const HIGH_BITS = 3u;

// The boxes of the chunk that have elements of the slice, a bit each.
var<workgroup> touched: atomic<u32>;
// Where the boxes of the chunk lie, each as the lane of its number found.
var<workgroup> chunk_boxes: array<Box, DENSE_LANES>;
var<workgroup> told: u32;
var<workgroup> running: array<u32, DENSE_LANES>;

// The box that is decoded, and whether the slice has elements of it.
var<private> own_box: Box;
var<private> wanted: bool;
// What masked elements are, where there are any.
var<private> has_mask: bool;
var<private> pattern: u32;

// Writes an element of the box, if the slice has it.
fn give(position: u32, element: u32) {
    let place = place_of(own_box, position);
    if place != NOWHERE {
        values[place] = element;
        tiles[place] = page[params.chunks + own_box.tile - params.chunk * params.chunk_tiles];
    }
}

// What lane 0 has.
fn first_of(own: u32) -> u32 {
    if lane == 0u {
        told = own;
    }
    return workgroupUniformLoad(&told);
}

// The sum of the numbers of this lane and those before, modulo 2^32.
fn sum_up_to(own: u32) -> u32 {
    running[lane] = own;
    workgroupBarrier();
    for (var step = 1u; step < DENSE_LANES; step *= 2u) {
        var before = 0u;
        if lane >= step {
            before = running[lane - step];
        }
        workgroupBarrier();
        running[lane] += before;
        workgroupBarrier();
    }
    return running[lane];
}

// What of a low word the nearest f32 of an f64 depends on, in 16 bits; and such a low word of it.
fn digest(low: u32) -> i32 {
    return i32(low >> 28u << 1u | select(0u, 1u, (low & 0x0fffffffu) != 0u));
}

fn undigested(digested: i32) -> u32 {
    return u32(digested) >> 1u << 28u | (u32(digested) & 1u);
}

fn element_of(position: u32, code: u32, words: u32) -> u32 {
    switch words {
        case CODES: {
            if has_mask && is_masked(position) {
                return pattern;
            }
            return code_value(code, params.step, params.step_exponent, 0u);
        }
        case HIGH_BITS: { return narrow(undigested(value_at(position)), code); }
        default: { return code; }
    }
}

fn difference_context(sizes: vec3<u32>) -> u32 {
    let near = min(sizes, vec3(DENSE_LORENZO_SIZE_MOST));
    let size = 3u * near.x + 2u * near.y + near.z;
    if size < 6u {
        return size;
    }
    let bits = firstLeadingBit(size);
    return min(2u * bits + (size >> (bits - 1u) & 1u), DENSE_LORENZO_CONTEXTS - 1u);
}

// Codes by Lorenzo prediction, and their elements.
fn lorenzo(base: u32, order: u32, words: u32) {
    let len = (own_box.len + DENSE_LANES - 1u) / DENSE_LANES;
    var last = 0u;
    var slope = 0u;
    var sizes = vec3(0u);
    for (var step = 0u; step < len; step++) {
        let position = lane * len + step;
        let exists = position < own_box.len;
        // Drivers compile all that is called where it is called: once is enough.
        let context = select(difference_context(sizes), DENSE_LORENZO_CONTEXTS, step == 0u);
        let more = difference(context, exists);
        if step == 0u {
            last = base + sum_up_to(u32(more));
        } else {
            let ahead = select(0u, slope, order == 2u && step >= 2u);
            slope = ahead + u32(more);
            last += slope;
            sizes = vec3(u32(abs(more)), sizes.xy);
        }
        if exists && words == LOW_BITS {
            put_value(position, digest(last));
        } else if exists && wanted {
            give(position, element_of(position, last, words));
        }
    }
}

// The mask of a box, from symbols.
fn read_mask(program: u32) {
    let entries = programs[program + PROGRAM_ENTRIES];
    let passes = programs[program + PROGRAM_PASSES];
    // The first element, the other corners, and the passes.
    for (var p = 0u; p < passes + 2u; p++) {
        let own = pass_of(program, max(p, 2u) - 2u);
        let steps = select(1u, own.steps, p >= 2u);
        for (var s = 0u; s < steps; s++) {
            var entry = programs[select(entries, own.entries + DENSE_LANES * s, p >= 2u) + lane];
            var context = DENSE_MASK_FIRST;
            if p == 0u {
                entry = select(ENTRY_IDLE, 0u, lane == 0u);
            } else if p == 1u {
                context = DENSE_MASK_CORNERS + select(0u, 1u, is_masked(0u));
            } else {
                context = mask_context(own, entry);
            }
            if flag(context, (entry & ENTRY_IDLE) == 0u) {
                mask_element(entry & ENTRY_POSITION);
            }
            workgroupBarrier();
        }
    }
}

// Whether the lane has a residual at an entry.
fn is_coded(entry: u32) -> bool {
    return (entry & ENTRY_IDLE) == 0u && !(has_mask && is_masked(entry & ENTRY_POSITION));
}

// The values of an interpolated box.
fn interpolate(program: u32) {
    let entries = programs[program + PROGRAM_ENTRIES];
    let corner = programs[entries + lane];
    let corner_value = residual(DENSE_CORNERS, is_coded(corner)) << params.fine;
    if (corner & ENTRY_IDLE) == 0u {
        put_value(corner & ENTRY_POSITION, corner_value);
    }
    let passes = programs[program + PROGRAM_PASSES];
    var pass_is_fine = false;
    if lane < passes {
        pass_is_fine = programs[program + PROGRAM_LEN + PASS_LEN * lane + PASS_FINE] != 0u;
    }
    let flag_context = DENSE_PASS_FLAGS + select(1u, 0u, pass_is_fine);
    let flags = ballots(flag(flag_context, lane < passes), false).x;
    let around = programs[program + PROGRAM_AROUND] != 0u;
    var size = 0;
    tell_size(size);
    workgroupBarrier();
    for (var p = 0u; p < passes; p++) {
        let own = pass_of(program, p);
        let coded = (flags >> p & 1u) != 0u;
        var next = programs[own.entries + lane];
        for (var s = 0u; s < own.steps; s++) {
            // The next entry is on its way while this one is worked on.
            let entry = next;
            next = programs[own.entries + DENSE_LANES * (s + 1u) + lane];
            let point = predict(own, entry);
            var found = 0;
            if coded {
                let near = select(0, sizes_around(size), around);
                found = residual(context_of(point.y, near, own.fine), is_coded(entry));
            }
            if (entry & ENTRY_IDLE) == 0u {
                put_value(entry & ENTRY_POSITION, point.x + (found << params.fine));
                size = abs(found);
            }
            tell_size(size);
            workgroupBarrier();
        }
    }
}

// A box whose record of escapes, if it has one, is at `record`; the elements of a verbatim one are at `exact`. Drivers
// compile a function anew for each of its calls: what is large is called in one place, whatever the mode is.
fn box(mode: u32, base: u32, has_record: bool, record: u32, exact: u32) {
    clear_box();
    let program = programs[own_box.shape];
    let is_exact = mode == DENSE_MODE_VERBATIM || mode == DENSE_MODE_EXACT;
    var listed = 0u;
    var positions = record + 1u;
    has_mask = false;
    if has_record && !is_exact {
        let head = page[record];
        let mask = record_mask(head);
        listed = head >> DENSE_RECORD_LISTED_SHIFT;
        positions += record_pattern_words(head);
        has_mask = mask != DENSE_MASK_NONE;
        if has_mask {
            pattern = pattern_element(head & RECORD_PATTERN, record + 1u);
        }
        if mask == DENSE_MASK_ALL {
            for (var k = lane; k < DENSE_BOX / WORD_BITS; k += DENSE_LANES) {
                atomicStore(&box_mask[k], 0xffffffffu);
            }
            workgroupBarrier();
        }
        if mask == DENSE_MASK_CODED {
            read_mask(program);
        }
    }
    var own = base;
    if !is_exact && mode != DENSE_MODE_FLAT {
        own += first_of(u32(difference(DENSE_LORENZO_CONTEXTS, lane == 0u)));
    }
    let interpolated = mode == DENSE_MODE_INTERPOLATED;
    if interpolated {
        interpolate(program);
    } else if mode != DENSE_MODE_VERBATIM && mode != DENSE_MODE_FLAT {
        let order = select(1u, 2u, mode == DENSE_MODE_LORENZO_2);
        var words = CODES;
        var end = CODES + 1u;
        if is_exact {
            own = 0u;
            words = select(LOW_BITS, BITS, params.width == 1u);
            end = words + params.width;
        }
        for (; words < end; words++) {
            lorenzo(own, order, words);
        }
    }
    if !wanted {
        return;
    }
    // All elements but those that Lorenzo prediction has given; then the listed ones, which come in the place of others.
    let fine = select(0u, params.fine, interpolated);
    let unit = select(params.step, params.lattice, interpolated);
    let exponent = select(params.step_exponent, params.lattice_exponent, interpolated);
    let given = !interpolated && mode != DENSE_MODE_VERBATIM && mode != DENSE_MODE_FLAT;
    let bits = positions + (listed + 1u) / 2u;
    for (var round = 0u; round < 2u; round++) {
        let count = select(select(own_box.len, 0u, given), listed, round == 1u);
        for (var k = lane; k < count; k += DENSE_LANES) {
            var at = k;
            var found = pattern;
            if round == 1u || mode == DENSE_MODE_VERBATIM {
                found = element(select(exact, bits, round == 1u) + k * params.width);
            } else if !(has_mask && is_masked(k)) {
                // The values of a flat box are zeros.
                found = code_value((own << fine) + u32(value_at(k)), unit, exponent, fine);
            }
            if round == 1u {
                at = extractBits(page[positions + k / 2u], 16u * (k % 2u), 16u);
            }
            give(at, found);
        }
        storageBarrier();
    }
}

const RECORD_PATTERN = (1u << DENSE_RECORD_MASK_SHIFT) - 1u;
const RECORD_MASK = 3u;
const HEAD_WORD_BOXES = WORD_BITS / DENSE_HEAD_BOX_BITS;

fn record_mask(head: u32) -> u32 {
    return head >> DENSE_RECORD_MASK_SHIFT & RECORD_MASK;
}

fn record_pattern_words(head: u32) -> u32 {
    let given = record_mask(head) != DENSE_MASK_NONE && (head & RECORD_PATTERN) == PATTERN_IN_PAYLOAD;
    return select(0u, params.width, given);
}

fn record_words(head: u32) -> u32 {
    let listed = head >> DENSE_RECORD_LISTED_SHIFT;
    return 1u + record_pattern_words(head) + (listed + 1u) / 2u + listed * params.width;
}

// What the head of a chunk says of a box.
fn head_of(begin: u32, box: u32) -> u32 {
    return extractBits(
        page[begin + box / HEAD_WORD_BOXES],
        DENSE_HEAD_BOX_BITS * (box % HEAD_WORD_BOXES),
        DENSE_HEAD_BOX_BITS,
    );
}

@compute @workgroup_size(DENSE_LANES)
fn decode(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) i: u32,
) {
    lane = i;
    let chunk = group.x + group.y * params.groups;
    if chunk >= params.chunks {
        return;
    }
    let first = (params.chunk + chunk) * params.chunk_tiles;
    let boxes = min(params.chunk_tiles, params.tiles - first);
    if lane < boxes {
        chunk_boxes[lane] = box_of(first + lane);
    }
    workgroupBarrier();
    for (var k = 0u; k < boxes; k++) {
        if is_touched(chunk_boxes[k], lane) {
            atomicOr(&touched, 1u << k);
        }
    }
    let all_touched = workgroupUniformLoad(&touched);
    if all_touched == 0u {
        return;
    }

    // Records of escapes, elements of verbatim boxes, states and half words follow each other.
    let begin = page[chunk];
    let base_at = begin + (boxes + HEAD_WORD_BOXES - 1u) / HEAD_WORD_BOXES;
    var record = base_at + 1u;
    var behind = record;
    var exact_words = 0u;
    var has_states = false;
    for (var k = 0u; k < boxes; k++) {
        let head = head_of(begin, k);
        let mode = head & DENSE_HEAD_MODE;
        if (head & DENSE_HEAD_ESCAPES) != 0u {
            has_states = has_states || record_mask(page[behind]) == DENSE_MASK_CODED;
            behind += record_words(page[behind]);
        }
        if mode == DENSE_MODE_VERBATIM {
            exact_words += params.width * chunk_boxes[k].len;
        } else if mode != DENSE_MODE_FLAT {
            has_states = true;
        }
    }
    var exact = behind;
    behind += exact_words;
    if has_states {
        state = page[behind + lane];
        behind += DENSE_LANES;
    }
    halves = 2u * behind + (page[base_at] & 1u);
    let base = bitcast<u32>(bitcast<i32>(page[base_at]) >> 1u);

    // Boxes behind the last that is asked for are left out.
    let end = firstLeadingBit(all_touched) + 1u;
    for (var k = 0u; k < end; k++) {
        own_box = chunk_boxes[k];
        wanted = (all_touched >> k & 1u) != 0u;
        let head = head_of(begin, k);
        let mode = head & DENSE_HEAD_MODE;
        let has_record = (head & DENSE_HEAD_ESCAPES) != 0u;
        box(mode, base, has_record, record, exact);
        if mode == DENSE_MODE_VERBATIM {
            exact += params.width * own_box.len;
        }
        if has_record {
            record += record_words(page[record]);
        }
    }
}
