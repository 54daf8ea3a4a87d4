// Elements as a page holds them. A profile has `page`, and in `params` the words of an element and the first
// missing value.

fn element(at: u32) -> u32 {
    if params.width == 1u {
        return page[at];
    }
    return narrow(page[at], page[at + 1u]);
}

// The element of a numbered pattern, or of one that is at `at`.
fn pattern_element(pattern: u32, at: u32) -> u32 {
    switch pattern {
        case PATTERN_NAN: { return QUIET_NAN; }
        case PATTERN_NEGATIVE_NAN: { return NEGATIVE_NAN; }
        case PATTERN_FIRST_MISSING: { return params.missing; }
        default: { return element(at); }
    }
}
