//! The bound that each value of a stream keeps.

use fsz::{Bound, Header, Stream};
use fsz_figure::number::short;
use fsz_metrics::Limit;

/// The bound of a stream, outside of its regions.
pub fn of(header: &Header) -> Limit {
    limit(header.bound, header.absolute_bound)
}

fn limit(bound: Bound, absolute: f64) -> Limit {
    match bound {
        Bound::Relative { eps, floor } => Limit { absolute: floor, relative: eps },
        _ => absolute.into(),
    }
}

/// The bound outside of regions, and that of each region.
pub fn by_region(stream: &Stream<'_>) -> Vec<Limit> {
    let regions = stream.regions().iter();
    let own = regions.map(|region| limit(region.bound, region.absolute_bound));
    std::iter::once(of(stream.header())).chain(own).collect()
}

/// The bound of a stream for people, with those of its regions.
pub fn of_all(stream: &Stream<'_>) -> String {
    let limits = by_region(stream);
    let texts: Vec<String> = limits.into_iter().map(text).collect();
    match texts.split_first() {
        Some((outside, regions)) if !regions.is_empty() => {
            format!("{outside}; in regions {}", regions.join("; "))
        }
        _ => texts.concat(),
    }
}

/// Before an error of a certificate that may be no value's of the field: where values stand in the place of regions.
pub fn at_most(is_limit: bool) -> &'static str {
    if is_limit { "at most " } else { "" }
}

/// A bound as it was asked for, for people.
pub fn asked(bound: Bound) -> String {
    let asked = format!("{} {}", bound.kind(), short(bound.requested()));
    match bound {
        Bound::Relative { floor, .. } if floor > 0.0 => format!("{asked}, floor {}", short(floor)),
        _ => asked,
    }
}

/// A bound for people.
pub fn text(limit: Limit) -> String {
    match limit {
        Limit { absolute, relative: 0.0 } => short(absolute),
        Limit { absolute: 0.0, relative } => format!("{} of each value", short(relative)),
        Limit { absolute, relative } => {
            format!("{} of each value, or {}", short(relative), short(absolute))
        }
    }
}
