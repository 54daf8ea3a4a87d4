//! The modules of the profile of boxes: loading them, and how their kernels are launched.

use crate::cuda::{
    boxes::{
        scratch::{PROGRAM_BYTES, RECORD_BYTES, SLOT_BYTES},
        warps::{Most, Warps},
    },
    decompress::{DECOMPRESS_SCRATCH, VECTOR},
    kernels::{
        abi::{
            BoxCounts, BoxGrid, BoxGrids, BoxTask, BoxTasks, BoxesToTiles, DenseWork, OutputBox,
            Sections, Shared, StreamView, SymbolRow,
        },
        kernel::{Coder, Operation},
        module::{
            Kernels, Launch, Module, compress_layouts, of_type, other_version, relative_layouts,
        },
        part::Part,
    },
};
use crate::{dtype::DType, error::Result};

/// Operations of a module of decompression that decode.
fn decompression(coder: Coder) -> [Operation; 3] {
    [
        Operation::Decompress(coder),
        Operation::DecompressTiles(coder),
        Operation::DecompressBox(coder),
    ]
}

/// Operations of a module of compression.
fn compression(coder: Coder) -> [Operation; 6] {
    let bound = match coder {
        Coder::DenseRelative => Operation::RelativeBound,
        _ => Operation::Bound,
    };
    [
        bound,
        Operation::Gather(coder),
        Operation::Scatter(coder),
        Operation::Count(coder),
        Operation::PrepareCompress(coder),
        Operation::Compress(coder),
    ]
}

/// How the structs lie in memory that a driver shares with these modules alone.
const DECOMPRESS_BOXES_LAYOUTS: [&[u32]; 5] = [
    Sections::LAYOUT,
    StreamView::LAYOUT,
    OutputBox::LAYOUT,
    BoxGrid::LAYOUT,
    BoxesToTiles::LAYOUT,
];
const BOX_LAYOUTS: [&[u32]; 7] = [
    BoxGrid::LAYOUT,
    DenseWork::LAYOUT,
    BoxCounts::LAYOUT,
    BoxTask::LAYOUT,
    BoxTasks::LAYOUT,
    SymbolRow::LAYOUT,
    BoxGrids::LAYOUT,
];

impl Kernels {
    /// The module of decompression of boxes. The context is current.
    pub fn decompress_boxes(&self, coder: Coder, dtype: DType) -> Result<&Module<BoxShapes>> {
        let part = Part::Decompress(coder, dtype);
        let modules = match coder {
            Coder::DenseRelative => &self.decompress_boxes_relative,
            _ => &self.decompress_boxes,
        };
        self.once(of_type(modules, dtype), || {
            let (image, words) = self.open(part, &DECOMPRESS_BOXES_LAYOUTS)?;
            let shapes = BoxShapes::read(&words, self.most_shared)?;
            let decoding = decompression(coder);
            let operations = [&decoding[..], &[Operation::PrepareDecompress(coder)]].concat();
            let mut module = Module::new(image, &operations, dtype, shapes);
            for operation in decoding {
                module.allow_shared(operation, self.most_shared);
            }
            Ok(module)
        })
    }

    /// The module of compression of boxes. The context is current.
    pub fn compress_boxes(&self, coder: Coder, dtype: DType) -> Result<&Module<BoxCompressShapes>> {
        let part = Part::Compress(coder, dtype);
        let (modules, own) = match coder {
            Coder::DenseRelative => {
                (&self.compress_boxes_relative, relative_layouts(dtype).to_vec())
            }
            _ => (&self.compress_boxes, vec![]),
        };
        self.once(of_type(modules, dtype), || {
            let layouts = [&compress_layouts(dtype)[..], &BOX_LAYOUTS, &own].concat();
            let (image, words) = self.open(part, &layouts)?;
            let shapes = BoxCompressShapes::read(&words, dtype, self.most_shared)?;
            let mut module = Module::new(image, &compression(coder), dtype, shapes);
            module.allow_shared(Operation::Compress(coder), shapes.most_shared);
            let count = shapes.counts + shapes.count_warps * shapes.stage;
            module.allow_shared(Operation::Count(coder), count);
            Ok(module)
        })
    }
}

/// How decompression of boxes is launched: `fsz_shapes` of its module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxShapes {
    /// The launch that makes ready: its threads, and its thread blocks beside those that read the index.
    prepare_threads: u32,
    prepare_blocks: u32,
    most_warps: u32,
    /// Shared memory that a thread block may have; of that, a thread block's tables in a stream that
    /// interpolates and in one by Lorenzo prediction alone, and what a warp has.
    most_shared: u32,
    tables: [u32; 2],
    stage: u32,
    /// Chunks of which a launch can decode some that are not the first ones.
    pub most_ordered: u32,
}

impl BoxShapes {
    fn read(words: &[u32], most_shared: u32) -> Result<Self> {
        let [shapes @ .., scratch, most_ordered] = words else { return Err(other_version()) };
        let &[prepare_threads, prepare_blocks, most_warps, tables, lorenzo_tables, stage] = shapes
        else {
            return Err(other_version());
        };
        // What it begins with may be some bytes behind its beginning.
        if *scratch as usize + VECTOR > DECOMPRESS_SCRATCH {
            return Err(other_version());
        }
        let tables = [tables, lorenzo_tables];
        Ok(BoxShapes {
            prepare_threads,
            prepare_blocks,
            most_warps,
            most_shared,
            tables,
            stage,
            most_ordered: *most_ordered,
        })
    }

    /// The launch that makes ready what chunks share.
    pub fn prepare(&self, chunks: u64) -> Launch {
        let readers = chunks.div_ceil(INDEX_SHARE).clamp(1, MOST_INDEX_READERS);
        Launch::new(u64::from(self.prepare_blocks) + readers, self.prepare_threads)
    }

    /// The launch for `chunks` chunks on a device of so many multiprocessors: thread blocks that stay, of as
    /// many warps as have something to do. `lorenzo`: no box is interpolated.
    pub fn launch(&self, chunks: u64, multiprocessors: u32, lorenzo: bool) -> Launch {
        let tables = self.tables[usize::from(lorenzo)];
        let fit = self.most_shared.saturating_sub(tables) / self.stage.max(1);
        let grid = chunks.clamp(1, multiprocessors.into());
        let most = self.most_warps.min(fit).max(1);
        let warps = chunks.div_ceil(grid).clamp(1, most.into()) as u32;
        Launch {
            grid,
            threads: 32 * warps,
            shared: tables + self.stage * warps,
            cooperative: false,
            early: false,
        }
    }
}

/// Chunks whose index a thread block reads, and most thread blocks that do.
const INDEX_SHARE: u64 = 2048;
const MOST_INDEX_READERS: u64 = 64;

/// Warps of a thread block that code for which there is room beside those that predict.
const SOME_CODERS: u32 = 5;
/// Warps that code for so many that predict, of boxes that are interpolated and of streams by Lorenzo prediction alone:
/// there to predict a box takes little longer than to code it.
const SHARES: [(u32, u32); 2] = [(2, 3), (9, 11)];

/// How compression of boxes is launched: `fsz_shapes` of its module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoxCompressShapes {
    pub survey_threads: u32,
    pub gather_threads: u32,
    pub program_threads: u32,
    /// Thread blocks that make programs of a grid.
    pub programs: u32,
    /// Warps of a thread block that encodes, and those of them that predict, at most; boxes that it asks for ahead.
    most_warps: u32,
    most_stages: u32,
    most_ahead: u32,
    pub count_warps: u32,
    /// Shared memory that a thread block that encodes may ask for; of that, what its coders share where boxes are
    /// interpolated and where Lorenzo prediction makes them all, what a warp has that predicts, and one that codes.
    most_shared: u32,
    rows: [u32; 2],
    pub stage: u32,
    ring: u32,
    /// What a thread block that counts has.
    pub counts: u32,
}

impl BoxCompressShapes {
    fn read(words: &[u32], dtype: DType, most_shared: u32) -> Result<Self> {
        let &[
            survey_threads,
            gather_threads,
            program_threads,
            programs,
            program_bytes,
            beside,
            rows,
            lorenzo_rows,
            most_warps,
            stages,
            ahead,
            count_warps,
            counts,
            stage,
            ring,
            slot,
            record,
        ] = words
        else {
            return Err(other_version());
        };
        let of_type = usize::from(dtype == DType::F64);
        let known = [PROGRAM_BYTES, SLOT_BYTES[of_type], RECORD_BYTES[of_type]];
        if [program_bytes, slot, record].map(u64::from) != known {
            return Err(other_version());
        }
        let fit = |beside: u32| most_shared.saturating_sub(beside) / stage.max(1);
        Ok(BoxCompressShapes {
            survey_threads,
            gather_threads,
            program_threads,
            programs,
            most_warps,
            most_stages: stages,
            most_ahead: ahead,
            count_warps: count_warps.min(fit(counts)),
            most_shared: most_shared.saturating_sub(beside),
            rows: [rows, lorenzo_rows],
            stage,
            ring,
            counts,
        })
    }

    /// Warps that a thread block has room for: for as many that predict as leave room for some that code, then for
    /// more of these.
    pub fn most(&self, grid: &BoxGrid) -> Most {
        let (coding, predicting) = SHARES[usize::from(grid.is_lorenzo())];
        let room = self.most_shared.saturating_sub(self.rows_of(grid));
        let beside_coders = room.saturating_sub(SOME_CODERS * self.ring);
        let share = self.most_warps * predicting / (coding + predicting);
        let predictors = self.most_stages.min(share.max(1)).min(beside_coders / self.stage.max(1));
        let coders = (room - predictors * self.stage) / self.ring.max(1);
        let coders = coders.min(self.most_warps.saturating_sub(predictors));
        let coders = coders.min((predictors * coding / predicting).max(1));
        Most { coders: coders.into(), predictors: predictors.into(), ahead: self.most_ahead.into() }
    }

    fn rows_of(&self, grid: &BoxGrid) -> u32 {
        self.rows[usize::from(grid.is_lorenzo())]
    }

    /// Shared memory of a thread block of these warps.
    pub fn shared(&self, grid: &BoxGrid, warps: &Warps) -> u32 {
        self.rows_of(grid) + self.stage * warps.predictors as u32 + self.ring * warps.coders as u32
    }
}
