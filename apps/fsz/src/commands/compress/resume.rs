//! What an earlier run left of a series: kept where it was asked for the same, refused where it was not.

use std::collections::HashMap;
use std::time::SystemTime;

use anyhow::{Error, Result, anyhow, bail};
use fsz::{Bound, Codec, DType, Header, Profile, Progress, Stream};
use fsz_field::{Field, Shape, StreamFile, of_type, with_values};
use fsz_figure::number::short;
use fsz_metrics::{Limit, Missing, Sample};

use super::Args;
use super::range::Range;
use super::steps::{Inputs, Step};
use crate::{limit, region};

/// What to do about a stream that cannot be kept.
const ADVICE: &str = "choose another folder, or overwrite with --force in place of --resume";

/// What is to be known of a stream that is there.
#[derive(Debug, Clone, Copy)]
pub struct Kept {
    /// Whether the stream is what would be made again: its input did not change since and is the one that it was made from,
    /// as far as that is looked at, nor changed its place in the list, nor the file that it is to be coded like.
    pub fresh: bool,
    /// Whether that file has other tables than the stream.
    pub unlike: bool,
    /// Of the values.
    pub range: Range,
    bound: Bound,
    absolute: f64,
}

/// The stream of each step that is there.
///
/// # Errors
/// When one of them is no stream, or was made with other options.
pub fn find(
    args: &Args,
    codec: &Codec,
    inputs: &Inputs<'_>,
    steps: &[Step],
) -> Result<Vec<Option<Kept>>> {
    let model = args.profile.model(args.research.research())?;
    let model = model.as_ref().map(StreamFile::stream).transpose()?;
    let look = |step| look(args, codec, inputs, step, model.as_ref());
    let mut kept = steps.iter().map(look).collect::<Result<Vec<_>>>()?;
    if inputs.are_of_one_file() {
        refuse_other_file(codec, inputs, steps, &mut kept)?;
    }
    Ok(kept)
}

/// Keeps no step of a variable of an ADIOS2 file whose last one that is there is of another file: all of them are. The first
/// steps of two runs may be the same, and to read a step takes longer than to look at a few values.
fn refuse_other_file(
    codec: &Codec,
    inputs: &Inputs<'_>,
    steps: &[Step],
    kept: &mut [Option<Kept>],
) -> Result<()> {
    let mut looked: HashMap<&str, bool> = HashMap::new();
    for (step, kept) in steps.iter().zip(kept).rev() {
        let Some(kept) = kept.as_mut().filter(|kept| kept.fresh) else { continue };
        kept.fresh = match looked.get(&*step.variable) {
            Some(&same) => same,
            None => {
                let file = StreamFile::open(&step.output)?;
                let field = inputs.open_step(step, codec, &Progress::new())?;
                let same = is_of(codec, &file.stream()?, &field);
                looked.insert(&step.variable, same);
                same
            }
        };
    }
    Ok(())
}

fn look(
    args: &Args,
    codec: &Codec,
    inputs: &Inputs<'_>,
    step: &Step,
    model: Option<&Stream<'_>>,
) -> Result<Option<Kept>> {
    let Ok(there) = step.output.metadata() else { return Ok(None) };
    let file = StreamFile::open(&step.output)
        .map_err(|error| anyhow!("{error}; once it is deleted, --resume makes it anew"))?;
    let stream = file.stream()?;
    let header = stream.header();
    // Of one time they may be in either order.
    let is_older = |input: SystemTime| there.modified().is_ok_and(|written| written > input);
    let is_same_step = header.time_step == Some(inputs.number(step)?);
    let is_unchanged = is_same_step && inputs.changed(step).is_some_and(is_older);
    let asked = Asked::of(args)?;
    let mut other = asked.differences(&stream, &inputs.missing(step)?);
    // What became of an input that changed may have another shape and type than it had.
    let plain = if is_unchanged { inputs.open_plain(step, codec)? } else { None };
    let own = plain.as_ref().map(|field| (field.shape(), field.dtype()));
    let (shape, dtype) = (args.inputs.shape.as_ref(), args.inputs.dtype);
    let (shape, dtype) = own.map_or((shape, dtype), |(shape, dtype)| (Some(shape), Some(dtype)));
    other.extend(other_kind(header, shape, dtype));
    if !same_regions(args, codec, inputs, step, &stream, asked.bound)? {
        other.push("other bounds by region".to_owned());
    }
    if !other.is_empty() {
        bail!("{} has {}: {ADVICE}", step.output.display(), other.join("; "));
    }
    let certificate = stream.certificate();
    // Tables that are damaged are like no others; what is damaged is made anew.
    let unlike = model.is_some_and(|model| !stream.is_like(model).unwrap_or(false));
    Ok(Some(Kept {
        fresh: !unlike && is_unchanged && plain.is_none_or(|field| is_of(codec, &stream, &field)),
        unlike,
        range: Range { min: certificate.min, max: certificate.max },
        bound: header.bound,
        absolute: header.absolute_bound,
    }))
}

/// Places of a field where its values are looked at, and how many there.
const PLACES: u64 = 16;
const VALUES: u64 = 64;

/// Whether a stream is of this field, by a few values: a stream does not tell its input, and that of another run may have the
/// same name.
fn is_of(codec: &Codec, stream: &Stream<'_>, field: &Field) -> bool {
    let shape = &stream.header().shape;
    if field.shape().sides() != shape || field.dtype() != stream.header().dtype {
        return false;
    }
    let (Some(&row), elements) = (shape.last(), stream.header().elements()) else { return true };
    let limits = limit::by_region(stream);
    // No error of any region is larger.
    let largest = limits.iter().fold(Limit::from(0.0), |a, b| Limit {
        absolute: a.absolute.max(b.absolute),
        relative: a.relative.max(b.relative),
    });
    with_values!(field.values(), values => (0..PLACES.min(elements)).all(|k| {
        // A part of a row.
        let at = elements / PLACES.min(elements) * k;
        let count = VALUES.min(row - at % row);
        let (mut start, mut sides, mut rest) = (shape.clone(), vec![1; shape.len()], at);
        for axis in (0..shape.len()).rev() {
            (start[axis], rest) = (rest % shape[axis], rest / shape[axis]);
        }
        sides[shape.len() - 1] = count;
        let mut decoded = values[..count as usize].to_vec();
        match codec.decompress_box_into(stream, &start, &sides, &mut decoded) {
            // What is damaged is told as such.
            Err(_) => true,
            Ok(()) => is_near(&values[at as usize..][..decoded.len()], &decoded, stream, largest),
        }
    }))
}

/// Whether values are restored, those that are no numbers or missing bit for bit.
fn is_near<T: Sample>(own: &[T], decoded: &[T], stream: &Stream<'_>, limit: Limit) -> bool {
    let missing = Missing::new(&stream.header().missing);
    fsz_metrics::compare(own, decoded, &missing, Some(limit))
        .is_ok_and(|found| found.beyond == Some(0) && found.changed_bits == 0)
}

impl Kept {
    /// Whether the bound follows from this range, where it follows from one.
    pub fn is_of(&self, args: &Args, range: Option<Range>) -> bool {
        match (self.share(args), range) {
            (Some((share, absolute)), Some(range)) => range.gives(share, absolute),
            _ => true,
        }
    }

    /// Why the stream cannot be kept, where its bound does not follow from this range.
    pub fn of_other_range(&self, args: &Args, range: Range, step: &Step) -> Error {
        let (share, absolute) = self.share(args).unwrap_or((1.0, self.absolute));
        let path = step.output.display();
        if self.bound.is_relative() {
            // A stream does not tell of which share its floor is, so that may be what differs.
            let (is, asked) = (short(absolute), short(range.share(share)));
            return anyhow!("{path} has the floor {is}, not {asked}: {ADVICE}");
        }
        anyhow!(
            "{path} has a bound of a range of {}, not of {}: {ADVICE}",
            short(absolute / share),
            short(range.width())
        )
    }

    /// The share of a range that is asked for, and what it is in the units of the field.
    fn share(&self, args: &Args) -> Option<(f64, f64)> {
        match self.bound {
            Bound::Relative { floor, .. } => Some((args.floor.floor_range?, floor)),
            _ => Some((args.bound.range?, self.absolute)),
        }
    }
}

/// What is asked of every stream, whatever the range.
struct Asked<'a> {
    args: &'a Args,
    /// Without a floor that is a share of the range.
    bound: Bound,
    profile: Profile,
}

impl<'a> Asked<'a> {
    fn of(args: &'a Args) -> Result<Self> {
        let bound = args.bound_of(None, args.floor.floor.unwrap_or(0.0))?;
        let profile = args.profile.profile(args.research.research())?;
        Ok(Asked { args, bound, profile })
    }

    /// What a stream has, and what it should have, with these missing values.
    fn differences(&self, stream: &Stream<'_>, missing: &[f64]) -> Vec<String> {
        let header = stream.header();
        let mut other = Vec::new();
        let mut differ = |has: String, asked: String| other.push(format!("{has}, not {asked}"));
        if !self.is_bound(header.bound) {
            differ(format!("the bound {}", limit::asked(header.bound)), limit::asked(self.bound));
        }
        let (has, asked) = (header.profile, self.profile);
        if has.name() != asked.name() {
            differ(format!("the profile {}", has.name()), asked.name().to_owned());
        } else if self.args.profile.layout.is_some() && has.layout_name() != asked.layout_name() {
            differ(format!("the layout {}", has.layout_name()), asked.layout_name().to_owned());
        }
        if !same_missing(header, missing) {
            differ(format!("the missing values {}", list(&header.missing)), list(missing));
        }
        // An empty one is none.
        let own = header.name.as_deref().unwrap_or_default();
        if let Some(asked) = self.args.name.as_deref().filter(|asked| *asked != own) {
            let [own, asked] = [own, asked].map(|name| if name.is_empty() { "none" } else { name });
            differ(format!("the name {own}"), asked.to_owned());
        }
        if has.name() == asked.name() && has.research() != asked.research() {
            other.push("other research options".to_owned());
        }
        other
    }

    fn is_bound(&self, has: Bound) -> bool {
        match (has, self.bound) {
            (Bound::Relative { eps, .. }, Bound::Relative { eps: asked, .. })
                if self.args.floor.floor_range.is_some() =>
            {
                eps == asked
            }
            (Bound::ValueRange(_) | Bound::ValueRangeOf { .. }, _) => {
                has.kind() == self.bound.kind() && has.requested() == self.bound.requested()
            }
            _ => has == self.bound,
        }
    }
}

/// The shape and the type that a stream has, and should have, where these are others.
fn other_kind(header: &Header, shape: Option<&Shape>, dtype: Option<DType>) -> Vec<String> {
    let mut other = Vec::new();
    if let Some(asked) = shape.filter(|shape| shape.sides() != header.shape) {
        let has = Shape::new(&header.shape).map_or_else(|e| e.to_string(), |s| s.to_string());
        other.push(format!("the shape {has}, not {asked}"));
    }
    if let Some(asked) = dtype.filter(|dtype| *dtype != header.dtype) {
        other.push(format!("the type {}, not {asked}", header.dtype));
    }
    other
}

/// Whether a stream has these missing values, which it keeps in its own type.
fn same_missing(header: &Header, asked: &[f64]) -> bool {
    let bits = |value: f64| of_type(header.dtype, value).to_bits();
    header.missing.iter().map(|&v| v.to_bits()).eq(asked.iter().map(|&v| bits(v)))
}

fn list(values: &[f64]) -> String {
    let values: Vec<String> = values.iter().map(|&value| short(value)).collect();
    if values.is_empty() { "none".to_owned() } else { values.join(", ") }
}

/// Whether the stream of a step has the regions that are asked for.
fn same_regions(
    args: &Args,
    codec: &Codec,
    inputs: &Inputs<'_>,
    step: &Step,
    stream: &Stream<'_>,
    bound: Bound,
) -> Result<bool> {
    if args.regions.is_empty() {
        return Ok(stream.regions().is_empty());
    }
    let field = inputs.open_step(step, codec, &Progress::new())?;
    Ok(region::same(&args.regions.regions(bound, &field, codec)?, stream.regions()))
}
