//! A remark where what is compressed was compressed before: the bound is held against that, not against the first original.

use std::path::Path;

use anyhow::Result;
use fsz::Stream;
use fsz_field::{Kind, StreamFile};
use fsz_figure::number::short;

/// The largest error that the field in a file has already, as its certificate tells; 0 where nothing tells of any.
pub fn own_error(path: &Path) -> Result<f64> {
    match Kind::of(path)? {
        Kind::Fsz => Ok(StreamFile::open(path)?.stream()?.certificate().max_abs_error),
        _ => Ok(0.0),
    }
}

/// The remark, where the input of a stream has errors of its own.
pub fn remark(path: &Path, own: f64, stream: &Stream<'_>) -> Option<String> {
    (own > 0.0).then(|| {
        let both = own + stream.certificate().max_abs_error;
        let (path, own, both) = (path.display(), short(own), short(both));
        format!(
            "{path} was compressed before, with errors of up to {own}: both together are up to {both}"
        )
    })
}
