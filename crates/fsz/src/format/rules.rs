//! What a header may not say (FORMAT.md, *Contradictions*): one table, enforced here and, generated into
//! `cuda/format/format_constants.cuh`, by the kernels. A condition is an expression that Rust and C++ read
//! alike, over fields of the header and a few functions that both sides have.

use super::{
    BOUND_ABSOLUTE, BOUND_RELATIVE, BOUND_VALUE_RANGE, DTYPE_F32, HAS_TIME_STEP, MAX_CODE,
    MOST_RELATIVE,
    fields::FixedHeader,
    relative::{RelativeFields, largest_error},
};
use crate::dtype::DType;

/// A condition that every header fulfils, over the fields in `H`.
#[derive(Clone, Copy, Debug)]
pub struct Rule<H = FixedHeader> {
    /// What is wrong with a header that does not.
    pub broken: &'static str,
    /// The condition, as Rust and C++ read it.
    pub condition: &'static str,
    holds: fn(&H) -> bool,
}

macro_rules! rules {
    (@holds $header:ident $of:ident [$($field:ident)*] $condition:expr) => {{
        #[allow(unused_variables, reason = "a condition names some of the fields")]
        let $of { $($field,)* .. } = *$header;
        $condition
    }};
    (@fields $names:ident [$($field:ident)*]) => {
        /// The fields that conditions name.
        pub const $names: &[&str] = &[$(stringify!($field),)*];
    };
    ($rules:ident of $of:ident, $names:ident $fields:tt $($condition:expr, $broken:literal;)*) => {
        /// The rules, in the order in which they are checked.
        pub const $rules: &[Rule<$of>] = &[$(Rule {
            broken: $broken,
            condition: stringify!($condition),
            holds: |header| rules!(@holds header $of $fields $condition),
        },)*];

        rules! { @fields $names $fields }
    };
}

rules! {
    RULES of FixedHeader, RULE_FIELDS
    [dtype requested_bound absolute_bound quantization_step bound_kind flags elements max_abs_error min max
     nan inf missing escaped time_step]

    is_finite(requested_bound) && requested_bound > 0.0,
    "the bound requested is not a positive number";
    is_finite(absolute_bound) && absolute_bound >= 0.0,
    "the bound used is negative or not finite";
    bound_kind != BOUND_ABSOLUTE || absolute_bound == requested_bound,
    "the bound used is not the absolute bound requested";
    bound_kind != BOUND_VALUE_RANGE || absolute_bound == share_of_span(requested_bound, min, max),
    "the bound used is not the requested share of the value range";
    is_finite(quantization_step) && quantization_step >= 0.0 && is_value(dtype, quantization_step),
    "the quantization step is not a number of the element type";
    quantization_step * 0.5 <= absolute_bound,
    "the quantization step is more than twice the bound";
    is_finite(max_abs_error) && max_abs_error >= 0.0 && max_abs_error <= absolute_bound,
    "the largest error is beyond the bound";
    nan <= elements && inf <= elements - nan && missing <= elements - nan - inf,
    "more elements are NaN, infinite or missing than there are";
    nan + inf + missing <= escaped && escaped <= elements,
    "the count of escaped elements contradicts the others";
    if_else(nan + inf + missing == elements, is_no_number(min) && is_no_number(max), is_finite(min) && min <= max && is_finite(max)),
    "minimum and maximum contradict each other or the counts";
    quantization_step > 0.0 || bound_kind == BOUND_RELATIVE || (escaped == elements && max_abs_error == 0.0),
    "elements have codes but the quantization step is 0";
    (flags & HAS_TIME_STEP) != 0 || time_step == 0,
    "a time step is there that no flag announces";
}

rules! {
    RELATIVE_RULES of RelativeFields, RELATIVE_RULE_FIELDS
    [dtype requested_bound absolute_bound quantization_step min max floor linear_step max_relative_error base
     stride knee curve]

    requested_bound <= MOST_RELATIVE,
    "the relative bound is above one half";
    is_finite(floor) && floor >= 0.0,
    "the floor is negative or not finite";
    linear_step >= 0.0 && is_value(dtype, linear_step) && linear_step * 0.5 <= floor,
    "the linear step is no number of the element type from 0 to twice the floor";
    (linear_step == 0.0) == (knee == 0),
    "linear codes without a step";
    is_code(knee),
    "the knee is no code";
    is_pattern(dtype, base) && is_pattern(dtype, stride) && stride > 0,
    "logarithmic codes without a distance";
    curve <= 1,
    "patterns are neither straight nor curved";
    max_relative_error >= 0.0 && max_relative_error <= requested_bound,
    "the largest relative error is beyond the bound";
    absolute_bound == largest_error(requested_bound, floor, min, max),
    "the bound used does not follow from the relative bound";
    quantization_step == 0.0,
    "a quantization step beside a relative bound";
}

/// The first rule that a header breaks.
pub fn broken(header: &FixedHeader) -> Option<&'static Rule> {
    RULES.iter().find(|rule| !(rule.holds)(header))
}

/// The first rule that the relative part of a header breaks.
pub(super) fn broken_relative(fields: &RelativeFields) -> Option<&'static Rule<RelativeFields>> {
    RELATIVE_RULES.iter().find(|rule| !(rule.holds)(fields))
}

/// Whether a magnitude is one of a code.
fn is_code(magnitude: u32) -> bool {
    magnitude <= MAX_CODE as u32
}

/// Whether a number has no more bits than an element.
fn is_pattern(dtype: u8, number: u64) -> bool {
    dtype != DTYPE_F32 || number <= u32::MAX as u64
}

fn is_finite(value: f64) -> bool {
    value.is_finite()
}

/// Whether a number has the bits that stand for "there is none", or is one of the element type.
fn is_no_number(value: f64) -> bool {
    value.to_bits() == DType::F64.nan_pattern(false)
}

fn is_value(dtype: u8, value: f64) -> bool {
    dtype != DTYPE_F32 || value as f32 as f64 == value
}

/// The share of a value range that may overflow or not be there.
pub(crate) fn share_of_span(ratio: f64, min: f64, max: f64) -> f64 {
    let span = if max >= min { (max - min).min(f64::MAX) } else { 0.0 };
    (ratio * span).min(f64::MAX)
}

fn if_else(condition: bool, yes: bool, no: bool) -> bool {
    if condition { yes } else { no }
}
