//! The operator's parameters, all checked when an operator is created.

mod bound_name;

use std::path::PathBuf;

use fsz::{
    Bound, BoxRanges, Profile,
    format::{MAX_MISSING, MAX_REGIONS, MOST_RELATIVE},
};

use bound_name::BoundName;

/// Where blocks are compressed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Backend {
    /// Where the data is: CUDA memory on its device, host memory on the CPU.
    #[default]
    Auto,
    /// On the CPU; CUDA memory is copied to the host.
    Cpu,
    /// On a CUDA device, host memory too.
    Cuda,
}

/// When the profile chooses layout, prediction and tables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Choose {
    /// For every ADIOS2 block.
    #[default]
    Each,
    /// Where the field has changed; else steps are coded like an earlier one.
    Changed,
}

/// The operator's parameters.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Parameters {
    /// None in a reader, which gets no parameters, and where a bound is to come with the variable.
    pub bound: Option<Bound>,
    pub missing: Vec<f64>,
    /// Boxes of the global array, or of a local one, with a bound of their own each.
    pub boxes: Vec<(BoxRanges, f64)>,
    /// Files of masks of the global array, or of a local one, with a bound of their own each.
    pub masks: Vec<(PathBuf, f64)>,
    pub profile: Profile,
    pub choose: Choose,
    pub backend: Backend,
    /// The CUDA device for host memory. CUDA memory has its own.
    pub device: usize,
    /// None for all of the machine's.
    pub threads: Option<usize>,
    /// 0: warnings only; 1 or more: a line for each ADIOS2 block compressed; 2 or more: with the time of
    /// the kernels and of the copy of one in device memory.
    pub verbose: u32,
}

impl Parameters {
    /// Reads parameters as ADIOS2 passes them. An empty list is a reader's.
    ///
    /// # Errors
    /// A message that begins with the name of the parameter.
    pub fn parse<'a>(
        given: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Parameters, String> {
        let mut request = Request::default();
        for (key, value) in given {
            let (key, value) = (key.to_lowercase(), value.trim());
            if OWN_OF_ADIOS2.contains(&key.as_str()) {
                continue;
            }
            let parameter = PARAMETERS.iter().find(|p| p.names.contains(&key.as_str()));
            let parameter = parameter
                .ok_or_else(|| format!("{key}: unknown parameter; known are {}", known()))?;
            (parameter.set)(&mut request, value).ok_or_else(|| parameter.refuse(&key, value))?;
            if let Some(name) = BoundName::of(&key) {
                request.named.push((name, value.to_owned()));
            }
        }
        Ok(Parameters { bound: request.bound()?, ..request.parsed })
    }
}

/// One parameter. A new one is a new line of [`PARAMETERS`], and the same line in README.md.
struct Parameter {
    /// Its name, and others that mean the same.
    names: &'static [&'static str],
    /// Takes a value over; `None` when it is not what is `wanted`.
    set: fn(&mut Request, &str) -> Option<()>,
    /// The values that it takes, after "is not".
    wanted: &'static str,
    /// What it is, in messages and in README.md.
    doc: &'static str,
}

impl Parameter {
    fn refuse(&self, key: &str, value: &str) -> String {
        format!("{key}: {value:?} is not {} ({})", self.wanted, self.doc)
    }
}

const fn parameter(
    names: &'static [&'static str],
    set: fn(&mut Request, &str) -> Option<()>,
    wanted: &'static str,
    doc: &'static str,
) -> Parameter {
    Parameter { names, set, wanted, doc }
}

/// Parameters of ADIOS2's own, which it passes on.
const OWN_OF_ADIOS2: [&str; 2] = ["pluginname", "pluginlibrary"];

#[rustfmt::skip]
const PARAMETERS: [Parameter; 15] = [
    parameter(&BoundName::ALL, |_, v| accuracy(v).map(drop),
        "a number above 0",
        "largest error; in mode `rel` a fraction of the value range, in `pw_rel` of each value; in `psnr` decibels, in `ratio` a ratio"),
    parameter(&["mode"], |r, v| set(&mut r.mode, one_of(v, MODES)),
        "abs, rel, pw_rel, psnr or ratio",
        "`abs`: absolute · `rel`: value-range, of max − min of each ADIOS2 block · `pw_rel`: pointwise-relative · `psnr`, `ratio`: the absolute bound that reaches this in each ADIOS2 block, searched on the host"),
    parameter(&["range_min"], |r, v| set(&mut r.range_min, number(v)),
        "a finite number",
        "in mode `rel`, the minimum to use instead: the same bound on every rank and at every step"),
    parameter(&["range_max"], |r, v| set(&mut r.range_max, number(v)),
        "a finite number",
        "in mode `rel`, the maximum to use instead"),
    parameter(&["range"], |r, v| set(&mut r.range, range(v)),
        "MIN,MAX",
        "`range_min` and `range_max` at once, as `MIN,MAX`, in the place of both"),
    parameter(&["floor"], |r, v| set(&mut r.floor, number(v).filter(|&floor| floor >= 0.0)),
        "a number from 0",
        "in mode `pw_rel`, an error that is small enough for any value"),
    parameter(&["bound_in"], bound_in,
        "up to 16 boxes BOX=E separated by semicolons, each START:END for every axis, START below END, and E above 0",
        "other bounds in boxes of the global array, smaller or larger, as `BOX=E; BOX=E`: a box is `START:END` for each axis, slowest first, `END` not included, `:` a whole axis; `E` is of the same kind as the bound, which is no target; where boxes overlap the last one holds"),
    parameter(&["bound_where"], bound_where,
        "up to 16 masks MASK.npy=E separated by semicolons, E above 0",
        "other bounds where masks are set, as `MASK.npy=E; MASK.npy=E`: files of bool, uint8, float32 or float64 of the global array's shape, of which 0 and NaN are not set; `E` as in `bound_in`; masks come after boxes, up to 16 of both; a file is found from the folder that the program runs in"),
    parameter(&["missing"], missing,
        "up to 4 numbers separated by commas",
        "up to 4 numbers, separated by commas, that mark missing values"),
    parameter(&["profile"], |r, v| set(&mut r.parsed.profile, Profile::named(&v.to_lowercase())),
        "paper or dense",
        "`paper`: fastest · `dense`: about half the bytes, for files and networks"),
    parameter(&["choose"], |r, v| set(&mut r.parsed.choose, one_of(v, CHOOSE)),
        "each or changed",
        "with `profile` `dense`, when layout, prediction and tables are chosen: `each`: for every ADIOS2 block · `changed`: only where the length of a variable's streams has changed by more than a twentieth, see *When dense chooses*"),
    parameter(&["backend"], |r, v| set(&mut r.parsed.backend, one_of(v, BACKENDS)),
        "auto, cuda or cpu",
        "`auto`: CUDA memory on its device, host memory on the CPU · `cpu`: all on the CPU, CUDA memory through a copy · `cuda`: host memory on a device too"),
    parameter(&["device"], |r, v| set(&mut r.parsed.device, v.parse::<u32>().ok().map(|n| n as usize)),
        "a device number from 0",
        "number of the CUDA device for host memory; CUDA memory is compressed on its own device"),
    parameter(&["threads"], |r, v| set(&mut r.parsed.threads, v.parse::<usize>().ok().filter(|&n| n >= 1)),
        "a number from 1",
        "threads for each ADIOS2 block, at most 4 for each core; 1: the calling thread"),
    parameter(&["verbose"], |r, v| set(&mut r.parsed.verbose, v.parse::<u32>().ok()),
        "a number from 0",
        "1: a line on standard error for each ADIOS2 block, and at the end one for each variable · 2: for one in CUDA memory also the time of its kernels and of the copy of the stream to the host"),
];

const BACKENDS: [(&str, Backend); 3] =
    [("auto", Backend::Auto), ("cpu", Backend::Cpu), ("cuda", Backend::Cuda)];

const CHOOSE: [(&str, Choose); 2] = [("each", Choose::Each), ("changed", Choose::Changed)];

/// What the number of the bound is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Absolute,
    Relative,
    Pointwise,
    Psnr,
    Ratio,
}

/// The PSNR that a field at least has whose values all became the middle of its range, 20 log10 2. Who asks for less asks
/// for none of the values.
const PSNR_OF_ONE_VALUE: f64 = 6.020_599_913_279_624;

const MODES: [(&str, Mode); 5] = [
    ("abs", Mode::Absolute),
    ("rel", Mode::Relative),
    ("pw_rel", Mode::Pointwise),
    ("psnr", Mode::Psnr),
    ("ratio", Mode::Ratio),
];

/// The values given, before they are checked against each other.
#[derive(Default)]
struct Request {
    /// The bound by each name that it was given by.
    named: Vec<(BoundName, String)>,
    mode: Mode,
    range: Option<(f64, f64)>,
    range_min: Option<f64>,
    range_max: Option<f64>,
    floor: Option<f64>,
    parsed: Parameters,
}

impl Request {
    /// None when it was not given.
    fn bound(&self) -> Result<Option<Bound>, String> {
        let range = self.range()?;
        if self.floor.is_some() && self.mode != Mode::Pointwise {
            return Err("floor: only with mode=pw_rel".into());
        }
        let Parameters { boxes, masks, profile, choose, .. } = &self.parsed;
        if *choose == Choose::Changed {
            if !matches!(profile, Profile::Dense(_)) {
                return Err(
                    "choose: changed only with profile=dense; paper chooses for every tile, \
                            at no cost"
                        .into(),
                );
            }
            if boxes.len() + masks.len() > 0 {
                return Err(
                    "choose: changed not with bound_in or bound_where, whose ADIOS2 blocks \
                            choose for themselves"
                        .into(),
                );
            }
        }
        let regions = [("bound_in", boxes.len()), ("bound_where", masks.len())];
        if let Some((name, _)) = regions.iter().find(|(_, n)| *n > 0)
            && matches!(self.mode, Mode::Psnr | Mode::Ratio)
        {
            return Err(format!("{name}: only with mode=abs, rel or pw_rel"));
        }
        if boxes.len() + masks.len() > MAX_REGIONS {
            return Err(format!("bound_where: more than {MAX_REGIONS} boxes and masks"));
        }
        let text = bound_name::decide(&self.named, self.mode == Mode::Psnr)?;
        let asked = text.and_then(accuracy).map(|eps| ("accuracy", eps)).into_iter();
        let asked = asked.chain(boxes.iter().map(|&(_, eps)| ("bound_in", eps)));
        let mut asked = asked.chain(masks.iter().map(|&(_, eps)| ("bound_where", eps)));
        if self.mode == Mode::Pointwise
            && let Some((name, eps)) = asked.find(|&(_, eps)| eps > MOST_RELATIVE)
        {
            return Err(format!("{name}: {eps} in mode pw_rel: at most {MOST_RELATIVE}"));
        }
        // As of an error that was one in the field's unit before the mode became psnr.
        if self.mode == Mode::Psnr
            && let Some(decibels) = text.and_then(accuracy)
            && decibels <= PSNR_OF_ONE_VALUE
        {
            return Err(format!(
                "accuracy: {decibels} in mode psnr is decibels, of which one value for all has \
                 {PSNR_OF_ONE_VALUE:.1} already: give more, such as 60"
            ));
        }
        Ok(text.and_then(accuracy).map(|accuracy| match (self.mode, range) {
            (Mode::Relative, Some((min, max))) => Bound::ValueRangeOf { ratio: accuracy, min, max },
            (Mode::Relative, None) => Bound::ValueRange(accuracy),
            (Mode::Absolute, _) => Bound::Absolute(accuracy),
            (Mode::Pointwise, _) => {
                Bound::Relative { eps: accuracy, floor: self.floor.unwrap_or(0.0) }
            }
            (Mode::Psnr, _) => Bound::Psnr(accuracy),
            (Mode::Ratio, _) => Bound::Ratio(accuracy),
        }))
    }

    /// The value range that was given. Where `range` and `range_min` or `range_max` are, nobody tells which of them is the
    /// variable's and which the definition's.
    fn range(&self) -> Result<Option<(f64, f64)>, String> {
        let is_other = |end: Option<f64>, given: f64| end.is_some_and(|end| end != given);
        let (name, ends) = match (self.range, self.range_min, self.range_max) {
            (None, None, None) => return Ok(None),
            (Some((min, max)), low, high) if is_other(low, min) || is_other(high, max) => {
                return Err(
                    "range: another one than that of range_min and range_max, which are given, too: \
                     give it in one way, in the operator's definition and at the variable"
                        .into(),
                );
            }
            (Some(ends), ..) => ("range", Some(ends)),
            (None, Some(min), max) => ("range_min", max.map(|max| (min, max))),
            (None, None, Some(_)) => ("range_max", None),
        };
        match ends {
            _ if self.mode != Mode::Relative => Err(format!("{name}: only with mode=rel")),
            Some((min, max)) if min > max => Err(format!("{name}: {min} is above {max}")),
            Some(ends) => Ok(Some(ends)),
            None if name == "range_min" => Err("range_max: missing beside range_min".into()),
            None => Err("range_min: missing beside range_max".into()),
        }
    }
}

/// The names of all parameters, for a message.
fn known() -> String {
    let names: Vec<_> = PARAMETERS.iter().map(|p| p.names.join(" or ")).collect();
    names.join(", ")
}

/// Sets a parameter to a value, when there is one.
fn set<S: From<T>, T>(slot: &mut S, value: Option<T>) -> Option<()> {
    *slot = value?.into();
    Some(())
}

fn accuracy(value: &str) -> Option<f64> {
    number(value).filter(|&accuracy| accuracy > 0.0)
}

fn number(value: &str) -> Option<f64> {
    value.trim().parse::<f64>().ok().filter(|number| number.is_finite())
}

fn one_of<T: Copy, const N: usize>(value: &str, choices: [(&str, T); N]) -> Option<T> {
    let value = value.to_lowercase();
    choices.iter().find(|(name, _)| *name == value).map(|(_, choice)| *choice)
}

fn range(value: &str) -> Option<(f64, f64)> {
    let (min, max) = value.split_once(',')?;
    Some((number(min)?, number(max)?))
}

fn bound_in(request: &mut Request, value: &str) -> Option<()> {
    set(&mut request.parsed.boxes, bounds(value, |ranges| ranges.parse().ok()))
}

fn bound_where(request: &mut Request, value: &str) -> Option<()> {
    let file = |path: &str| Some(path.trim()).filter(|path| !path.is_empty()).map(PathBuf::from);
    set(&mut request.parsed.masks, bounds(value, file))
}

/// Places and their bounds, `PLACE=E; PLACE=E`.
fn bounds<P>(value: &str, place: impl Fn(&str) -> Option<P>) -> Option<Vec<(P, f64)>> {
    let one = |text: &str| {
        let (own, bound) = text.rsplit_once('=')?;
        Some((place(own)?, accuracy(bound)?))
    };
    let all: Option<Vec<_>> = value.split(';').map(one).collect();
    all.filter(|all| all.len() <= MAX_REGIONS)
}

/// A missing value may be anything that a float can hold, NaN included.
fn missing(request: &mut Request, value: &str) -> Option<()> {
    let values: Result<Vec<f64>, _> = value.split(',').map(|part| part.trim().parse()).collect();
    set(&mut request.parsed.missing, values.ok().filter(|values| values.len() <= MAX_MISSING))
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
    fn the_readme_has_every_parameter() {
        let readme = include_str!("../README.md");
        for Parameter { names, doc, .. } in &PARAMETERS {
            let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
            let names = names.join(", or ");
            let row = format!("| {names} | {doc} |");
            assert!(readme.contains(&row), "README.md lacks {row}");
        }
    }

    #[test]
    fn good_ones() {
        let bound = |text| parse(text).unwrap().bound.unwrap();
        assert_eq!(bound("accuracy=1e-3"), Bound::Absolute(1e-3));
        assert_eq!(bound("Tolerance=2 mode=ABS"), Bound::Absolute(2.0));
        assert_eq!(bound("accuracy=1e-3 mode=rel backend=auto device=1"), Bound::ValueRange(1e-3));
        assert_eq!(bound("accuracy=80 mode=psnr"), Bound::Psnr(80.0));
        assert_eq!(bound("mode=ratio tolerance=12"), Bound::Ratio(12.0));
        let relative = |eps, floor| Bound::Relative { eps, floor };
        assert_eq!(bound("mode=pw_rel accuracy=0.1"), relative(0.1, 0.0));
        assert_eq!(bound("mode=pw_rel accuracy=0.1 floor=1e-9"), relative(0.1, 1e-9));
        let ranged = Bound::ValueRangeOf { ratio: 0.5, min: -1.0, max: 3.0 };
        assert_eq!(bound("accuracy=0.5 mode=rel range_min=-1 range_max=3"), ranged);
        assert_eq!(bound("accuracy=0.5 mode=rel range=-1,3"), ranged);
        assert_eq!(bound("accuracy=0.5 mode=rel range=-1,3 range_min=-1 range_max=3.0"), ranged);
        let all = parse("accuracy=1 missing=1e20,-999 threads=3 verbose=1").unwrap();
        assert_eq!((all.missing, all.threads, all.verbose), (vec![1e20, -999.0], Some(3), 1));
        assert_eq!(Parameters::parse([]).unwrap().bound, None);
        assert_eq!(parse("mode=rel range=0,1").unwrap().bound, None);
        let boxes = parse("accuracy=1 bound_in=0:4,:,7=1e-3;:,:,3:=2").unwrap().boxes;
        let expected = [("0:4,:,7", 1e-3), (":,:,3:", 2.0)];
        assert_eq!(boxes, expected.map(|(ranges, e)| (ranges.parse().unwrap(), e)));
        let masks = parse("accuracy=1 bound_where=a=b/m.npy=1e-3;n.npy=2").unwrap().masks;
        assert_eq!(masks, [("a=b/m.npy".into(), 1e-3), ("n.npy".into(), 2.0)]);
        let chooses = |text| parse(text).unwrap().choose;
        assert_eq!(chooses("accuracy=1 choose=each bound_in=:=2"), Choose::Each);
        assert_eq!(chooses("accuracy=1 choose=changed profile=dense"), Choose::Changed);
        assert_eq!(chooses("profile=dense"), Choose::Each);
        let cuda = parse("accuracy=1 backend=CUDA device=1").unwrap();
        assert_eq!((cuda.backend, cuda.device), (Backend::Cuda, 1));
        assert_eq!(parse("accuracy=1").unwrap().backend, Backend::Auto);
        let dense = parse("accuracy=1 profile=Dense").unwrap().profile;
        assert!(matches!(dense, Profile::Dense(_)));
    }

    #[test]
    fn the_name_that_the_definition_did_not_use_is_that_of_the_variable() {
        let bound = |text| parse(text).unwrap().bound;
        assert_eq!(bound("accuracy=21"), Some(Bound::Absolute(21.0)));
        assert_eq!(bound("accuracy=21 tolerance=22"), Some(Bound::Absolute(22.0)));
        assert_eq!(bound("mode=rel tolerance=23"), Some(Bound::ValueRange(23.0)));
        assert_eq!(bound("accuracy=24 mode=rel tolerance=23"), Some(Bound::ValueRange(24.0)));
        // Each may have been the definition's: the smaller one keeps both.
        assert_eq!(bound("accuracy=21 tolerance=23"), Some(Bound::Absolute(21.0)));
        assert_eq!(bound("accuracy=21 tolerance=23 mode=psnr"), Some(Bound::Psnr(23.0)));
    }

    #[test]
    fn two_bounds_of_one_definition_are_both_named() {
        let message = parse("tolerance=42 mode=rel accuracy=41.0").unwrap_err();
        let expected = "tolerance: both tolerance=42 and accuracy=41.0 are given, give one of them";
        assert_eq!(message, expected);
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
            "mode=snr",
            "range_min=x",
            "range_max=inf",
            "range=1",
            "range=1,x",
            "floor=-1",
            "floor=nan",
            "bound_in=",
            "bound_in=0:4",
            "bound_in=0:4=0",
            "bound_in=0:4=-1",
            "bound_in=4:0=1",
            "bound_in=4:4=1",
            "bound_in=a:b=1",
            "bound_in=0:4=1;",
            "bound_where=",
            "bound_where=m.npy",
            "bound_where==1",
            "bound_where=m.npy=0",
            "bound_where=m.npy=1;",
            "missing=a,b",
            "missing=1,2,3,4,5",
            "backend=gpu",
            "profile=sparse",
            "choose=always",
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
        let boxes = [":=1"; MAX_REGIONS + 1].join(";");
        assert!(
            parse(&format!("accuracy=1 bound_in={boxes}")).unwrap_err().starts_with("bound_in: ")
        );
        let (boxes, mask) = ([":=1"; MAX_REGIONS].join(";"), "bound_where=m.npy=1");
        let both = parse(&format!("accuracy=1 bound_in={boxes} {mask}")).unwrap_err();
        assert!(both.starts_with("bound_where: "), "{both}");
        for (text, key) in [
            ("accuracy=31 tolerance=32", "tolerance"),
            ("accuracy=0.1 mode=pw_rel bound_where=m.npy=0.6", "bound_where"),
            ("accuracy=60 mode=psnr bound_where=m.npy=0.6", "bound_where"),
            ("accuracy=1 range_min=0 range_max=1", "range_min"),
            ("accuracy=1 range_max=1", "range_max"),
            ("accuracy=1 floor=1", "floor"),
            ("accuracy=1 choose=changed", "choose"),
            ("accuracy=1 choose=changed profile=paper", "choose"),
            ("accuracy=1 choose=changed profile=dense bound_in=:=2", "choose"),
            ("accuracy=1 choose=changed profile=dense bound_where=m.npy=2", "choose"),
            ("accuracy=0.6 mode=pw_rel", "accuracy"),
            ("accuracy=0.1 mode=pw_rel bound_in=:=0.6", "bound_in"),
            ("accuracy=60 mode=psnr bound_in=:=0.6", "bound_in"),
            ("accuracy=60 mode=ratio bound_in=:=0.6", "bound_in"),
            ("accuracy=1 mode=rel range_min=0", "range_max"),
            ("accuracy=1 mode=rel range_max=0", "range_min"),
            ("accuracy=1 mode=rel range_min=2 range_max=1", "range_min"),
            ("accuracy=1 mode=rel range=2,1", "range"),
            ("accuracy=1 range=0,1", "range"),
            ("accuracy=1 mode=rel range=0,1 range_min=-1", "range"),
            ("accuracy=1 mode=rel range_min=0 range_max=2 range=0,1", "range"),
            ("accuracy=1e-3 mode=psnr", "accuracy"),
            ("tolerance=6 mode=psnr", "accuracy"),
        ] {
            let message = parse(text).unwrap_err();
            assert!(message.starts_with(&format!("{key}: ")), "{text}: {message}");
        }
    }
}
