//! What the example and the operator print, as numbers.

/// Where the time of a step went inside the operator; seconds and bytes, medians over steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parts {
    /// The codec's kernels, by the device's own clock.
    pub kernels: f64,
    /// The stream's way to the host.
    pub copy: f64,
    /// Bytes of that.
    pub bytes: f64,
}

impl Parts {
    /// From the operator's lines (`verbose` = 2) of `blocks` ADIOS2 blocks a step. None unless every
    /// block of at least two steps was compressed on a device: the first step does not count.
    pub fn of(said: &str, blocks: usize) -> Option<Parts> {
        // Not the summary at the end.
        let lines = said.lines().filter(|line| line.starts_with("FSZ: ") && line.contains(" ms"));
        let found: Vec<[f64; 3]> = lines
            .map(|line| {
                Some([
                    after(line, "(kernels ")?,
                    after(line, "copy to the host ")?,
                    after(line, " to ")?,
                ])
            })
            .collect::<Option<_>>()?;
        let steps: Vec<[f64; 3]> = found
            .chunks(blocks)
            .map(|step| [0, 1, 2].map(|part| step.iter().map(|block| block[part]).sum()))
            .collect();
        let [kernels, copy, bytes] = [0, 1, 2].map(|part| {
            let all: Vec<f64> = steps.iter().skip(1).map(|step| step[part]).collect();
            median(&all)
        });
        Some(Parts { kernels: kernels? * 1e-3, copy: copy? * 1e-3, bytes: bytes? })
    }
}

/// The number that follows these words.
fn after(line: &str, words: &str) -> Option<f64> {
    line.split_once(words)?.1.split([' ', ',']).next()?.parse().ok()
}

/// The middle one, the upper of two.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// A list of numbers of a flat JSON object.
pub fn numbers(json: &str, key: &str) -> Option<Vec<f64>> {
    let (_, rest) = json.split_once(&format!("\"{key}\": ["))?;
    rest.split(']').next()?.split(',').map(|number| number.trim().parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_found_by_their_key() {
        let json = r#"{"steps": 2, "put_seconds_per_step": [0.25, 0.1]}"#;
        assert_eq!(numbers(json, "put_seconds_per_step"), Some(vec![0.25, 0.1]));
        assert_eq!(numbers(json, "missing"), None);
    }

    fn line(bytes: u32, times: &str) -> String {
        format!("FSZ: U [4, 5]: 80 to {bytes} bytes, ratio 2.00, 3.000 ms{times}\n")
    }

    /// The words are those of the operator.
    #[test]
    fn the_operator_prints_such_lines() {
        let source = include_str!("../../../../plugins/adios2/src/operator/write.rs");
        for words in [
            "FSZ: {} {:?}: {} to {bytes} bytes, ratio {ratio:.2}, {all:.3} ms{parts}{like}",
            " (kernels {kernels:.3} ms, copy to the host {copy:.3} ms)",
        ] {
            assert!(source.contains(words), "{words}");
        }
    }

    #[test]
    fn blocks_are_added_up_by_step_and_the_first_step_left_out() {
        let mut said = String::from("another line\n");
        for (bytes, kernels, copy) in [(900, 90, 90), (900, 90, 90), (10, 1, 2), (20, 3, 4)] {
            let times = format!(" (kernels {kernels}.5 ms, copy to the host {copy}.25 ms)");
            said += &line(bytes, &times);
        }
        said +=
            "FSZ: variables written: 1\nFSZ: U: 4 ADIOS2 blocks, 320 to 1830 bytes, ratio 0.17\n";
        let parts = Parts::of(&said, 2).unwrap();
        assert!((parts.kernels - 5e-3).abs() < 1e-12 && (parts.copy - 6.5e-3).abs() < 1e-12);
        assert_eq!(parts.bytes, 30.0);
    }

    #[test]
    fn a_block_that_no_device_compressed_is_told_apart() {
        assert_eq!(Parts::of(&line(10, ""), 1), None);
        assert_eq!(Parts::of("", 2), None);
    }
}
