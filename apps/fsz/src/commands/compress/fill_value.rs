//! A remark about values that usually mark missing elements, where nobody named them.

use fsz::{DType, Stream};

/// Those of netCDF, of climate model output (CMIP), and of many programs.
const USUAL: [f64; 3] = [9.969209968386869e36, 1e20, 1e30];

/// The remark, where a field's largest or smallest value is one of them: a share of such a range is no bound at all.
pub fn remark(stream: &Stream<'_>) -> Option<String> {
    let certificate = stream.certificate();
    let dtype = stream.header().dtype;
    let usual = |value: &f64| USUAL.iter().any(|fill| is(value.abs(), *fill, dtype));
    let (what, value) = [("largest", certificate.max), ("smallest", certificate.min)]
        .into_iter()
        .find(|(_, value)| usual(value))?;
    let text = match dtype {
        DType::F64 => format!("{value:e}"),
        _ => format!("{:e}", value as f32),
    };
    Some(format!("the {what} value is {text}: if it marks missing elements, add --missing={text}"))
}

/// Whether a value of a field is this one, in the field's type.
fn is(value: f64, fill: f64, dtype: DType) -> bool {
    match dtype {
        DType::F64 => value == fill,
        _ => value == f64::from(fill as f32),
    }
}
