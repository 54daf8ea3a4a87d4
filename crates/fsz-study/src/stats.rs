//! Means.

/// Geometric mean; NaN of nothing.
pub fn geomean(values: impl IntoIterator<Item = f64>) -> f64 {
    mean(values.into_iter().map(f64::ln)).0.exp()
}

/// Mean and sample standard deviation (over n − 1); NaN of too few values.
pub fn mean(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let values: Vec<f64> = values.into_iter().collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
    (mean, if values.len() < 2 { f64::NAN } else { (squares / (count - 1.0)).sqrt() })
}

/// Smallest and largest; infinities the wrong way round of nothing.
pub fn range(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let nothing = (f64::INFINITY, f64::NEG_INFINITY);
    values.into_iter().fold(nothing, |(low, high), v| (low.min(v), high.max(v)))
}

/// Each once, in the order of its first appearance.
pub fn in_order<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_by_hand() {
        assert!((geomean([1.0, 100.0]) - 10.0).abs() < 1e-12);
        assert_eq!(mean([1.0, 2.0, 3.0]), (2.0, 1.0));
        assert!(mean([]).0.is_nan());
        assert!(mean([5.0]).0 == 5.0 && mean([5.0]).1.is_nan());
        assert_eq!(range([2.0, 1.0, 3.0]), (1.0, 3.0));
        assert_eq!(in_order(["b", "a", "b"].into_iter()), ["b", "a"]);
    }

    #[test]
    fn the_deviation_is_the_papers() {
        // Its ablation lists the seven fields of Miranda at 1e-2; its table of ratios sums them up.
        let (mean, deviation) = mean([32.39, 47.61, 43.36, 28.72, 29.73, 33.75, 47.67]);
        assert_eq!(
            (format!("{mean:.2}"), format!("{deviation:.2}")),
            ("37.60".into(), "8.34".into())
        );
    }
}
