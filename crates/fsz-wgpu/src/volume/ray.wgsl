// A volume to a picture: one ray per point of it. Rays run in the space of voxels, whose centres are at whole numbers; t
// is a length in the space of the camera, where the longest side of the field is 1. Colours are RGBA, red in the lowest
// byte; those of the picture are premultiplied. What a ray shows is `MODE`, a constant ahead of this file: drivers compile
// the loop for one mode in a part of the time that they take for all.

struct Params {
    // The ray through (a, b), each from -1 to 1 across and down the picture: origin + a · across + b · down, and its
    // direction likewise.
    origin: vec3<f32>,
    width: u32,
    origin_across: vec3<f32>,
    height: u32,
    origin_down: vec3<f32>,
    log: u32,
    direction: vec3<f32>,
    // From sample to sample.
    step: f32,
    direction_across: vec3<f32>,
    // The length that opacities are of.
    depth: f32,
    direction_down: vec3<f32>,
    iso: f32,
    // From the space of the camera to that of voxels.
    scale: vec3<f32>,
    // Whether voxels are kinds: none is between two, and each has its place in the table.
    kinds: u32,
    offset: vec3<f32>,
    // The axis that the slice is across; 3 without one.
    slice_axis: u32,
    clip_low: vec3<f32>,
    slice: f32,
    clip_high: vec3<f32>,
    slice_opacity: f32,
    size: vec3<u32>,
    // Where a value v lies on the map: (v · scale − low) / span; where `log` is set by the logarithm
    // (log2(max(v, least)) − low) / span.
    place_scale: f32,
    place_low: f32,
    place_span: f32,
    place_least: f32,
    // The point that is picked.
    picked_across: f32,
    picked_down: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var voxels: texture_3d<u32>;
@group(0) @binding(2) var bricks: texture_3d<u32>;
// 256 colours; as many opacities; and 257 numbers: how many of those before have an opacity.
@group(0) @binding(3) var<storage, read> table: array<u32>;
@group(0) @binding(4) var picture: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(4) var<storage, read_write> hit: array<u32>;

const BRICK = 8;
const COLOURS = 256u;
const LAST = 255u;
const LARGEST = 3.4028234e38;
const GREATEST_VALUE = 0u;
const COMPOSITING = 1u;
const ISOSURFACE = 2u;
// What is left of the light when nothing more is seen.
const DARK = 0.004;
const HALVINGS = 6u;
const AMBIENT = 0.25;

// The value at a place, and the share of the voxels about it that are not empty.
struct Sample {
    value: f32,
    share: f32,
}

struct Found {
    colour: vec4<f32>,
    // The place of what is seen most of, and its value.
    at: vec3<f32>,
    value: f32,
    is_there: bool,
}

fn is_empty(bits: u32) -> bool {
    return (bits & 0x7f800000u) == 0x7f800000u;
}

fn corner(at: vec3<i32>) -> Sample {
    let bits = textureLoad(voxels, at, 0).x;
    let empty = is_empty(bits);
    return Sample(select(bitcast<f32>(bits), 0.0, empty), select(1.0, 0.0, empty));
}

// Between the eight voxels about a place; those that are empty have no part in it.
fn sample(place: vec3<f32>) -> Sample {
    let last = vec3<i32>(params.size) - 1;
    let inside = clamp(place, vec3(0.0), vec3<f32>(last));
    if params.kinds != 0u {
        return corner(vec3<i32>(inside + 0.5));
    }
    let low = min(vec3<i32>(inside), max(last - 1, vec3(0)));
    let high = min(low + 1, last);
    let part = inside - vec3<f32>(low);
    let b0 = textureLoad(voxels, low, 0).x;
    let b1 = textureLoad(voxels, vec3(high.x, low.yz), 0).x;
    let b2 = textureLoad(voxels, vec3(low.x, high.y, low.z), 0).x;
    let b3 = textureLoad(voxels, vec3(high.xy, low.z), 0).x;
    let b4 = textureLoad(voxels, vec3(low.xy, high.z), 0).x;
    let b5 = textureLoad(voxels, vec3(high.x, low.y, high.z), 0).x;
    let b6 = textureLoad(voxels, vec3(low.x, high.yz), 0).x;
    let b7 = textureLoad(voxels, high, 0).x;
    let low_bits = vec4(b0, b2, b4, b6);
    let high_bits = vec4(b1, b3, b5, b7);
    let low_numbers = (low_bits & vec4(0x7f800000u)) != vec4(0x7f800000u);
    let high_numbers = (high_bits & vec4(0x7f800000u)) != vec4(0x7f800000u);
    let low_values = select(vec4(0.0), bitcast<vec4<f32>>(low_bits), low_numbers);
    let high_values = select(vec4(0.0), bitcast<vec4<f32>>(high_bits), high_numbers);
    let x = mix(low_values, high_values, part.x);
    let y = mix(x.xz, x.yw, part.y);
    let value = mix(y.x, y.y, part.z);
    if all(low_numbers) && all(high_numbers) {
        return Sample(value, 1.0);
    }
    let shares = mix(
        select(vec4(0.0), vec4(1.0), low_numbers),
        select(vec4(0.0), vec4(1.0), high_numbers),
        part.x,
    );
    let share_y = mix(shares.xz, shares.yw, part.y);
    let share = mix(share_y.x, share_y.y, part.z);
    return Sample(value / max(share, 1e-6), share);
}

// The place in the table of a value.
fn entry(value: f32) -> u32 {
    if params.kinds != 0u {
        return min(u32(max(value, 0.0)), LAST);
    }
    if params.place_span <= 0.0 {
        return (LAST + 1u) / 2u;
    }
    let linear = value * params.place_scale;
    let scaled = select(linear, log2(max(value, params.place_least)), params.log != 0u);
    let place = (scaled - params.place_low) / params.place_span;
    return u32(clamp(place, 0.0, 1.0) * f32(LAST) + 0.5);
}

fn colour_of(value: f32) -> vec3<f32> {
    return unpack4x8unorm(table[entry(value)]).rgb;
}

// Whether a brick with these values has nothing to see, where `best` is the greatest value before it.
fn is_clear(least: f32, greatest: f32, best: f32) -> bool {
    if least > greatest {
        return true;
    }
    switch MODE {
        case GREATEST_VALUE: { return greatest <= best; }
        case COMPOSITING: {
            let counts = 2u * COLOURS;
            return table[counts + entry(greatest) + 1u] == table[counts + entry(least)];
        }
        default: { return params.iso < least || params.iso > greatest; }
    }
}

fn slope(place: vec3<f32>) -> vec3<f32> {
    let here = sample(place).value;
    var found = vec3(0.0);
    for (var axis = 0u; axis < 3u; axis++) {
        var by = vec3(0.0);
        by[axis] = 1.0;
        let low = sample(place - by);
        let high = sample(place + by);
        let from_low = select(here, low.value, low.share > 0.0);
        let to_high = select(here, high.value, high.share > 0.0);
        found[axis] = to_high - from_low;
    }
    return found * params.scale;
}

fn over(seen: vec4<f32>, colour: vec3<f32>, opacity: f32) -> vec4<f32> {
    return seen + (1.0 - seen.a) * vec4(colour * opacity, opacity);
}

fn march(a: f32, b: f32) -> Found {
    var found = Found(vec4(0.0), vec3(0.0), 0.0, false);
    let towards =
        normalize(params.direction + a * params.direction_across + b * params.direction_down);
    let from_here = params.origin + a * params.origin_across + b * params.origin_down;
    let origin = from_here * params.scale + params.offset;
    let along = towards * params.scale;
    // No part of it is 0, by which it is divided.
    let direction = select(along, vec3(1e-9), abs(along) < vec3(1e-9));
    let to_low = (params.clip_low - origin) / direction;
    let to_high = (params.clip_high - origin) / direction;
    let near = min(to_low, to_high);
    let far = max(to_low, to_high);
    let begin = max(max(near.x, max(near.y, near.z)), 0.0);
    let end = min(far.x, min(far.y, far.z));
    if !(end > begin) {
        return found;
    }
    var to_slice = LARGEST;
    if params.slice_axis < 3u && MODE != GREATEST_VALUE {
        let t = (params.slice - origin[params.slice_axis]) / direction[params.slice_axis];
        to_slice = select(LARGEST, t, t >= begin && t <= end);
    }
    let count = u32(ceil((end - begin) / params.step));
    let last_brick = vec3<i32>(textureDimensions(bricks)) - 1;
    var seen = vec4(0.0);
    // The greatest value, or what the most seen part adds to the picture.
    var best = -LARGEST;
    var most = 0.0;
    var before = Sample(0.0, 0.0);
    var to_before = begin;
    // The first sample that is in another brick than the last.
    var next = 0u;
    for (var i = 0u; i < count;) {
        let first = begin + f32(i) * params.step;
        let length = min(params.step, end - first);
        let t = first + 0.5 * length;
        let place = origin + direction * t;
        if MODE != GREATEST_VALUE && t >= to_slice {
            let on_slice = origin + direction * to_slice;
            let value = sample(on_slice);
            if value.share >= 0.5 {
                let part = (1.0 - seen.a) * params.slice_opacity;
                if part > most {
                    most = part;
                    found.at = on_slice;
                    found.value = value.value;
                }
                seen = over(seen, colour_of(value.value), params.slice_opacity);
            }
            to_slice = LARGEST;
        }
        if i >= next {
            let inside = clamp(place, vec3(0.0), vec3<f32>(params.size) - 1.0);
            let brick = clamp(vec3<i32>(inside) / BRICK, vec3(0), last_brick);
            // What is outside the outermost voxels has their values.
            let low = select(vec3<f32>(brick * BRICK), vec3(-LARGEST), brick == vec3(0));
            let high = select(vec3<f32>((brick + 1) * BRICK), vec3(LARGEST), brick == last_brick);
            let ahead = (select(low, high, direction > vec3(0.0)) - origin) / direction;
            let leaves = min(min(ahead.x, min(ahead.y, ahead.z)), end);
            next = max(i + 1u, u32(max((leaves - begin) / params.step - 0.5, 0.0)) + 1u);
            let range = textureLoad(bricks, brick, 0);
            if is_clear(bitcast<f32>(range.x), bitcast<f32>(range.y), best) {
                i = next;
                before.share = 0.0;
                continue;
            }
        }
        let here = sample(place);
        if MODE == ISOSURFACE {
            if before.share < 0.5 && i > 0u {
                to_before = t - params.step;
                before = sample(origin + direction * to_before);
            }
            let crosses = (before.value < params.iso) != (here.value < params.iso);
            if before.share >= 0.5 && here.share >= 0.5 && crosses {
                var low = to_before;
                var high = t;
                for (var k = 0u; k < HALVINGS; k++) {
                    let middle = 0.5 * (low + high);
                    let value = sample(origin + direction * middle).value;
                    let same = (value < params.iso) == (before.value < params.iso);
                    low = select(low, middle, same);
                    high = select(middle, high, same);
                }
                if to_slice < high {
                    // The slice lies before the surface.
                    let value = sample(origin + direction * to_slice);
                    if value.share >= 0.5 {
                        seen = over(seen, colour_of(value.value), params.slice_opacity);
                    }
                    to_slice = LARGEST;
                }
                let surface = origin + direction * (0.5 * (low + high));
                let normal = normalize(slope(surface) + vec3(1e-30));
                let light = AMBIENT + (1.0 - AMBIENT) * abs(dot(normal, towards));
                seen = over(seen, colour_of(params.iso) * light, 1.0);
                found.at = surface;
                found.value = params.iso;
                found.is_there = true;
                break;
            }
            before = here;
            to_before = t;
        } else if here.share >= 0.5 {
            if MODE == GREATEST_VALUE {
                if here.value > best {
                    best = here.value;
                    found.at = place;
                    found.value = here.value;
                }
            } else {
                let at = entry(here.value);
                let opacity = bitcast<f32>(table[COLOURS + at]);
                if opacity > 0.0 {
                    let passes = exp2(log2(1.0 - opacity) * length / params.depth);
                    let part = (1.0 - seen.a) * (1.0 - passes);
                    if part > most {
                        most = part;
                        found.at = place;
                        found.value = here.value;
                    }
                    seen = over(seen, unpack4x8unorm(table[at]).rgb, 1.0 - passes);
                    if seen.a > 1.0 - DARK {
                        break;
                    }
                }
            }
        }
        i++;
    }
    if MODE != GREATEST_VALUE && to_slice < LARGEST && !found.is_there && seen.a <= 1.0 - DARK {
        let on_slice = origin + direction * to_slice;
        let value = sample(on_slice);
        if value.share >= 0.5 {
            if (1.0 - seen.a) * params.slice_opacity > most {
                most = (1.0 - seen.a) * params.slice_opacity;
                found.at = on_slice;
                found.value = value.value;
            }
            seen = over(seen, colour_of(value.value), params.slice_opacity);
        }
    }
    if MODE == GREATEST_VALUE && best > -LARGEST {
        seen = vec4(colour_of(best), 1.0);
        most = 1.0;
    }
    found.is_there = found.is_there || most > 0.0;
    found.colour = seen;
    return found;
}

@compute @workgroup_size(8, 8)
fn trace(@builtin(global_invocation_id) at: vec3<u32>) {
    if at.x >= params.width || at.y >= params.height {
        return;
    }
    let part = (vec2<f32>(at.xy) + 0.5) / vec2(f32(params.width), f32(params.height));
    let found = march(2.0 * part.x - 1.0, 2.0 * part.y - 1.0);
    textureStore(picture, vec2<i32>(at.xy), found.colour);
}

@compute @workgroup_size(1)
fn pick() {
    let found = march(params.picked_across, params.picked_down);
    hit[0] = select(0u, 1u, found.is_there);
    hit[1] = bitcast<u32>(found.at.x);
    hit[2] = bitcast<u32>(found.at.y);
    hit[3] = bitcast<u32>(found.at.z);
    hit[4] = bitcast<u32>(found.value);
}
