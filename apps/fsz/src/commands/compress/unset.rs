//! A warning about a mask that is set nowhere.

use fsz::{Place, Stream};

/// The warning, where a region by a mask has no element: its bound is no value's.
pub fn remark(stream: &Stream<'_>) -> Option<String> {
    let is_unset = |place: &Place| matches!(place, Place::Mask(_)) && place.elements() == 0;
    let number = stream.regions().iter().position(|region| is_unset(&region.place))?;
    let before = stream.regions()[..number].iter();
    let number = 1 + before.filter(|region| matches!(region.place, Place::Mask(_))).count();
    Some(format!("warning: mask {number} is set nowhere: no value keeps its bound"))
}
