// Values, or errors, to a picture: one thread per point of the picture. Colours are RGBA, red in the lowest
// byte. The constants of the format are in format_prelude.wgsl.

struct Params {
    // Bits of the missing values.
    missing: vec4<u32>,
    missing_count: u32,
    // Of the picture.
    width: u32,
    height: u32,
    // Every how many points of the slice one is drawn, and the points of a row of it, and all of them.
    step: u32,
    columns: u32,
    count: u32,
    // 0 values, 1 values by their logarithm, 2 signed errors over ± limit, 3 absolute ones over 0 to limit,
    // 4 relative ones by their logarithm over six decades up to 1.
    mode: u32,
    // Whether the values are errors already.
    given: u32,
    // Tiles laid over: 0 no, 1 kinds, 2 rates, 3 bytes.
    overlay: u32,
    // Rates or bytes of the tile that takes the last colour.
    most: u32,
    // Whether errors beyond the limit are alarming.
    has_bound: u32,
    // Where a value v lies on the map: (v · scale − low) / span; by the logarithm
    // (log2(max(v, least)) − low) / span.
    scale: f32,
    low: f32,
    span: f32,
    least: f32,
    // The error of the last colour, and the same as a share of the original where that is more.
    limit: f32,
    share: f32,
    // Share of the overlay, 0 to 1.
    opacity: f32,
    // Of NaN, missing values, errors beyond the bound, and points outside the field.
    nan_colour: u32,
    missing_colour: u32,
    alarm_colour: u32,
    outside_colour: u32,
    // Of +Inf and -Inf, where values are painted.
    infinite_colour: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> values: array<u32>;
@group(0) @binding(2) var<storage, read> originals: array<u32>;
@group(0) @binding(3) var<storage, read> tiles: array<u32>;
// Colours of the map, as many of rates and bytes, and those of the tiles' kinds.
@group(0) @binding(4) var<storage, read> table: array<u32>;
@group(0) @binding(5) var picture: texture_storage_2d<rgba8unorm, write>;

const LOG10_OF_2 = 0.30103;
const COLOURS = 256u;
const LAST = COLOURS - 1u;

fn is_nan(bits: u32) -> bool {
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

fn is_infinite(bits: u32) -> bool {
    return (bits & 0x7fffffffu) == 0x7f800000u;
}

fn is_zero(bits: u32) -> bool {
    return (bits & 0x7fffffffu) == 0u;
}

fn is_missing(bits: u32) -> bool {
    var found = false;
    for (var i = 0u; i < params.missing_count; i++) {
        found = found || bits == params.missing[i];
    }
    return found;
}

fn on_map(place: f32) -> u32 {
    return table[u32(clamp(place, 0.0, 1.0) * f32(LAST) + 0.5)];
}

fn value_colour(bits: u32) -> u32 {
    if is_nan(bits) {
        return params.nan_colour;
    }
    if is_infinite(bits) {
        return params.infinite_colour;
    }
    if params.span <= 0.0 {
        return on_map(0.5);
    }
    let value = bitcast<f32>(bits);
    let scaled = select(value * params.scale, log2(max(value, params.least)), params.mode == 1u);
    return on_map((scaled - params.low) / params.span);
}

// What is kept bit for bit, NaN among it, has no error.
fn error_colour(bits: u32, original: u32) -> u32 {
    var error = 0.0;
    if params.given != 0u {
        if is_nan(bits) || is_infinite(bits) {
            return params.alarm_colour;
        }
        error = bitcast<f32>(bits);
    } else if bits != original {
        if is_nan(bits) || is_nan(original) || is_infinite(bits) || is_infinite(original) {
            return params.alarm_colour;
        }
        error = bitcast<f32>(bits) - bitcast<f32>(original);
    }
    var limit = params.limit;
    if !is_nan(original) && !is_infinite(original) {
        limit = max(limit, params.share * abs(bitcast<f32>(original)));
    }
    if params.has_bound != 0u && abs(error) > limit {
        return params.alarm_colour;
    }
    if params.mode == 4u {
        if error == 0.0 {
            return table[0];
        }
        if is_nan(original) || is_infinite(original) || is_zero(original) {
            return table[select(LAST, 0u, is_infinite(original))];
        }
        let decades = (log2(abs(error)) - log2(abs(bitcast<f32>(original)))) * LOG10_OF_2;
        return on_map((decades + 6.0) / 6.0);
    }
    let share = select(0.0, error / limit, limit > 0.0);
    return on_map(select(abs(share), 0.5 + 0.5 * share, params.mode == 2u));
}

fn on_scale(number: u32) -> u32 {
    return table[COLOURS + min(number, params.most) * LAST / max(params.most, 1u)];
}

fn overlay_colour(facts: u32) -> u32 {
    switch params.overlay {
        case 1u: { return table[2u * COLOURS + (facts & 0xffu)]; }
        case 2u: { return on_scale(facts >> 8u & 0xffu); }
        default: { return on_scale(facts >> 16u); }
    }
}

@compute @workgroup_size(16, 16)
fn paint(@builtin(global_invocation_id) at: vec3<u32>) {
    if at.x >= params.width || at.y >= params.height {
        return;
    }
    let i = at.y * params.step * params.columns + at.x * params.step;
    var colour = params.outside_colour;
    if i < params.count {
        let bits = values[i];
        let original = originals[i];
        if is_missing(select(original, bits, params.mode < 2u)) {
            colour = params.missing_colour;
        } else if params.mode < 2u {
            colour = value_colour(bits);
        } else {
            colour = error_colour(bits, original);
        }
        if params.overlay != 0u {
            let under = unpack4x8unorm(colour);
            let over = unpack4x8unorm(overlay_colour(tiles[i]));
            colour = pack4x8unorm(vec4(mix(under.rgb, over.rgb, params.opacity), 1.0));
        }
    }
    textureStore(picture, vec2<i32>(at.xy), unpack4x8unorm(colour));
}
