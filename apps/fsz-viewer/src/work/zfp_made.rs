//! What zfp makes of an original.

use std::sync::Arc;

use anyhow::Result;
use fsz::{Codec, Progress};
use fsz_field::Field;

use crate::model::document::Document;
use crate::model::number_format::number;
use crate::model::zfp::{self, Mode};
use crate::work::unless_cancelled::unless_cancelled;

/// What zfp makes of the original, and the values of both; none when it is cancelled.
pub fn made(
    original: &Document,
    mode: Mode,
    progress: &Arc<Progress>,
) -> Result<Option<(Document, [Arc<Field>; 2])>> {
    let before = unless_cancelled(progress, original.values(&Codec::cpu(), progress))?;
    let Some(before) = before else { return Ok(None) };
    progress.begin(before.shape().elements());
    let mut seen = 0;
    let proceed = |done: u64| {
        let more = progress.advance(done - seen).is_ok();
        seen = done;
        more
    };
    let made = zfp::round_trip(&before, mode, proceed)?;
    before.check()?;
    let Some((field, bytes)) = made else { return Ok(None) };
    let mut document = Document::of_values(String::new(), &original.path, field);
    document.zfp_bytes = Some(bytes);
    document.title = match mode {
        Mode::Rate(_) => {
            format!("zfp at {:.3} bits per value", document.bits_per_value().unwrap_or(0.0))
        }
        Mode::Accuracy(bound) => format!("zfp at bound {}", number(bound)),
    };
    let after = document.values(&Codec::cpu(), progress)?;
    Ok(Some((document, [before, after])))
}

#[cfg(all(test, feature = "zfp"))]
mod tests {
    use fsz_field::Shape;

    use super::*;

    #[test]
    fn a_cancelled_zfp_is_none() {
        let field = Field::new(Shape::new(&[8, 9]).unwrap(), vec![1.0f32; 72]).unwrap();
        let original = Document::of_values("ones".into(), "ones".as_ref(), field);
        let progress = Progress::new();
        let (found, _) = made(&original, Mode::Rate(8.0), &progress).unwrap().expect("a field");
        assert_eq!((progress.done(), progress.total()), (72, 72));
        assert_eq!(found.compressed_bytes(), Some(12 + 4 + 6 * 16));
        progress.cancel();
        assert!(made(&original, Mode::Rate(8.0), &progress).unwrap().is_none());
    }
}
