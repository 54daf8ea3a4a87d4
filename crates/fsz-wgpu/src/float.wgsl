// Floating-point numbers as words. Everything is integer arithmetic, the last multiplication too: graphics cards
// may flush subnormal numbers, fuse operations and round conversions as they like, and the bits shall be
// those of FORMAT.md.

// The product of two words, low word first.
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

// A difference of 64 bits.
fn minus(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
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

// `code` rounded to 24 bits, times unit · 2^unit_exponent, rounded to 24 bits; both to nearest, ties to even.
// `unit` has 24 bits or is 0.
fn dequantize(code: u32, unit: u32, unit_exponent: i32) -> u32 {
    let sign = code & 0x80000000u;
    if code == 0u {
        return 0u;
    }
    if unit == 0u {
        return sign;
    }
    var m = select(code, 0u - code, sign != 0u);
    var exponent = unit_exponent;
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
    let p = wide(m, unit);
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
