//! The rate byte of a block (FORMAT.md, *Choose*).

/// Rate and, in its three high bits, what block 0 says of its tile or the others of its escapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateByte(pub u8);

impl RateByte {
    /// Bit of block 0: the predictor is of second order.
    pub const ORDER2: u8 = 0x80;
    /// Bit of block 0: the codes are centered.
    pub const CENTERED: u8 = 0x40;
    /// Bit of block 0: the tile has escapes.
    pub const ESCAPES: u8 = 0x20;
    /// Bits of the rate.
    pub const RATE: u8 = 0x1F;
    /// Where the bits above the rate begin.
    pub const HIGH_SHIFT: u32 = 5;

    /// Bits per element: 0 to 31.
    #[inline(always)]
    pub const fn rate(self) -> u8 {
        self.0 & Self::RATE
    }

    /// Words of a block of 32: its sign word and planes.
    #[inline(always)]
    pub(crate) const fn words(self) -> usize {
        self.rate() as usize + (self.rate() > 0) as usize
    }

    /// The three bits above the rate.
    #[inline(always)]
    pub const fn high(self) -> u8 {
        self.0 >> Self::HIGH_SHIFT
    }

    /// Of block 0: whether the predictor is of second order.
    #[inline(always)]
    pub const fn order2(self) -> bool {
        self.0 & Self::ORDER2 != 0
    }

    /// Of block 0: whether the codes are centered.
    #[inline(always)]
    pub const fn centered(self) -> bool {
        self.0 & Self::CENTERED != 0
    }

    /// Of block 0: whether the tile has escapes.
    #[inline(always)]
    pub const fn escapes(self) -> bool {
        self.0 & Self::ESCAPES != 0
    }
}
