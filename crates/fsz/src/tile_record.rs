//! What a stream tells of its tiles without being decoded.

/// How the elements of a tile are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Storage {
    /// All elements have codes.
    Coded,
    /// Some elements have codes, others are stored exactly.
    Exceptions,
    /// All elements have the same bits, stored once.
    Constant,
    /// All elements are stored exactly.
    Verbatim,
}

/// How the codes of a tile are predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Predictor {
    /// First-order Lorenzo.
    Lz1,
    /// Second-order Lorenzo.
    Lz2,
    /// First-order Lorenzo of centered codes.
    Lz1Centered,
    /// Second-order Lorenzo of centered codes.
    Lz2Centered,
}

impl Predictor {
    /// All of them, in the order in which ties are broken.
    pub const ALL: [Predictor; 4] =
        [Predictor::Lz1, Predictor::Lz2, Predictor::Lz1Centered, Predictor::Lz2Centered];

    /// Order of the prediction: 1 or 2.
    pub const fn order(self) -> u8 {
        match self {
            Predictor::Lz1 | Predictor::Lz1Centered => 1,
            Predictor::Lz2 | Predictor::Lz2Centered => 2,
        }
    }

    /// Whether the codes are centered.
    pub const fn centered(self) -> bool {
        matches!(self, Predictor::Lz1Centered | Predictor::Lz2Centered)
    }

    pub(crate) const fn new(order2: bool, centered: bool) -> Self {
        match (order2, centered) {
            (false, false) => Predictor::Lz1,
            (true, false) => Predictor::Lz2,
            (false, true) => Predictor::Lz1Centered,
            (true, true) => Predictor::Lz2Centered,
        }
    }
}

/// How a tile is shown: by its predictor when all of its elements have codes, else by its storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TileKind {
    /// First-order Lorenzo prediction.
    Lz1,
    /// Second-order Lorenzo prediction.
    Lz2,
    /// First-order Lorenzo prediction of centered codes.
    Lz1Centered,
    /// Second-order Lorenzo prediction of centered codes.
    Lz2Centered,
    /// Interpolation.
    Interpolated,
    /// One repeated bit pattern, stored exactly.
    Constant,
    /// Predicted, with some elements stored exactly.
    Exceptions,
    /// All elements stored exactly.
    Verbatim,
}

impl TileKind {
    /// All of them, as legends and tables list them.
    pub const ALL: [TileKind; 8] = [
        TileKind::Lz1,
        TileKind::Lz2,
        TileKind::Lz1Centered,
        TileKind::Lz2Centered,
        TileKind::Interpolated,
        TileKind::Constant,
        TileKind::Exceptions,
        TileKind::Verbatim,
    ];

    /// How a tile is shown of which all elements have codes.
    pub const fn of(predictor: Predictor) -> Self {
        match predictor {
            Predictor::Lz1 => TileKind::Lz1,
            Predictor::Lz2 => TileKind::Lz2,
            Predictor::Lz1Centered => TileKind::Lz1Centered,
            Predictor::Lz2Centered => TileKind::Lz2Centered,
        }
    }

    /// Its name in JSON and CSV files, such as `lz1_centered`.
    pub const fn name(self) -> &'static str {
        match self {
            TileKind::Lz1 => "lz1",
            TileKind::Lz2 => "lz2",
            TileKind::Lz1Centered => "lz1_centered",
            TileKind::Lz2Centered => "lz2_centered",
            TileKind::Interpolated => "interpolated",
            TileKind::Constant => "constant",
            TileKind::Exceptions => "exceptions",
            TileKind::Verbatim => "verbatim",
        }
    }
}

/// One tile.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct TileRecord {
    /// Number of the tile in the field.
    pub index: u64,
    /// How its elements are stored.
    pub storage: Storage,
    /// How its codes are predicted; `None` when it has none, or when the profile predicts otherwise.
    pub predictor: Option<Predictor>,
    /// Compressed bytes, in the payload and outside of it.
    pub bytes: u64,
    /// Elements stored exactly.
    pub escapes: u32,
    pub(crate) rates: [u8; 16],
    pub(crate) blocks: u8,
}

impl TileRecord {
    /// Bits per element of each block; empty where the profile has no blocks.
    pub fn rates(&self) -> &[u8] {
        &self.rates[..self.blocks as usize]
    }

    /// How the tile is shown.
    pub fn kind(&self) -> TileKind {
        match (self.storage, self.predictor) {
            (Storage::Constant, _) => TileKind::Constant,
            (Storage::Verbatim, _) => TileKind::Verbatim,
            (Storage::Exceptions, _) => TileKind::Exceptions,
            (Storage::Coded, Some(predictor)) => TileKind::of(predictor),
            (Storage::Coded, None) => TileKind::Interpolated,
        }
    }
}

/// How many tiles are stored how. Each tile counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TileCounts {
    /// All tiles.
    pub count: u64,
    /// [`TileKind::Lz1`].
    pub lz1: u64,
    /// [`TileKind::Lz2`].
    pub lz2: u64,
    /// [`TileKind::Lz1Centered`].
    pub lz1_centered: u64,
    /// [`TileKind::Lz2Centered`].
    pub lz2_centered: u64,
    /// [`TileKind::Interpolated`].
    pub interpolated: u64,
    /// [`TileKind::Constant`].
    pub constant: u64,
    /// [`TileKind::Exceptions`].
    pub exceptions: u64,
    /// [`TileKind::Verbatim`].
    pub verbatim: u64,
}

impl TileCounts {
    /// Tiles of one kind.
    pub fn of(mut self, kind: TileKind) -> u64 {
        *self.entry(kind)
    }

    pub(crate) fn take(&mut self, kind: TileKind) {
        self.count += 1;
        *self.entry(kind) += 1;
    }

    fn entry(&mut self, kind: TileKind) -> &mut u64 {
        match kind {
            TileKind::Lz1 => &mut self.lz1,
            TileKind::Lz2 => &mut self.lz2,
            TileKind::Lz1Centered => &mut self.lz1_centered,
            TileKind::Lz2Centered => &mut self.lz2_centered,
            TileKind::Interpolated => &mut self.interpolated,
            TileKind::Constant => &mut self.constant,
            TileKind::Exceptions => &mut self.exceptions,
            TileKind::Verbatim => &mut self.verbatim,
        }
    }
}
