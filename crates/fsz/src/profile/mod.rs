//! Profiles: how the elements of a chunk become heads and payload, and back. A profile is a module here
//! and a line of `profiles!`; everything else asks [`Profile`].

pub(crate) mod dense;
mod paper;
#[cfg(test)]
mod raw;

use std::ops::Range;

#[cfg(feature = "cuda")]
use crate::choice::{UsualCost, Work};
use crate::{
    bound::Bound,
    dtype::DType,
    element::Element,
    error::{Error, Result},
    exec::Execution,
    format::{
        FixedHeader, RESERVED_LAYOUTS, RESERVED_PROFILES, RelativePart, TileOrder, header::Header,
        tile_grid::TileShape, unsupported,
    },
    quantizer::{Dequantizer, Linear, Quantizer, Relative},
    research::Research,
    simd::Level,
    statistics::Statistics,
    tile_cost::TileCost,
    tile_record::{TileKind, TileRecord},
};

/// What all chunks of a field share when it is encoded.
#[derive(Clone, Debug)]
pub(crate) struct Plan<T> {
    pub quantizer: Quantizer<T>,
    pub missing: Vec<T>,
    pub missing_bits: Vec<u64>,
    /// The range is known, every element is finite and not missing, and every code is in reach of
    /// [`plain_tile`](crate::quantize::plain_tile); the statistics then leave the range out.
    pub known: bool,
    /// The range is known; that of the statistics is not used.
    pub ranged: bool,
}

impl<T: Element> Plan<T> {
    /// The plan that a stream of this header was made by, as far as tiles depend on it; `None` where the
    /// header is of another encoder's curve.
    pub fn of_header(header: &Header) -> Option<Self> {
        let quantizer = match (&header.relative, header.bound) {
            (Some(part), Bound::Relative { eps, .. }) => {
                Quantizer::Relative(Relative::of_header(eps, part.floor, part.curve())?)
            }
            _ => {
                let step = T::from_f64(header.quantization_step);
                Quantizer::Linear(Linear::of_header(step, header.absolute_bound))
            }
        };
        let missing_bits = header.missing_bits.clone();
        let missing = missing_bits.iter().map(|&bits| T::from_bits64(bits)).collect();
        Some(Plan { quantizer, missing, missing_bits, known: false, ranged: true })
    }
}

/// What all chunks of a stream share when it is decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoding<'a> {
    pub dtype: DType,
    pub quantization_step: f64,
    pub relative: Option<RelativePart>,
    pub missing_bits: &'a [u64],
}

impl Decoding<'_> {
    /// What turns codes into values.
    pub fn dequantizer<T: Element>(&self) -> Dequantizer<T> {
        match &self.relative {
            None => Dequantizer::Linear(T::from_f64(self.quantization_step)),
            Some(part) => Dequantizer::Relative(part.curve()),
        }
    }
}

/// Encodes chunks, one after another, in working memory of its own.
pub(crate) trait ChunkEncoder<T> {
    /// Encodes the elements of one chunk, tile by tile: writes its heads, appends its payload and returns its
    /// checksum.
    fn encode(
        &mut self,
        elements: &[T],
        tiles: &[TileShape],
        heads: &mut [u8],
        payload: &mut Vec<u32>,
        statistics: &mut Statistics<T>,
    ) -> u32;
}

/// A chunk as a stream holds it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredChunk<'a> {
    /// Its number, for messages.
    pub number: u64,
    /// What the profile tells of its tiles outside of the payload.
    pub heads: &'a [u8],
    /// A multiple of 4 bytes.
    pub payload: &'a [u8],
    /// Its tiles.
    pub tiles: &'a [TileShape],
    pub checksum: u32,
}

impl StoredChunk<'_> {
    pub(crate) fn damaged(&self) -> Error {
        Error::corrupt(format!("the checksum of chunk {} does not match", self.number))
    }
}

/// Decodes chunks, one after another, in working memory of its own.
pub(crate) trait ChunkDecoder<T> {
    /// Takes a chunk in and checks its checksum.
    fn load(&mut self, chunk: StoredChunk<'_>) -> Result<()>;

    /// Checks what the chunk's checksum does not: that every tile can be decoded.
    fn verify(&mut self) -> Result<()>;

    /// Decodes some tiles of the chunk; `out` has exactly their elements, tile by tile.
    fn decode(&mut self, tiles: Range<usize>, out: &mut [T]) -> Result<()>;

    /// What each way of coding that an encoder considers costs a tile of the chunk: by its elements before
    /// they were compressed where these are given, else by what they are decoded to. The plan is that of the
    /// stream's header.
    fn costs(
        &mut self,
        tile: usize,
        plan: &Plan<T>,
        original: Option<&[T]>,
    ) -> Result<Vec<TileCost>>;
}

/// Tells what chunks hold, one after another.
pub(crate) trait ChunkRecorder {
    /// The records of a chunk's tiles; `first` is the number of its first tile.
    fn records(
        &mut self,
        chunk: StoredChunk<'_>,
        first: u64,
        take: &mut dyn FnMut(TileRecord),
    ) -> Result<()>;
}

/// What a profile is made of. Sealed: profiles are part of the format.
trait Coding: Sized + Copy {
    /// The number in the header.
    const CODE: u8;
    const NAME: &'static str;
    /// It chooses everything by itself.
    const STANDARD: Self;
    /// What calls cost where nothing was measured.
    #[cfg(feature = "cuda")]
    fn usual_cost(work: Work) -> UsualCost;
    /// Bytes of a head: what stands outside of the payload for each tile.
    fn head_len(&self) -> u64;
    fn order(&self) -> TileOrder;
    /// Elements of a full tile.
    fn tile_len(&self) -> usize;
    fn chunk_tiles(&self) -> usize;
    /// Bytes of an entry of the section of sizes.
    fn size_len(&self) -> u64 {
        2
    }
    /// Whether the payload ends with tables, which have an entry of their own in the index.
    fn has_tables(&self) -> bool {
        false
    }
    /// What it may choose that takes the fewest bytes beside the payload.
    fn least(self) -> Self {
        self
    }
    /// How a part of a field that is coded so is: as the field, or as it chooses where that does not suit this shape.
    fn of_part(self, _shape: &[u64]) -> Self {
        self
    }
    /// What it chooses for a field, and its tables.
    fn prepare<T: Element>(
        self,
        _data: &[T],
        _shape: &[u64],
        _plan: &Plan<T>,
        _run: Execution<'_>,
    ) -> Result<(Self, Vec<u32>)> {
        Ok((self, Vec::new()))
    }
    /// What was chosen for another field, for one of this shape and, if that is pointwise-relative, this bound.
    fn fitted<T: Element>(self, _shape: &[u64], _relative: Option<&Relative<T>>) -> Result<Self> {
        Ok(self)
    }
    /// The bytes that it has in the header: its tile layout, and three parameters.
    fn layout(&self) -> u8;
    /// The layout's name.
    fn layout_name(&self) -> &'static str;
    fn parameters(&self) -> [u8; 3];
    /// log2 of the points that elements are coded to, for each code.
    fn fine(&self) -> u32 {
        0
    }
    /// The most that it may choose.
    fn most_fine(&self) -> u32 {
        0
    }
    /// `None` for a layout that it does not have.
    fn from_header(layout: u8, parameters: [u8; 3]) -> Option<Result<Self>>;
    /// [`Error::Corrupt`] when these tables of a stream are wrong, or others cannot be coded by them.
    fn check_tables(self, _tables: &[u32]) -> Result<()> {
        Ok(())
    }
    fn encoder<'a, T: Element>(
        self,
        plan: &'a Plan<T>,
        tables: &[u32],
        level: Level,
    ) -> Box<dyn ChunkEncoder<T> + 'a>;
    /// [`Error::Corrupt`] when the tables are wrong.
    fn decoder<'a, T: Element>(
        self,
        stream: Decoding<'a>,
        tables: &[u32],
        level: Level,
    ) -> Result<Box<dyn ChunkDecoder<T> + 'a>>;
    /// [`Error::Corrupt`] when the tables are wrong.
    fn recorder<'a>(
        self,
        stream: Decoding<'a>,
        tables: &[u32],
    ) -> Result<Box<dyn ChunkRecorder + 'a>>;
    /// The kinds of a chunk's tiles, from its heads where they tell.
    fn kinds(self, chunk: StoredChunk<'_>, take: &mut dyn FnMut(TileKind));
}

macro_rules! profiles {
    ($($(#[doc = $doc:literal])* $(#[cfg($cfg:meta)])? $name:ident: $coding:ty;)*) => {
        /// How elements are coded (FORMAT.md, *Profiles*).
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Profile {
            $($(#[doc = $doc])* $(#[cfg($cfg)])? $name($coding),)*
        }

        impl Profile {
            /// Every profile, each as it chooses everything by itself.
            pub const ALL: &[Profile] = &[
                $($(#[cfg($cfg)])? Profile::$name(<$coding as Coding>::STANDARD),)*
            ];

            #[cfg(feature = "cuda")]
            pub(crate) fn usual_cost(&self, work: Work) -> UsualCost {
                match self { $($(#[cfg($cfg)])? Profile::$name(_) => <$coding>::usual_cost(work),)* }
            }

            /// The number in the header.
            pub const fn code(&self) -> u8 {
                match self { $($(#[cfg($cfg)])? Profile::$name(_) => <$coding as Coding>::CODE,)* }
            }

            /// Its name in messages and JSON.
            pub const fn name(&self) -> &'static str {
                match self { $($(#[cfg($cfg)])? Profile::$name(_) => <$coding as Coding>::NAME,)* }
            }

            /// The name of its tile layout, as FORMAT.md gives it: of `paper` always `linear`, elements that follow each
            /// other; of `dense` that of a [`Layout`](crate::Layout).
            pub fn layout_name(&self) -> &'static str {
                match self { $($(#[cfg($cfg)])? Profile::$name(coding) => Coding::layout_name(coding),)* }
            }

            pub(crate) fn from_header(header: &FixedHeader) -> Result<Self> {
                let parameters = [header.parameter_0, header.parameter_1, header.parameter_2];
                let unknown = || unsupported("tile layout", header.layout, RESERVED_LAYOUTS);
                match header.profile {
                    $($(#[cfg($cfg)])? <$coding as Coding>::CODE => {
                        <$coding>::from_header(header.layout, parameters)
                            .ok_or_else(unknown)?
                            .map(Profile::$name)
                    })*
                    code => Err(unsupported("profile", code, RESERVED_PROFILES)),
                }
            }

            profiles! { @ask [$($(#[cfg($cfg)])? $name,)*]
                head_len() -> u64;
                order() -> TileOrder;
                tile_len() -> usize;
                chunk_tiles() -> usize;
                size_len() -> u64;
                has_tables() -> bool;
                layout() -> u8;
                parameters() -> [u8; 3];
                fine() -> u32;
                most_fine() -> u32;
            }

            pub(crate) fn least(&self) -> Profile {
                match self { $($(#[cfg($cfg)])? Profile::$name(coding) => Profile::$name(coding.least()),)* }
            }

            pub(crate) fn of_part(&self, shape: &[u64]) -> Profile {
                match self { $($(#[cfg($cfg)])? Profile::$name(coding) => Profile::$name(coding.of_part(shape)),)* }
            }

            pub(crate) fn prepare<T: Element>(
                &self,
                data: &[T],
                shape: &[u64],
                plan: &Plan<T>,
                run: Execution<'_>,
            ) -> Result<(Profile, Vec<u32>)> {
                match self {
                    $($(#[cfg($cfg)])? Profile::$name(coding) => {
                        coding.prepare(data, shape, plan, run).map(|(c, tables)| (Profile::$name(c), tables))
                    })*
                }
            }

            pub(crate) fn fitted<T: Element>(
                &self,
                shape: &[u64],
                relative: Option<&Relative<T>>,
            ) -> Result<Profile> {
                match self {
                    $($(#[cfg($cfg)])? Profile::$name(coding) => {
                        coding.fitted(shape, relative).map(Profile::$name)
                    })*
                }
            }

            pub(crate) fn check_tables(&self, tables: &[u32]) -> Result<()> {
                match self { $($(#[cfg($cfg)])? Profile::$name(coding) => coding.check_tables(tables),)* }
            }

            pub(crate) fn encoder<'a, T: Element>(
                &self,
                plan: &'a Plan<T>,
                tables: &[u32],
                level: Level,
            ) -> Box<dyn ChunkEncoder<T> + 'a> {
                match self {
                    $($(#[cfg($cfg)])? Profile::$name(coding) => coding.encoder(plan, tables, level),)*
                }
            }

            pub(crate) fn decoder<'a, T: Element>(
                &self,
                stream: Decoding<'a>,
                tables: &[u32],
                level: Level,
            ) -> Result<Box<dyn ChunkDecoder<T> + 'a>> {
                match self {
                    $($(#[cfg($cfg)])? Profile::$name(coding) => coding.decoder(stream, tables, level),)*
                }
            }

            pub(crate) fn recorder<'a>(
                &self,
                stream: Decoding<'a>,
                tables: &[u32],
            ) -> Result<Box<dyn ChunkRecorder + 'a>> {
                match self {
                    $($(#[cfg($cfg)])? Profile::$name(coding) => coding.recorder(stream, tables),)*
                }
            }

            pub(crate) fn kinds(
                &self,
                chunk: StoredChunk<'_>,
                take: &mut dyn FnMut(TileKind),
            ) {
                match self { $($(#[cfg($cfg)])? Profile::$name(coding) => coding.kinds(chunk, take),)* }
            }
        }
    };
    (@ask $profiles:tt $($question:ident() -> $answer:ty;)*) => {
        $(profiles! { @one $profiles $question $answer })*
    };
    (@one [$($(#[cfg($cfg:meta)])? $name:ident,)*] $question:ident $answer:ty) => {
        pub(crate) fn $question(&self) -> $answer {
            match self { $($(#[cfg($cfg)])? Profile::$name(coding) => coding.$question(),)* }
        }
    };
}

profiles! {
    /// The coding of the FSZ paper: tiles of 256 consecutive elements, Lorenzo prediction, bit-planes.
    Paper: Research;
    /// Interpolation in boxes, entropy-coded: half the bytes, at a fraction of the speed.
    Dense: dense::Dense;
    /// Codes as they are, in boxes.
    #[cfg(test)]
    Raw: raw::Raw;
}

impl Default for Profile {
    fn default() -> Self {
        Profile::Paper(Research::STANDARD)
    }
}

impl Profile {
    /// The one of [`ALL`](Self::ALL) that has this [`name`](Self::name).
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|profile| profile.name() == name)
    }

    /// [`Error::Corrupt`] when a stream of this profile cannot have such a pointwise-relative bound.
    pub(crate) fn check_relative(&self, part: &RelativePart) -> Result<()> {
        match part.curve::<f64>().finer(self.fine()) {
            Some(_) => Ok(()),
            None => {
                Err(Error::corrupt("too many points for each code of a pointwise-relative bound"))
            }
        }
    }

    /// The switches of the paper's profile, if it is that.
    pub fn research(&self) -> Option<&Research> {
        #[allow(unreachable_patterns, reason = "one profile is in releases today")]
        match self {
            Profile::Paper(research) => Some(research),
            _ => None,
        }
    }

    /// Whether it is the paper's profile as the kernels know it, without research switches.
    pub fn is_standard_paper(&self) -> bool {
        *self == Profile::default()
    }
}
