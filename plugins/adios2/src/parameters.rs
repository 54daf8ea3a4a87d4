//! The operator's parameters, all checked while the configuration is read.

use fsz::Bound;

/// The parameters that users may write; README.md has the table.
const KNOWN: &str = "accuracy (or tolerance), mode, range_min, range_max, range, missing, backend, device, \
                     threads, verbose";
/// Most missing values that a stream can name.
const MAX_MISSING: usize = 4;

/// Where blocks are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Backend {
    /// Each where it lies: CUDA memory on its device, host memory on the CPU.
    Auto,
    /// On the CPU; CUDA memory is copied to the host.
    Cpu,
    /// On a CUDA device, host memory too.
    Cuda,
}

/// What the operator was told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Parameters {
    /// None in a reader, which is told nothing.
    pub bound: Option<Bound>,
    pub missing: Vec<f64>,
    pub backend: Backend,
    /// The CUDA device for host memory. CUDA memory has its own.
    pub device: usize,
    /// None for all of the machine's.
    pub threads: Option<usize>,
    /// 0: warnings only; 1 or more: a line for each ADIOS2 block compressed; 2 or more: with what the
    /// kernels and the copy of one in device memory took.
    pub verbose: u32,
}

impl Parameters {
    /// Reads parameters as ADIOS2 hands them over. An empty list is a reader's.
    ///
    /// # Errors
    /// A message that begins with the name of the parameter.
    pub fn parse<'a>(
        given: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Parameters, String> {
        let mut accuracy = None;
        let mut relative = false;
        let (mut range_min, mut range_max) = (None, None);
        let mut empty = true;
        let mut parsed = Parameters {
            bound: None,
            missing: Vec::new(),
            backend: Backend::Auto,
            device: 0,
            threads: None,
            verbose: 0,
        };
        for (key, value) in given {
            empty = false;
            let key = key.to_lowercase();
            let value = value.trim();
            match key.as_str() {
                // ADIOS2's own, which it passes on.
                "pluginname" | "pluginlibrary" => {}
                "accuracy" | "tolerance" => {
                    let number = number(&key, value)?;
                    if number <= 0.0 {
                        return Err(bad(&key, value, "a number above 0"));
                    }
                    if accuracy.replace(number).is_some() {
                        return Err("tolerance: another name of accuracy, give one of them".into());
                    }
                }
                "mode" => {
                    relative = match value.to_lowercase().as_str() {
                        "abs" => false,
                        "rel" => true,
                        _ => return Err(bad(&key, value, "abs or rel")),
                    }
                }
                "range_min" => range_min = Some(number(&key, value)?),
                "range_max" => range_max = Some(number(&key, value)?),
                "range" => {
                    let ends = value.split_once(',');
                    let (min, max) = ends.ok_or_else(|| bad(&key, value, "MIN,MAX"))?;
                    range_min = Some(number(&key, min.trim())?);
                    range_max = Some(number(&key, max.trim())?);
                }
                "missing" => {
                    for part in value.split(',') {
                        parsed.missing.push(missing(&key, part.trim())?);
                    }
                    if parsed.missing.len() > MAX_MISSING {
                        return Err(bad(&key, value, "at most 4 values"));
                    }
                }
                "backend" => {
                    parsed.backend = match value.to_lowercase().as_str() {
                        "auto" => Backend::Auto,
                        "cpu" => Backend::Cpu,
                        "cuda" => Backend::Cuda,
                        _ => return Err(bad(&key, value, "auto, cuda or cpu")),
                    }
                }
                "device" => {
                    let device = value.parse::<u32>();
                    let device = device.map_err(|_| bad(&key, value, "a device number from 0"))?;
                    parsed.device = device as usize;
                }
                "threads" => {
                    let threads = value.parse().ok().filter(|threads| (1..=4096).contains(threads));
                    parsed.threads =
                        Some(threads.ok_or_else(|| bad(&key, value, "a number from 1 to 4096"))?);
                }
                "verbose" => {
                    parsed.verbose =
                        value.parse().map_err(|_| bad(&key, value, "a number from 0"))?;
                }
                _ => return Err(format!("{key}: unknown parameter; known are {KNOWN}")),
            }
        }
        if empty {
            return Ok(parsed);
        }
        let accuracy =
            accuracy.ok_or("accuracy: missing; it is the largest error that a value may have")?;
        parsed.bound = Some(match (relative, range_min, range_max) {
            (true, Some(min), Some(max)) if min <= max => {
                Bound::ValueRangeOf { ratio: accuracy, min, max }
            }
            (true, Some(_), Some(_)) => return Err("range_min: above range_max".into()),
            (true, None, None) => Bound::ValueRange(accuracy),
            (true, None, _) => return Err("range_min: missing beside range_max".into()),
            (true, _, None) => return Err("range_max: missing beside range_min".into()),
            (false, None, None) => Bound::Absolute(accuracy),
            (false, Some(_), _) => return Err("range_min: goes with mode=rel only".into()),
            (false, None, Some(_)) => return Err("range_max: goes with mode=rel only".into()),
        });
        Ok(parsed)
    }
}

fn number(key: &str, value: &str) -> Result<f64, String> {
    value
        .parse::<f64>()
        .ok()
        .filter(|number| number.is_finite())
        .ok_or_else(|| bad(key, value, "a finite number"))
}

/// A missing value may be anything that a float can hold, NaN included.
fn missing(key: &str, value: &str) -> Result<f64, String> {
    value.parse().map_err(|_| bad(key, value, "numbers separated by commas"))
}

fn bad(key: &str, value: &str, wanted: &str) -> String {
    format!("{key}: {value:?} is not {wanted}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Parameters, String> {
        let pairs = text.split_whitespace().map(|pair| pair.split_once('=').unwrap());
        Parameters::parse(
            [("pluginname", "fsz"), ("pluginlibrary", "fsz_adios2")].into_iter().chain(pairs),
        )
    }

    #[test]
    fn good_ones() {
        let bound = |text| parse(text).unwrap().bound.unwrap();
        assert_eq!(bound("accuracy=1e-3"), Bound::Absolute(1e-3));
        assert_eq!(bound("Tolerance=2 mode=ABS"), Bound::Absolute(2.0));
        assert_eq!(bound("accuracy=1e-3 mode=rel backend=auto device=1"), Bound::ValueRange(1e-3));
        let ranged = Bound::ValueRangeOf { ratio: 0.5, min: -1.0, max: 3.0 };
        assert_eq!(bound("accuracy=0.5 mode=rel range_min=-1 range_max=3"), ranged);
        assert_eq!(bound("accuracy=0.5 mode=rel range=-1,3"), ranged);
        let all = parse("accuracy=1 missing=1e20,-999 threads=3 verbose=1").unwrap();
        assert_eq!((all.missing, all.threads, all.verbose), (vec![1e20, -999.0], Some(3), 1));
        assert_eq!(Parameters::parse([]).unwrap().bound, None);
        let cuda = parse("accuracy=1 backend=CUDA device=1").unwrap();
        assert_eq!((cuda.backend, cuda.device), (Backend::Cuda, 1));
        assert_eq!(parse("accuracy=1").unwrap().backend, Backend::Auto);
    }

    #[test]
    fn bad_ones_name_the_parameter() {
        for text in [
            "accuracy=",
            "accuracy=0",
            "accuracy=-1",
            "accuracy=nan",
            "accuracy=inf",
            "accuracy=1e-3x",
            "tolerance=x",
            "mode=psnr",
            "range_min=x",
            "range_max=inf",
            "range=1",
            "range=1,x",
            "missing=a,b",
            "missing=1,2,3,4,5",
            "backend=gpu",
            "device=-1",
            "threads=0",
            "threads=x",
            "verbose=loud",
            "precision=3",
            "rate=4",
        ] {
            let key = text.split_once('=').unwrap().0;
            let message = parse(text).unwrap_err();
            assert!(message.starts_with(&format!("{key}: ")), "{text}: {message}");
        }
        for (text, key) in [
            ("mode=abs", "accuracy"),
            ("accuracy=1 tolerance=1", "tolerance"),
            ("accuracy=1 range_min=0 range_max=1", "range_min"),
            ("accuracy=1 range_max=1", "range_max"),
            ("accuracy=1 mode=rel range_min=0", "range_max"),
            ("accuracy=1 mode=rel range_max=0", "range_min"),
            ("accuracy=1 mode=rel range_min=2 range_max=1", "range_min"),
        ] {
            let message = parse(text).unwrap_err();
            assert!(message.starts_with(&format!("{key}: ")), "{text}: {message}");
        }
    }
}
