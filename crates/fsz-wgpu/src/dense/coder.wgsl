// The coder's 32 states, one a lane (FORMAT.md, Dense: coder and Dense: symbols). Every lane takes part in every
// call; lanes that are not coded have no symbol.

const FIRST_DIFFERENCE = DENSE_FINE_CONTEXTS + DENSE_COARSE_CONTEXTS;
const FIRST_FLAG = FIRST_DIFFERENCE + DENSE_LORENZO_CONTEXTS + 1u;
const SYMBOL_MASK = 0xffu;
// Residuals: the first symbol that stands for a class, and the bits of the smallest in it.
const RESIDUAL_FIRST_CLASS = 2u * DENSE_DIRECT + 1u;
const RESIDUAL_CLASS_BITS = countTrailingZeros(DENSE_DIRECT + 1u) + 1u;
const RESIDUAL_ESCAPE = DENSE_RESIDUAL_SYMBOLS - 1u;
// Differences: the same.
const DIFFERENCE_CLASS_BITS = countTrailingZeros(DENSE_LORENZO_DIRECT) + 1u;
const DIFFERENCE_ESCAPE = DENSE_DIFFERENCE_SYMBOLS - 1u;

var<private> state: u32;
// The half words of the page that were taken, and those before.
var<private> halves: u32;

// A half word for each coded lane whose state is small. Gives the lanes of which `also` is true.
fn refill(coded: bool, also: bool) -> u32 {
    let need = coded && state < DENSE_LOW;
    let votes = ballots(need, also);
    if need {
        let at = halves + countOneBits(votes.x & ((1u << lane) - 1u));
        state = state << 16u | extractBits(page[at / 2u], 16u * (at % 2u), 16u);
    }
    halves += countOneBits(votes.x);
    return votes.y;
}

// The slot that the state of the lane is in.
fn slot_of(context: u32) -> u32 {
    return slots[context << DENSE_SLOT_BITS | (state & (DENSE_SLOTS - 1u))];
}

fn symbol_of(slot: u32) -> u32 {
    return slot >> SLOT_SYMBOL_SHIFT & SYMBOL_MASK;
}

// Takes the symbol of a slot from the state.
fn take(slot: u32, coded: bool) {
    let next = (slot & SLOT_FREQUENCY) * (state >> DENSE_SLOT_BITS) + (slot >> SLOT_PLACE_SHIFT);
    state = select(state, next, coded);
}

// The raw bits from `begin` on of a lane that has `bits` of them.
fn raw(bits: u32, begin: u32) -> u32 {
    let has = bits > begin;
    let own = select(0u, min(bits - begin, DENSE_RAW_BITS), has);
    let found = state & ((1u << own) - 1u);
    state >>= own;
    _ = refill(has, false);
    return found << begin;
}

fn residual(context: u32, coded: bool) -> i32 {
    let slot = slot_of(context);
    let symbol = symbol_of(slot);
    take(slot, coded);
    let long = coded && symbol >= RESIDUAL_FIRST_CLASS;
    var found = i32(symbol) - i32(DENSE_DIRECT);
    if refill(coded, long) != 0u {
        let class_bits = symbol - RESIDUAL_FIRST_CLASS + RESIDUAL_CLASS_BITS;
        let bits = select(class_bits, DENSE_RESIDUAL_ESCAPE_BITS, symbol == RESIDUAL_ESCAPE);
        let own = raw(select(0u, bits, long), 0u);
        if long {
            let top = select(1u << (bits - 1u), 0u, symbol == RESIDUAL_ESCAPE);
            let size = i32(top + (own >> 1u));
            found = select(size, -size, (own & 1u) != 0u);
        }
    }
    return select(0, found, coded);
}

fn difference(context: u32, coded: bool) -> i32 {
    let slot = slot_of(FIRST_DIFFERENCE + context);
    let symbol = symbol_of(slot);
    take(slot, coded);
    let long = coded && symbol >= DENSE_LORENZO_DIRECT;
    var zigzag = symbol;
    if refill(coded, long) != 0u {
        let class_bits = symbol - DENSE_LORENZO_DIRECT + DIFFERENCE_CLASS_BITS - 1u;
        let escape = symbol == DIFFERENCE_ESCAPE;
        let bits = select(0u, select(class_bits, 32u, escape), long);
        var own = 0u;
        for (var begin = 0u; begin < 32u; begin += DENSE_RAW_BITS) {
            own |= raw(bits, begin);
        }
        if long {
            zigzag = select(1u << (bits & 31u), 0u, escape) | own;
        }
    }
    return select(0, i32(zigzag >> 1u) ^ -i32(zigzag & 1u), coded);
}

fn flag(context: u32, coded: bool) -> bool {
    let slot = slot_of(FIRST_FLAG + context);
    take(slot, coded);
    _ = refill(coded, false);
    return coded && symbol_of(slot) != 0u;
}
