//! What the study finds out about each field and bound.

use fsz::{Bound, Centering, Codec, Options, Research, Stream, max_compressed_len};
use fsz_field::{Field, Scalar, Values};
use fsz_metrics::{Comparison, Missing, Sample};

use crate::failure::Result;
use crate::table::csv_cell;

/// All figures.
#[derive(Debug, Default)]
pub struct Study {
    pub ratios: Vec<Ratio>,
    pub ablations: Vec<Ablation>,
}

/// One codec on one field at one bound.
#[derive(Debug)]
pub struct Ratio {
    pub field: String,
    pub bound: f64,
    pub codec: &'static str,
    pub ratio: f64,
    pub max_abs_error: f64,
    pub psnr: f64,
    pub bound_violations: u64,
}

/// Compression ratios as the paper's ideas are added one by one.
#[derive(Debug)]
pub struct Ablation {
    pub field: String,
    pub bound: f64,
    /// In the order of [`STAGES`].
    pub ratios: [f64; 4],
}

/// The stages of the ablation.
pub const STAGES: [&str; 4] = ["base", "cross_block", "centering", "lz2"];

/// What is switched on at each stage: cross-block state, mean centering, order 2.
const SWITCHES: [(bool, Centering, bool); 4] = [
    (false, Centering::Off, false),
    (true, Centering::Off, false),
    (true, Centering::Mean, false),
    (true, Centering::Mean, true),
];

impl Study {
    /// Adds the figures of a field at a value-range bound.
    pub fn add(
        &mut self,
        name: &str,
        field: &Field,
        bound: f64,
        missing: &[f64],
        codec: &Codec,
    ) -> Result<()> {
        match field.values() {
            Values::F32(values) => Subject { name, field, values, bound, missing, codec }.add(self),
            Values::F64(values) => Subject { name, field, values, bound, missing, codec }.add(self),
        }
    }

    /// `ratio.csv`.
    pub fn ratio_csv(&self) -> String {
        let mut text = "field,bound,codec,ratio,max_abs_error,psnr,bound_violations\n".to_owned();
        for r in &self.ratios {
            text.push_str(&format!(
                "{},{:e},{},{:.4},{:e},{:.4},{}\n",
                csv_cell(&r.field),
                r.bound,
                r.codec,
                r.ratio,
                r.max_abs_error,
                r.psnr,
                r.bound_violations
            ));
        }
        text
    }

    /// `ablation.csv`.
    pub fn ablation_csv(&self) -> String {
        let mut text = format!("field,bound,{}\n", STAGES.join(","));
        for a in &self.ablations {
            let ratios = a.ratios.map(|r| format!("{r:.4}")).join(",");
            text.push_str(&format!("{},{:e},{ratios}\n", csv_cell(&a.field), a.bound));
        }
        text
    }
}

/// A field at a bound.
struct Subject<'a, T> {
    name: &'a str,
    field: &'a Field,
    values: &'a [T],
    bound: f64,
    missing: &'a [f64],
    codec: &'a Codec,
}

impl<T: Scalar + Sample> Subject<'_, T> {
    fn add(&self, study: &mut Study) -> Result<()> {
        let bytes = self.compress(Research::default())?;
        let stream = Stream::open(&bytes)?;
        let absolute = stream.info().header().absolute_bound;
        let mut decoded = vec![T::default(); self.values.len()];
        self.codec.decompress_into(&stream, &mut decoded)?;
        study.ratios.push(self.ratio("fsz", bytes.len(), &decoded, absolute)?);
        #[cfg(feature = "zfp")]
        self.add_zfp(study, bytes.len(), &mut decoded, absolute)?;

        let mut ratios = [0.0; STAGES.len()];
        for (ratio, (cross_block, centering, order2)) in ratios.iter_mut().zip(SWITCHES) {
            let research = Research { cross_block, centering, order2, ..Research::default() };
            let len = self.compress(research)?.len();
            *ratio = size_of_val(self.values) as f64 / len as f64;
        }
        study.ablations.push(Ablation { field: self.name.to_owned(), bound: self.bound, ratios });
        Ok(())
    }

    fn compress(&self, research: Research) -> Result<Vec<u8>> {
        let shape = self.field.shape().sides();
        let mut options = Options::new(Bound::ValueRange(self.bound)).research(research);
        for &value in self.missing {
            options = options.missing(value);
        }
        let most = max_compressed_len(shape, self.field.dtype())?;
        let mut bytes = vec![0; usize::try_from(most).unwrap_or(usize::MAX)];
        let len = self.codec.compress_into(self.values, shape, &options, &mut bytes)?;
        bytes.truncate(len);
        Ok(bytes)
    }

    fn ratio(&self, codec: &'static str, len: usize, decoded: &[T], bound: f64) -> Result<Ratio> {
        let missing = Missing::<T>::new(self.missing);
        let found: Comparison = fsz_metrics::compare(self.values, decoded, &missing, Some(bound))?;
        Ok(Ratio {
            field: self.name.to_owned(),
            bound: self.bound,
            codec,
            ratio: size_of_val(self.values) as f64 / len as f64,
            max_abs_error: found.max_abs_error,
            psnr: found.psnr(),
            bound_violations: found.violations().unwrap_or(0),
        })
    }

    #[cfg(feature = "zfp")]
    fn add_zfp(
        &self,
        study: &mut Study,
        fsz_len: usize,
        decoded: &mut [T],
        bound: f64,
    ) -> Result<()> {
        use fsz_field::zfp::{Mode, Zfp};
        let finite = self.values.iter().all(|&v| fsz_metrics::Sample::to_f64(v).is_finite());
        if !finite || bound <= 0.0 || self.values.is_empty() {
            return Ok(());
        }
        let rate = 8.0 * fsz_len as f64 / self.values.len() as f64;
        let modes = [("zfp-accuracy", Mode::Accuracy(bound)), ("zfp-rate", Mode::Rate(rate))];
        for (name, mode) in modes {
            let mut zfp = Zfp::new();
            zfp.compress(self.field.values(), self.field.shape(), mode)?;
            zfp.decompress_into(decoded)?;
            study.ratios.push(self.ratio(name, zfp.bytes().len(), decoded, bound)?);
        }
        Ok(())
    }
}
