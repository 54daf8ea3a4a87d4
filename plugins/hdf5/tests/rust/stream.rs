//! The codec alone: values on standard input, their stream on standard output.
//!
//! `stream f32|f64 KxNxM KIND BOUND [MIN MAX] PROFILE [MISSING...]`, with KIND `absolute`, `range` or
//! `value_range`.

use std::{
    env,
    error::Error,
    io::{self, Read, Write},
};

use fsz::{
    Bound, Codec, CompressOptions, DType, Dense, Profile, Scalar, max_compressed_len, with_element,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = env::args().skip(1);
    let mut word = || words.next().ok_or("an argument is missing");
    let dtype: DType = word()?.parse()?;
    let shape = word()?.split('x').map(str::parse).collect::<Result<Vec<u64>, _>>()?;
    let kind = word()?;
    let bound = word()?.parse()?;
    let bound = match kind.as_str() {
        "absolute" => Bound::Absolute(bound),
        "range" => Bound::ValueRange(bound),
        "value_range" => {
            Bound::ValueRangeOf { ratio: bound, min: word()?.parse()?, max: word()?.parse()? }
        }
        _ => return Err(format!("{kind}: no kind of bound").into()),
    };
    let profile = match word()?.as_str() {
        "paper" => Profile::default(),
        "dense" => Profile::Dense(Dense::new()),
        other => return Err(format!("{other}: no profile").into()),
    };
    let mut options = CompressOptions::new(bound).profile(profile);
    for value in words {
        options = options.missing(value.parse()?);
    }
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes)?;
    let mut out = vec![0; max_compressed_len(&shape, dtype)? as usize];
    let len = with_element!(dtype, T => {
        let bits = |element: &[u8]| element.iter().rev().fold(0, |all, &b| all << 8 | u64::from(b));
        let values: Vec<T> =
            bytes.chunks_exact(size_of::<T>()).map(|e| T::from_bits64(bits(e))).collect();
        Codec::cpu().compress_into(&values, &shape, &options, &mut out)
    })?;
    io::stdout().write_all(&out[..len])?;
    Ok(())
}
