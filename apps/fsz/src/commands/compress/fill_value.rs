//! A remark about values that usually mark missing elements, where nobody named them.

use fsz::{DType, Stream};

/// Those of netCDF, of output and reanalyses of climate models (CMIP, CESM, MERRA), of Ferret, ROMS, GrADS and wgrib2, and of
/// many programs; of either sign.
const USUAL: [f64; 10] =
    [9.969209968386869e36, 1e20, 1e30, 1e15, 9.999e20, 9.99e33, 1e34, 1e35, 1e36, 1e37];
/// Those of measurements and of grids of height, land and rain. A field may well go up to 9999, so these have one sign.
const NEGATIVE: [f64; 6] = [-999.0, -9999.0, -99999.0, -32767.0, -32768.0, -9.99e8];

/// The remark, where a field's largest or smallest value is one of them: a share of such a range is no bound at all.
pub fn remark(stream: &Stream<'_>) -> Option<String> {
    let certificate = stream.certificate();
    let dtype = stream.header().dtype;
    // Fields that were converted have the values of `f32` in `f64`, too.
    let is =
        |value: f64, fill: f64| [of_type(dtype, fill), of_type(DType::F32, fill)].contains(&value);
    let usual = |value: f64| {
        USUAL.into_iter().any(|fill| is(value.abs(), fill))
            || NEGATIVE.into_iter().any(|fill| is(value, fill))
    };
    let (what, value) = [("largest", certificate.max), ("smallest", certificate.min)]
        .into_iter()
        .find(|(_, value)| usual(*value))?;
    let text = match dtype {
        _ if value.abs() < 1e6 => value.to_string(),
        DType::F64 => format!("{value:e}"),
        _ => format!("{:e}", value as f32),
    };
    Some(format!("the {what} value is {text}: if it marks missing elements, add --missing={text}"))
}

/// A value as fields of this type have it.
pub fn of_type(dtype: DType, value: f64) -> f64 {
    match dtype {
        DType::F64 => value,
        _ => f64::from(value as f32),
    }
}
