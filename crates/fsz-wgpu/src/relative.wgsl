// The values of codes (FORMAT.md, Quantize and Relative). A profile has in `params` the largest linear code, `knee`, and
// of logarithmic ones `code_base`, `code_stride` (64 bits, low word first) and `curve`.

const F32_INFINITY = 0x7f800000u;
const F32_MANTISSA = 23u;
// The high word of the greatest f64, and the bits of the mantissa in high words.
const F64_INFINITY = 0x7ff00000u;
const F64_MANTISSA = 20u;

// The value of a code, or of one of 2^fine points for each (FORMAT.md, Dense: quantize).
fn code_value(code: u32, unit: u32, unit_exponent: i32, fine: u32) -> u32 {
    let sign = code & 0x80000000u;
    let size = select(code, 0u - code, sign != 0u);
    let half = (1u << fine) >> 1u;
    // The greatest number, which stands for linear codes alone, stays above all of them.
    let knee = (params.knee << fine) + half;
    if size <= knee {
        return dequantize(code, unit, unit_exponent);
    }
    // The first point is so far from the first code.
    let number = size - knee - 1u;
    let before = (1u << fine) - half - 1u;
    if params.width == 1u {
        let y = params.code_base.x + (number - before) * (params.code_stride.x >> fine);
        return sign | curved(min(y, F32_INFINITY));
    }
    var stride = params.code_stride;
    if fine != 0u {
        stride = vec2(stride.x >> fine | stride.y << (32u - fine), stride.y >> fine);
    }
    var y = wide(number, stride.x);
    y.y += number * stride.y;
    var begin = wide(before, stride.x);
    begin.y += before * stride.y;
    begin = minus(params.code_base, begin);
    let low = y.x + begin.x;
    y = vec2(low, y.y + begin.y + select(0u, 1u, low < y.x));
    if y.y >= F64_INFINITY {
        y = vec2(0u, F64_INFINITY);
    }
    y = curved_wide(y);
    return narrow(y.x, sign | y.y);
}

// The bits at a pattern of f32.
fn curved(y: u32) -> u32 {
    if params.curve == 0u {
        return y;
    }
    let octave = 1u << F32_MANTISSA;
    let p = y & (octave - 1u);
    // The product's high word is the parabola.
    let shift = 32u - F32_MANTISSA - firstTrailingBit(CURVE_UNIT);
    return y - wide(p << shift, CURVE_SHARE * (octave - p)).y;
}

// The same of f64.
fn curved_wide(y: vec2<u32>) -> vec2<u32> {
    if params.curve == 0u {
        return y;
    }
    let octave = 1u << F64_MANTISSA;
    let p = vec2(y.x, y.y & (octave - 1u));
    let rest = minus(vec2(0u, octave), p);
    let shift = 32u - F64_MANTISSA - firstTrailingBit(CURVE_UNIT);
    let a = vec2(p.x << shift, p.y << shift | p.x >> (32u - shift));
    var b = wide(rest.x, CURVE_SHARE);
    b.y += rest.y * CURVE_SHARE;
    return minus(y, high_words(a, b));
}

// The high half of a product of 64 bits by 64.
fn high_words(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = wide(a.x, b.x).y;
    let middle = wide(a.y, b.x);
    let other = wide(a.x, b.y);
    let high = wide(a.y, b.y);
    let first = middle.x + low;
    let second = first + other.x;
    let carry = select(0u, 1u, first < low) + select(0u, 1u, second < first);
    let x = high.x + middle.y;
    let above = select(0u, 1u, x < high.x);
    let x2 = x + other.y;
    let above2 = select(0u, 1u, x2 < x);
    let x3 = x2 + carry;
    let above3 = select(0u, 1u, x3 < x2);
    return vec2(x3, high.y + above + above2 + above3);
}
