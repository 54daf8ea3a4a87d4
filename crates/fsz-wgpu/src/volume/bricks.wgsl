// The least and the greatest value within each brick of voxels, for rays to pass over those that have nothing to see:
// one thread per brick. A brick ends with the first voxels of the next, so that what lies between them is within it.

@group(0) @binding(0) var voxels: texture_3d<u32>;
@group(0) @binding(1) var bricks: texture_storage_3d<rg32uint, write>;

const BRICK = 8u;
const LARGEST = 3.4028234e38;

@compute @workgroup_size(4, 4, 4)
fn reduce(@builtin(global_invocation_id) brick: vec3<u32>) {
    let size = textureDimensions(voxels);
    let begin = brick * BRICK;
    if any(begin >= size) {
        return;
    }
    let last = min(begin + BRICK, size - 1u);
    // Nothing is between these.
    var least = LARGEST;
    var greatest = -LARGEST;
    for (var z = begin.z; z <= last.z; z++) {
        for (var y = begin.y; y <= last.y; y++) {
            for (var x = begin.x; x <= last.x; x++) {
                let bits = textureLoad(voxels, vec3(x, y, z), 0).x;
                if (bits & 0x7f800000u) != 0x7f800000u {
                    least = min(least, bitcast<f32>(bits));
                    greatest = max(greatest, bitcast<f32>(bits));
                }
            }
        }
    }
    textureStore(bricks, brick, vec4(bitcast<u32>(least), bitcast<u32>(greatest), 0u, 0u));
}
