//! Values that usually mark missing elements, where nobody named them.

use fsz::DType;

/// Those of netCDF, of output and reanalyses of climate models (CMIP, CESM, MERRA), of Ferret, ROMS, GrADS and wgrib2, and of
/// many programs; of either sign.
const USUAL: [f64; 10] =
    [9.969209968386869e36, 1e20, 1e30, 1e15, 9.999e20, 9.99e33, 1e34, 1e35, 1e36, 1e37];
/// Those of measurements and of grids of height, land and rain. A field may well go up to 9999, so these have one sign.
const NEGATIVE: [f64; 6] = [-999.0, -9999.0, -99999.0, -32767.0, -32768.0, -9.99e8];

/// Which of the ends of a field's range usually marks missing elements, as "largest" or "smallest", and the value as it is
/// written in options: a share of such a range is no bound at all.
pub fn usual_fill_value(dtype: DType, min: f64, max: f64) -> Option<(&'static str, String)> {
    // Fields that were converted have the values of `f32` in `f64`, too.
    let is =
        |value: f64, fill: f64| [of_type(dtype, fill), of_type(DType::F32, fill)].contains(&value);
    let usual = |value: f64| {
        USUAL.into_iter().any(|fill| is(value.abs(), fill))
            || NEGATIVE.into_iter().any(|fill| is(value, fill))
    };
    let (end, value) =
        [("largest", max), ("smallest", min)].into_iter().find(|(_, value)| usual(*value))?;
    let text = match dtype {
        _ if value.abs() < 1e6 => value.to_string(),
        DType::F64 => format!("{value:e}"),
        _ => format!("{:e}", value as f32),
    };
    Some((end, text))
}

/// A value as fields of this type have it.
pub fn of_type(dtype: DType, value: f64) -> f64 {
    match dtype {
        DType::F64 => value,
        _ => f64::from(value as f32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_that_is_no_value_is_told() {
        let told = |dtype, min, max| usual_fill_value(dtype, min, max);
        let of = |end, text: &str| Some((end, text.to_owned()));
        assert_eq!(told(DType::F32, 240.0, f64::from(1e20f32)), of("largest", "1e20"));
        assert_eq!(told(DType::F64, -1e20, 3.0), of("smallest", "-1e20"));
        assert_eq!(told(DType::F32, -999.0, 9999.0), of("smallest", "-999"));
        assert_eq!(
            told(DType::F64, 0.0, f64::from(9.96921e36f32)).map(|told| told.0),
            Some("largest")
        );
        assert_eq!(told(DType::F32, -998.0, 9999.0), None);
        assert_eq!(told(DType::F32, f64::NAN, f64::NAN), None);
    }
}
