//! A field in three dimensions: from where, which part, in which colours, and how much of it fits on the GPU.

pub mod clip_box;
pub mod orbit;
pub mod order;
pub mod plan;
pub mod transfer;
pub mod unit;
pub mod volume_view;

/// Half the sides of a field in the space that it is looked at in, fastest axis first: of the longest one ½. A very thin
/// field is made thicker, or nothing of its slices would be seen.
pub fn extent(sides: [u64; 3]) -> [f32; 3] {
    let longest = sides.into_iter().max().unwrap_or(1).max(1) as f32;
    std::array::from_fn(|k| 0.5 * (sides[2 - k] as f32 / longest).max(THINNEST))
}

/// The least side of a field by its longest one.
const THINNEST: f32 = 0.125;

/// From sample to sample of a line of sight, in voxels.
pub const STEP: f32 = 0.75;

/// The place of an element in that space, by its index, slowest axis first.
pub fn place_of(sides: [u64; 3], index: [u64; 3]) -> [f32; 3] {
    let extent = extent(sides);
    std::array::from_fn(|k| {
        ((index[2 - k] as f32 + 0.5) / sides[2 - k].max(1) as f32 * 2.0 - 1.0) * extent[k]
    })
}
