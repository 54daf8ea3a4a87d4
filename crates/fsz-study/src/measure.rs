//! Measures one field.

use std::time::Instant;

use anyhow::Result;
use fsz::format::dense::Layout;
use fsz::{Centering, Dense, Element, Error, Profile, Research, Stream};
use fsz_field::{Field, with_values};
use fsz_metrics::Sample;

use crate::plan::{Input, Plan};
use crate::record::{
    BoundRecord, Fidelity, FieldRecord, LayoutRatio, Ratio, Shares, TILES, TileRatio,
};
use crate::subject::Subject;
use crate::{bit_rounding, codecs, curve, cuszp_model, fidelity, fsz1, matched, relative};

/// What is switched on at each stage of the ablation: cross-block state, mean centering, order 2.
const SWITCHES: [(bool, Centering, bool); 4] = [
    (false, Centering::Off, false),
    (true, Centering::Off, false),
    (true, Centering::Mean, false),
    (true, Centering::Mean, true),
];

/// The bound of the paper's matched-ratio comparison where it is among these, else the middle one.
fn matched_bound(bounds: &[f64]) -> f64 {
    let middle = || bounds.get(bounds.len() / 2).copied();
    bounds.iter().copied().find(|&bound| bound == 1e-3).or_else(middle).unwrap_or(1e-3)
}

impl Plan<'_> {
    /// All figures of a field.
    ///
    /// # Errors
    /// When a codec or a peer fails on it, or the plan's progress was cancelled.
    pub fn measure(&self, input: &Input, field: &Field) -> Result<FieldRecord> {
        let start = Instant::now();
        let mut record = with_values!(field.values(), values => {
            Subject::new(self, &input.name, field, values).record()?
        });
        record.key = self.key(input)?;
        record.synthetic = input.synthetic;
        record.seconds = start.elapsed().as_secs_f64();
        Ok(record)
    }
}

/// A reconstruction.
struct Decoded<'a, T> {
    codec: &'a str,
    bytes: u64,
    values: &'a [T],
}

impl<T: Element + Sample> Subject<'_, T> {
    fn record(&self) -> Result<FieldRecord> {
        let found = fsz_metrics::compare(self.values, self.values, &self.missing, None)?;
        Ok(FieldRecord {
            key: String::new(),
            name: self.name.to_owned(),
            dtype: self.field.dtype().name().to_owned(),
            shape: self.field.shape().to_string(),
            elements: found.elements,
            special: found.nan + found.inf + found.missing,
            synthetic: false,
            seconds: 0.0,
            bounds: self.plan.bounds.iter().map(|&b| self.at(b)).collect::<Result<_>>()?,
            curve: curve::measure(self)?,
            matched: matched::comparisons(self, matched_bound(self.plan.bounds))?,
            fsz1: fsz1::measure(self)?,
            bit_rounding: bit_rounding::measure(self)?,
            relative: relative::measure(self)?,
        })
    }

    /// Everything at a value-range bound.
    fn at(&self, bound: f64) -> Result<BoundRecord> {
        let bytes = self.compress(bound, Profile::default())?;
        let stream = Stream::open(&bytes)?;
        let absolute = stream.header().absolute_bound;
        let mut decoded = fsz_field::zeros::<T>(self.field.shape())?;
        self.plan.codec.decompress_into(&stream, &mut decoded)?;
        let mut record = BoundRecord {
            bound,
            absolute,
            ratios: Vec::new(),
            ablation: [0.0; 4],
            layouts: Vec::new(),
            tiles: Vec::new(),
            shares: Shares::of(stream.tile_counts()),
            fidelity: Vec::new(),
        };
        let found = Decoded { codec: codecs::FSZ, bytes: bytes.len() as u64, values: &decoded };
        record.ratios.push(self.ratio(&found, absolute)?);
        record.fidelity.push(self.fidelity(&found, absolute)?);
        self.research(bound, &mut record)?;
        // The paper's design decodes to the same values: only the choice of µ is another.
        let paper = Ratio { ratio: record.ablation[3], ..record.ratios[0].clone() };
        record.ratios.push(Ratio { codec: codecs::FSZ_PAPER.to_owned(), ..paper });
        self.add_dense(bound, &mut record, &mut decoded)?;
        self.add_models(&mut record)?;
        self.add_zfp(&mut record, bytes.len(), &mut decoded)?;
        #[cfg(feature = "zfp")]
        self.add_streams(&mut record, &mut decoded)?;
        let peers = self.plan.peers.iter().filter(|peer| !peer.is_relative());
        for peer in peers.filter(|peer| peer.takes(self.field)) {
            let bounds = [("{bound}", absolute), ("{range_bound}", bound)];
            let run = peer.run(self.field, &bounds, &mut decoded, self.plan.progress)?;
            let found = Decoded { codec: &peer.name, bytes: run.bytes, values: &decoded };
            record.ratios.push(self.ratio(&found, absolute)?);
        }
        Ok(record)
    }

    /// The profile dense, at the same bound.
    fn add_dense(&self, bound: f64, record: &mut BoundRecord, decoded: &mut [T]) -> Result<()> {
        let bytes = self.compress(bound, Profile::Dense(Dense::new()))?;
        self.plan.codec.decompress_into(&Stream::open(&bytes)?, decoded)?;
        let found =
            Decoded { codec: codecs::FSZ_DENSE, bytes: bytes.len() as u64, values: decoded };
        record.ratios.push(self.ratio(&found, record.absolute)?);
        record.fidelity.push(self.fidelity(&found, record.absolute)?);
        for layout in Layout::ALL {
            let forced = Profile::Dense(Dense::new().with_layout(layout));
            // A field that does not fill the boxes of a layout is refused.
            match self.compress(bound, forced) {
                Ok(bytes) => record.layouts.push(LayoutRatio {
                    layout: layout.name().to_owned(),
                    ratio: self.over(bytes.len() as u64),
                }),
                Err(e) if matches!(e.downcast_ref(), Some(Error::InvalidArgument(_))) => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// The ablation and the tiles.
    fn research(&self, bound: f64, record: &mut BoundRecord) -> Result<()> {
        for (ratio, (cross_block, centering, order2)) in record.ablation.iter_mut().zip(SWITCHES) {
            let switches = Research { cross_block, centering, order2, ..Research::default() };
            *ratio = self.over(self.compress(bound, Profile::Paper(switches))?.len() as u64);
        }
        for (block_len, blocks_per_tile) in TILES {
            let centering = Centering::Mean;
            let tile = Research { block_len, blocks_per_tile, centering, ..Research::default() };
            let ratio = self.over(self.compress(bound, Profile::Paper(tile))?.len() as u64);
            record.tiles.push(TileRatio { block: block_len, blocks: blocks_per_tile, ratio });
        }
        Ok(())
    }

    fn add_models(&self, record: &mut BoundRecord) -> Result<()> {
        let model = cuszp_model::cuszp(self.values, record.absolute, &self.missing);
        let sizes = [(codecs::CUSZP_PLAIN, model.plain), (codecs::CUSZP_OUTLIER, model.outlier)];
        for (codec, bytes) in sizes {
            let found = Decoded { codec, bytes: bytes.max(1), values: &model.decoded };
            record.ratios.push(self.ratio(&found, record.absolute)?);
        }
        Ok(())
    }

    fn ratio(&self, found: &Decoded<'_, T>, bound: f64) -> Result<Ratio> {
        let c = fsz_metrics::compare(self.values, found.values, &self.missing, Some(bound.into()))?;
        Ok(Ratio {
            codec: found.codec.to_owned(),
            ratio: self.over(found.bytes),
            max_abs_error: c.max_abs_error,
            psnr: c.psnr(),
            bound_violations: c.violations().unwrap_or(0),
            given: false,
        })
    }

    fn fidelity(&self, found: &Decoded<'_, T>, bound: f64) -> Result<Fidelity> {
        self.plan.progress.check()?;
        let Decoded { codec, values, .. } = *found;
        fidelity::measure(codec, self.field, self.values, values, bound, &self.missing)
    }

    #[cfg(not(feature = "zfp"))]
    fn add_zfp(&self, _: &mut BoundRecord, _: usize, _: &mut [T]) -> Result<()> {
        Ok(())
    }

    /// zfp at the same bound, and at the same size.
    #[cfg(feature = "zfp")]
    fn add_zfp(&self, record: &mut BoundRecord, fsz_len: usize, decoded: &mut [T]) -> Result<()> {
        use fsz_field::zfp::Mode;
        if !self.zfp_takes(record.absolute) {
            return Ok(());
        }
        let rate = Mode::Rate(self.rate_of(fsz_len)?);
        let modes =
            [(codecs::ZFP_ACCURACY, Mode::Accuracy(record.absolute)), (codecs::ZFP_RATE, rate)];
        for (codec, mode) in modes {
            let bytes = self.zfp(mode, decoded)? as u64;
            let found = Decoded { codec, bytes, values: decoded };
            record.ratios.push(self.ratio(&found, record.absolute)?);
            record.fidelity.push(self.fidelity(&found, record.absolute)?);
        }
        Ok(())
    }

    /// zfp streams of this field that another program made.
    #[cfg(feature = "zfp")]
    fn add_streams(&self, record: &mut BoundRecord, decoded: &mut [T]) -> Result<()> {
        for stream in self.plan.streams.iter().filter(|stream| stream.field == self.name) {
            let bytes = stream.decode(self.field.shape(), decoded)?;
            let found = Decoded { codec: &stream.name(), bytes, values: decoded };
            let ratio = self.ratio(&found, record.absolute)?;
            record.ratios.push(Ratio { given: true, ..ratio });
        }
        Ok(())
    }
}
