//! The constants that kernels and shaders share, by name.

use fsz::format::{
    BLOCK, CHUNK, CHUNK_TILES, EscapeField, EscapeKind, GROUP_CHUNKS, MAX_CODE, MAX_DIMS,
    MAX_MISSING, Pattern, RateByte, TILE, TILE_BLOCKS, dense,
};

/// A constant with its comment, which begins a paragraph where there is one.
pub struct Constant {
    pub comment: Option<&'static str>,
    pub name: String,
    pub value: u32,
    /// Whether it is a mask, shown in hexadecimal.
    pub bits: bool,
}

fn number(comment: Option<&'static str>, name: &str, value: u32) -> Constant {
    Constant { comment, name: name.to_owned(), value, bits: false }
}

fn mask(comment: Option<&'static str>, name: &str, value: u8) -> Constant {
    Constant { comment, name: name.to_owned(), value: value.into(), bits: true }
}

/// All of them, in the order of FORMAT.md.
pub fn constants() -> Vec<Constant> {
    let mut all = vec![
        number(Some("Codes of a block, blocks and elements of a tile."), "BLOCK", BLOCK as u32),
        number(None, "TILE_BLOCKS", TILE_BLOCKS as u32),
        number(None, "TILE", TILE as u32),
        number(
            Some("Tiles and elements of a chunk, chunks of a group."),
            "CHUNK_TILES",
            CHUNK_TILES as u32,
        ),
        number(None, "CHUNK", CHUNK as u32),
        number(None, "GROUP_CHUNKS", GROUP_CHUNKS as u32),
        number(Some("Largest code."), "CODE_MAX", MAX_CODE as u32),
        number(
            Some("Most missing values that a header names, and dimensions."),
            "MISSING_MAX",
            MAX_MISSING as u32,
        ),
        number(None, "DIMS_MAX", MAX_DIMS as u32),
        mask(
            Some("Bits of a rate byte; the first three of a tile's block 0 alone."),
            "RATE_ORDER2",
            RateByte::ORDER2,
        ),
        mask(None, "RATE_CENTERED", RateByte::CENTERED),
        mask(None, "RATE_ESCAPES", RateByte::ESCAPES),
        mask(None, "RATE_MASK", RateByte::RATE),
        number(None, "RATE_HIGH_SHIFT", RateByte::HIGH_SHIFT),
        number(
            Some("The escape field: where its parts begin, and their bits."),
            "ESCAPE_BITS_PER_BLOCK",
            EscapeField::BITS_PER_BLOCK,
        ),
        number(None, "ESCAPE_BLOCKS", EscapeField::BLOCKS as u32),
    ];
    for (name, (shift, bits)) in [
        ("KIND", EscapeField::KIND),
        ("PATTERN", EscapeField::PATTERN),
        ("RUN_ENDS", EscapeField::RUN_ENDS),
        ("LISTED", EscapeField::LISTED),
    ] {
        all.push(number(None, &format!("ESCAPE_{name}_SHIFT"), shift));
        all.push(mask(None, &format!("ESCAPE_{name}_MASK"), ((1u32 << bits) - 1) as u8));
    }
    all.push(number(None, "ESCAPE_USED_BITS", EscapeField::USED));
    for (comment, name, value) in [
        (Some("Kinds of tiles with escapes."), "KIND_EXCEPTIONS", EscapeKind::Exceptions as u32),
        (None, "KIND_CONSTANT", EscapeKind::Constant as u32),
        (None, "KIND_VERBATIM", EscapeKind::Verbatim as u32),
        (Some("Where the bits of masked elements come from."), "PATTERN_NAN", Pattern::Nan as u32),
        (None, "PATTERN_NEGATIVE_NAN", Pattern::NegativeNan as u32),
        (None, "PATTERN_FIRST_MISSING", Pattern::FirstMissing as u32),
        (None, "PATTERN_IN_PAYLOAD", Pattern::InPayload as u32),
        (
            Some("Masks: listed run ends up to the first, a bitmap with the second."),
            "RUN_ENDS_MAX",
            EscapeField::MOST_RUN_ENDS as u32,
        ),
        (None, "MASK_BITMAP", u32::from(EscapeField::BITMAP)),
        (None, "LISTED_MAX", EscapeField::MOST_LISTED as u32),
    ] {
        all.push(number(comment, name, value));
    }
    all
}

/// Numbers of the profile `dense`.
pub fn dense_constants() -> Vec<(&'static str, u64)> {
    vec![
        ("BOX", dense::BOX as u64),
        ("LANES", dense::LANES as u64),
        ("MIN_COLUMNS", dense::MIN_COLUMNS as u64),
        ("LISTED_SHARE", dense::LISTED_SHARE as u64),
        ("SLOT_BITS", dense::SLOT_BITS.into()),
        ("SLOTS", dense::SLOTS.into()),
        ("LOW", dense::LOW.into()),
        ("RAW_BITS", dense::RAW_BITS.into()),
        ("DIRECT", dense::DIRECT.unsigned_abs().into()),
        ("LORENZO_DIRECT", dense::LORENZO_DIRECT.into()),
        ("RESIDUAL_SYMBOLS", dense::RESIDUAL_SYMBOLS as u64),
        ("RESIDUAL_ESCAPE_BITS", dense::RESIDUAL_ESCAPE_BITS.into()),
        ("DIFFERENCE_SYMBOLS", dense::DIFFERENCE_SYMBOLS as u64),
        ("FINE_CONTEXTS", dense::FINE_CONTEXTS.into()),
        ("COARSE_CONTEXTS", dense::COARSE_CONTEXTS.into()),
        ("CORNERS", dense::CORNERS.into()),
        ("LORENZO_CONTEXTS", dense::LORENZO_CONTEXTS.into()),
        ("LORENZO_SIZE_MOST", dense::LORENZO_SIZE_MOST.into()),
        ("FLAG_CONTEXTS", dense::FLAG_CONTEXTS.into()),
        ("PASS_FLAGS", dense::PASS_FLAGS.into()),
        ("PART_BITS", dense::PART_BITS.into()),
        ("MOST_VALUE", dense::MOST_VALUE.unsigned_abs().into()),
        ("MOST_TABLES", dense::MOST_TABLES),
        ("LEAST_STRIDE", dense::LEAST_STRIDE),
        ("MOST_FINE_KNEE", dense::MOST_FINE_KNEE.into()),
        ("LINEAR", dense::LINEAR.into()),
        ("CUBIC", dense::CUBIC.into()),
        ("SMOOTH", dense::SMOOTH.into()),
        ("LORENZO", dense::LORENZO.into()),
        ("BLENDED", dense::BLENDED.into()),
        ("SPREAD_BITS", dense::SPREAD_BITS.into()),
        ("BLENDED_SPREAD_BITS", dense::BLENDED_SPREAD_BITS.into()),
    ]
}

/// A constant's value as both languages write it.
pub fn literal(constant: &Constant) -> String {
    if constant.bits {
        format!("0x{:02X}u", constant.value)
    } else {
        format!("{}u", constant.value)
    }
}
