//! A remark about values that usually mark missing elements, where nobody named them.

use fsz::{DType, Stream};

/// Those of netCDF, of climate model output (CMIP), and of many programs.
const USUAL: [f64; 3] = [9.969209968386869e36, 1e20, 1e30];

/// The remark, where a field's largest or smallest value is one of them: a share of such a range is no bound at all.
pub fn remark(stream: &Stream<'_>) -> Option<String> {
    let certificate = stream.certificate();
    let dtype = stream.header().dtype;
    // Fields that were converted have the values of `f32` in `f64`, too.
    let is = |value: f64, fill: f64| {
        [of_type(dtype, fill), of_type(DType::F32, fill)].contains(&value.abs())
    };
    let usual = |value: f64| USUAL.into_iter().any(|fill| is(value, fill));
    let (what, value) = [("largest", certificate.max), ("smallest", certificate.min)]
        .into_iter()
        .find(|(_, value)| usual(*value))?;
    let text = match dtype {
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
