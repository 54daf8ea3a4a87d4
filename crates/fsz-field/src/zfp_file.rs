//! `.zfp` files, with zfp's header or without.

use std::path::Path;

use fsz::{Element, with_element};

use crate::error::{Error, Result};
use crate::field::Field;
use crate::fixed_rate::FixedRate;
use crate::hints::Hints;
use crate::kind::is_headerless_zfp;
use crate::map::map_file;
use crate::memory::zeros;
use crate::shape::Shape;
use crate::zfp::Zfp;

/// Opens a `.zfp` file and decodes it. Without a header, the hints give rate, type and shape.
pub(crate) fn open_zfp(path: &Path, hints: &Hints) -> Result<Field> {
    let map = map_file(path)?;
    let mut zfp = Zfp::from_bytes(&map);
    let field = if !is_headerless_zfp(path)? {
        zfp.decompress()
    } else if let Hints { shape: Some(shape), dtype: Some(dtype), zfp_rate: Some(rate), .. } = hints
    {
        with_element!(*dtype, T => headerless::<T>(&mut zfp, shape, *rate))
    } else {
        let reason = "a zfp stream without zfp's header: open it in fsz-viewer, which asks for rate, \
                      type and shape";
        return Err(Error::file(path, reason));
    };
    field.map_err(|e| Error::file(path, e.to_string()))
}

fn headerless<T: Element>(zfp: &mut Zfp, shape: &Shape, rate: f64) -> Result<Field> {
    // What the stream cannot hold is not worth its memory.
    FixedRate::within(shape, T::DTYPE, rate, zfp.bytes().len() as u64)?;
    let mut values = zeros::<T>(shape)?;
    zfp.decompress_headerless_into(shape, rate, &mut values)?;
    Field::new(shape.clone(), values)
}
