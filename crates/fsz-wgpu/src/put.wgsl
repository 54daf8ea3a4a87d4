// Elements of a region to their places in a slice of the field, with what is known of their tiles: one thread each.

@group(0) @binding(0) var<storage, read> places: array<u32>;
@group(0) @binding(1) var<storage, read> values: array<u32>;
@group(0) @binding(2) var<storage, read> tiles: array<u32>;
@group(0) @binding(3) var<storage, read_write> slice_values: array<u32>;
@group(0) @binding(4) var<storage, read_write> slice_tiles: array<u32>;

// The place of an element that the slice does not have.
const NO_PLACE = 0xffffffffu;

@compute @workgroup_size(256)
fn put(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = (group.y * groups.x + group.x) * 256u + thread;
    if i >= arrayLength(&places) {
        return;
    }
    let place = places[i];
    if place != NO_PLACE {
        slice_values[place] = values[i];
        slice_tiles[place] = tiles[i];
    }
}
