// Values, or errors, to colours: a thread a point. Colours are RGBA, red in the lowest byte.

struct Params {
    count: u32,
    // 0 values, 1 signed errors over ± high.
    mode: u32,
    // Tiles laid over: 0 no, 1 kinds, 2 rates, 3 bytes.
    overlay: u32,
    has_missing: u32,
    low: f32,
    high: f32,
    missing: u32,
    // Share of the overlay, 0 to 1.
    opacity: f32,
    // Of NaN, missing values and errors beyond the bound.
    nan_colour: u32,
    missing_colour: u32,
    alarm_colour: u32,
    // Most bytes of a tile.
    most_bytes: u32,
    groups: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> values: array<u32>;
@group(0) @binding(2) var<storage, read> originals: array<u32>;
@group(0) @binding(3) var<storage, read> tiles: array<u32>;
// 256 colours of the map, 7 of the tiles' kinds, 256 of rates and bytes.
@group(0) @binding(4) var<storage, read> table: array<u32>;
@group(0) @binding(5) var<storage, read_write> picture: array<u32>;

fn is_nan(bits: u32) -> bool {
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

fn is_infinite(bits: u32) -> bool {
    return (bits & 0x7fffffffu) == 0x7f800000u;
}

fn on_map(place: f32) -> u32 {
    return table[u32(clamp(place, 0.0, 1.0) * 255.0 + 0.5)];
}

fn value_colour(bits: u32) -> u32 {
    if is_nan(bits) {
        return params.nan_colour;
    }
    if is_infinite(bits) {
        return table[select(255u, 0u, (bits >> 31u) != 0u)];
    }
    let span = params.high - params.low;
    return on_map(select(0.5, (bitcast<f32>(bits) - params.low) / span, span > 0.0));
}

fn error_colour(bits: u32, original: u32) -> u32 {
    if bits == original {
        return on_map(0.5);
    }
    if is_nan(bits) || is_nan(original) || is_infinite(bits) || is_infinite(original) {
        return params.alarm_colour;
    }
    let error = bitcast<f32>(bits) - bitcast<f32>(original);
    if abs(error) > params.high {
        return params.alarm_colour;
    }
    return on_map(select(0.5, 0.5 + 0.5 * error / params.high, params.high > 0.0));
}

fn overlay_colour(facts: u32) -> u32 {
    switch params.overlay {
        case 1u: { return table[256u + (facts & 7u)]; }
        case 2u: { return table[263u + min(facts >> 8u & 0xffu, 248u) * 255u / 248u]; }
        default: { return table[263u + min(facts >> 16u, params.most_bytes) * 255u / params.most_bytes]; }
    }
}

@compute @workgroup_size(256)
fn paint(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = (group.x + group.y * params.groups) * 256u + thread;
    if i >= params.count {
        return;
    }
    let bits = values[i];
    var colour: u32;
    if params.has_missing != 0u && bits == params.missing {
        colour = params.missing_colour;
    } else if params.mode == 1u {
        colour = error_colour(bits, originals[i]);
    } else {
        colour = value_colour(bits);
    }
    if params.overlay != 0u {
        let under = unpack4x8unorm(colour);
        let over = unpack4x8unorm(overlay_colour(tiles[i]));
        colour = pack4x8unorm(vec4(mix(under.rgb, over.rgb, params.opacity), 1.0));
    }
    picture[i] = colour;
}
