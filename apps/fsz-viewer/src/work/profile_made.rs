//! What another profile of FSZ makes of an original.

use std::sync::Arc;

use anyhow::Result;
use fsz::{Bound, Codec, CompressOptions, Profile, Progress};
use fsz_field::{Field, with_values};

use crate::model::document::Document;
use crate::model::number_format::{bytes, number};
use crate::work::unless_cancelled::unless_cancelled;

/// What a profile makes of the original, and the values of both; none when it is cancelled.
///
/// # Errors
/// When the profile does not take the field or the bound.
pub fn made(
    original: &Document,
    (profile, bound): (Profile, Bound),
    missing: &[f64],
    progress: &Arc<Progress>,
) -> Result<Option<(Document, [Arc<Field>; 2])>> {
    let codec = Codec::cpu();
    let mut options = CompressOptions::new(bound).profile(profile).progress(progress.clone());
    for &value in missing {
        options = options.missing(value);
    }
    let before = unless_cancelled(progress, original.values(&codec, progress))?;
    let Some(before) = before else { return Ok(None) };
    let sides = before.shape().indices()?;
    let stream = with_values!(before.values(), values => {
        codec.compress_with(ndarray::ArrayViewD::from_shape(sides, values)?, &options)
    });
    before.check()?;
    let Some(stream) = unless_cancelled(progress, stream)? else { return Ok(None) };
    let title = match bound {
        Bound::MaxBytes(_) => format!("{} in {}", profile.name(), bytes(stream.compressed_bytes())),
        _ => format!("{} at bound {}", profile.name(), number(stream.header().absolute_bound)),
    };
    let document = Document::from_stream(title, &original.path, stream)?;
    let after = unless_cancelled(progress, document.values(&codec, progress))?;
    Ok(after.map(|after| (document, [before, after])))
}

#[cfg(test)]
mod tests {
    use fsz::Dense;
    use fsz_field::Shape;

    use super::*;

    #[test]
    fn the_bound_or_the_size_is_the_same() {
        let values: Vec<f32> = (0..20_000).map(|i| (i as f32 * 0.01).sin()).collect();
        let field = Field::new(Shape::new(&[20, 25, 40]).unwrap(), values).unwrap();
        let original = Document::of_values("wave".into(), "wave".as_ref(), field);
        let dense = Profile::Dense(Dense::new());
        let of = |bound, progress: &Arc<Progress>| made(&original, (dense, bound), &[], progress);
        let (found, [before, after]) =
            of(Bound::Absolute(1e-3), &Progress::new()).unwrap().expect("a field");
        assert_eq!(found.facts.as_ref().map(|f| f.header.absolute_bound), Some(1e-3));
        assert!(found.title.starts_with("dense at bound "), "{}", found.title);
        assert!(before.shape() == after.shape());
        let size = found.compressed_bytes().unwrap() / 2;
        let (small, _) = of(Bound::MaxBytes(size), &Progress::new()).unwrap().expect("a field");
        let small = small.compressed_bytes().unwrap();
        assert!(small <= size && small > size * 8 / 10, "{small} of {size}");
        let progress = Progress::new();
        progress.cancel();
        assert!(of(Bound::Absolute(1e-3), &progress).unwrap().is_none());
        // While a compressed original is decoded.
        let ended = made(&found, (dense, Bound::Absolute(1e-3)), &[], &progress);
        assert!(ended.unwrap().is_none());
    }
}
