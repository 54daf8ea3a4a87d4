// Elements of a slab to voxels: one thread per voxel, which stands for a cell of elements. What is no number, or
// missing, is no part of it; a voxel of nothing else is empty.

struct Params {
    // Voxels that the slab fills, and the first row of them.
    size: vec3<u32>,
    first_row: u32,
    // Elements that a voxel stands for along each axis, and the first plane of voxels.
    stride: vec3<u32>,
    first_plane: u32,
    // Elements of the slab, and those of a row of its buffer.
    count: vec3<u32>,
    columns: u32,
    // Where a row of the slab begins in a row of the buffer.
    offset: u32,
    // 0 their mean, 1 the largest magnitude of their errors, 2 the kind of the tile of the middle one, 3 the
    // largest magnitude.
    mode: u32,
    missing_count: u32,
    // The bits of an empty voxel: a NaN.
    empty: u32,
    // Bits of the missing values.
    missing: vec4<u32>,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> values: array<u32>;
@group(0) @binding(2) var<storage, read> originals: array<u32>;
@group(0) @binding(3) var<storage, read> tiles: array<u32>;
@group(0) @binding(4) var voxels: texture_storage_3d<r32uint, write>;

const LARGEST = 0x7f7fffffu;

fn is_number(bits: u32) -> bool {
    return (bits & 0x7f800000u) != 0x7f800000u;
}

fn is_missing(bits: u32) -> bool {
    var found = false;
    for (var i = 0u; i < params.missing_count; i++) {
        found = found || bits == params.missing[i];
    }
    return found;
}

fn at(element: vec3<u32>) -> u32 {
    return (element.z * params.count.y + element.y) * params.columns + params.offset + element.x;
}

// The magnitude of the error of an element: none where its bits are kept, the largest number where one of the two is
// none.
fn error_at(i: u32) -> u32 {
    if params.mode == 3u {
        return select(LARGEST, values[i] & 0x7fffffffu, is_number(values[i]));
    }
    if values[i] == originals[i] {
        return 0u;
    }
    if !is_number(values[i]) || !is_number(originals[i]) {
        return LARGEST;
    }
    let error = bitcast<f32>(values[i]) - bitcast<f32>(originals[i]);
    return min(bitcast<u32>(abs(error)), LARGEST);
}

@compute @workgroup_size(64)
fn gather(@builtin(global_invocation_id) voxel: vec3<u32>) {
    if any(voxel >= params.size) {
        return;
    }
    let to = voxel + vec3(0u, params.first_row, params.first_plane);
    let begin = voxel * params.stride;
    let end = min(begin + params.stride, params.count);
    if params.mode == 2u {
        let kind = tiles[at((begin + end - 1u) / 2u)] & 0xffu;
        textureStore(voxels, to, vec4(bitcast<u32>(f32(kind)), 0u, 0u, 0u));
        return;
    }
    var sum = 0.0;
    // Of numbers that are not negative the bits have their order.
    var largest = 0u;
    var found = 0.0;
    for (var z = begin.z; z < end.z; z++) {
        for (var y = begin.y; y < end.y; y++) {
            for (var x = begin.x; x < end.x; x++) {
                let i = at(vec3(x, y, z));
                if params.mode == 0u {
                    if is_number(values[i]) && !is_missing(values[i]) {
                        // A running mean: a sum of large numbers would overflow.
                        found += 1.0;
                        let value = bitcast<f32>(values[i]);
                        sum += value / found - sum / found;
                    }
                } else if !is_missing(originals[i]) {
                    found += 1.0;
                    largest = max(largest, error_at(i));
                }
            }
        }
    }
    let bits = select(largest, bitcast<u32>(sum), params.mode == 0u);
    textureStore(voxels, to, vec4(select(params.empty, bits, found > 0.0), 0u, 0u, 0u));
}
