// What lanes tell each other, through the memory of the workgroup that they are.

var<private> lane: u32;

// Votes of three turns, two words each.
var<workgroup> votes: array<atomic<u32>, 6>;
var<private> turn: u32;
var<workgroup> sizes: array<i32, DENSE_LANES>;

// The lanes of which `a` is true, and those of which `b` is.
fn ballots(a: bool, b: bool) -> vec2<u32> {
    let own = 2u * turn;
    turn = (turn + 1u) % 3u;
    if lane == 0u {
        // Those of the next turn: all lanes have read what they were two turns ago.
        atomicStore(&votes[2u * turn], 0u);
        atomicStore(&votes[2u * turn + 1u], 0u);
    }
    if a {
        atomicOr(&votes[own], 1u << lane);
    }
    if b {
        atomicOr(&votes[own + 1u], 1u << lane);
    }
    workgroupBarrier();
    return vec2(atomicLoad(&votes[own]), atomicLoad(&votes[own + 1u]));
}

// Tells the other lanes the size of the last residual. They may ask for it behind the next barrier.
fn tell_size(size: i32) {
    sizes[lane] = size;
}

// Twice the size of the lane's last residual and those of the lanes before and behind.
fn sizes_around(size: i32) -> i32 {
    return 2 * size + sizes[max(lane, 1u) - 1u] + sizes[min(lane + 1u, DENSE_LANES - 1u)];
}
