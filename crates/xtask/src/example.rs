//! The example's configurations, as measurements of its output use them: without ADIOS2's own minima and maxima,
//! which one thread would find.

use anyhow::{Context, Result};

const PLAIN: &str = include_str!("../../../plugins/adios2/examples/gray-scott/adios2-plain.xml");
const FSZ: &str = include_str!("../../../plugins/adios2/examples/gray-scott/adios2-range.xml");
const NO_STATISTICS: &str = "<parameter key=\"StatsLevel\" value=\"0\"/>";

/// Without an operator.
pub fn plain() -> Result<String> {
    let (before, after) = PLAIN.split_once("<engine type=\"BP5\"/>").context("no engine")?;
    Ok(format!("{before}<engine type=\"BP5\">{NO_STATISTICS}</engine>{after}"))
}

/// With the operator, whose parameters besides those of the example are given; for the example's `--ranged fsz`.
pub fn fsz(parameters: &[(&str, &str)]) -> Result<String> {
    let text = |(key, value)| format!("<parameter key=\"{key}\" value=\"{value}\"/>");
    let given: String = parameters.iter().copied().map(text).collect();
    let (before, after) = FSZ.split_once("</operator>").context("no operator")?;
    let config = format!("{before}{given}</operator>{after}");
    let (before, after) = config.split_once("</engine>").context("no engine")?;
    Ok(format!("{before}{NO_STATISTICS}</engine>{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_the_operators() {
        let plain = plain().expect("the example has an engine");
        assert!(plain.contains(NO_STATISTICS) && !plain.contains("<operator"));
        let given = fsz(&[("profile", "dense"), ("threads", "4")]).expect("and an operator");
        assert_eq!(given.matches(NO_STATISTICS).count(), 1);
        let operator = given.split_once("</operator>").expect("one").0;
        for parameter in
            ["key=\"accuracy\"", "key=\"profile\" value=\"dense\"", "key=\"threads\" value=\"4\""]
        {
            assert!(operator.contains(parameter), "{operator}");
        }
    }
}
