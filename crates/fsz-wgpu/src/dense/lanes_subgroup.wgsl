// What lanes tell each other, where a subgroup holds all 32 of them.

var<private> lane: u32;

// The lanes of which `a` is true, and those of which `b` is.
fn ballots(a: bool, b: bool) -> vec2<u32> {
    return vec2(subgroupBallot(a).x, subgroupBallot(b).x);
}

// Tells the other lanes the size of the last residual. They may ask for it behind the next barrier.
fn tell_size(size: i32) {}

// Twice the size of the lane's last residual and those of the lanes before and behind.
fn sizes_around(size: i32) -> i32 {
    let before = subgroupShuffle(size, max(lane, 1u) - 1u);
    let behind = subgroupShuffle(size, min(lane + 1u, DENSE_LANES - 1u));
    return 2 * size + before + behind;
}
