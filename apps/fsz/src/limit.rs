//! The bound that each value of a stream keeps.

use fsz::{Bound, Header};
use fsz_figure::number::short;
use fsz_metrics::Limit;

/// The bound of a stream.
pub fn of(header: &Header) -> Limit {
    match header.bound {
        Bound::Relative { eps, floor } => Limit { absolute: floor, relative: eps },
        _ => header.absolute_bound.into(),
    }
}

/// The same for people.
pub fn text(limit: Limit) -> String {
    match limit {
        Limit { absolute, relative: 0.0 } => short(absolute),
        Limit { absolute: 0.0, relative } => format!("{} of each value", short(relative)),
        Limit { absolute, relative } => {
            format!("{} of each value, or {}", short(relative), short(absolute))
        }
    }
}
