//! What tables and figures call FSZ, zfp and the model of cuSZp.

pub const FSZ: &str = "fsz";
pub const FSZ_DENSE: &str = "fsz-dense";
/// The paper's design: FSZ with the mean as the centre.
pub const FSZ_PAPER: &str = "fsz-paper";
pub const ZFP_ACCURACY: &str = "zfp-accuracy";
pub const ZFP_RATE: &str = "zfp-rate";
pub const CUSZP_PLAIN: &str = "cuszp-plain-model";
pub const CUSZP_OUTLIER: &str = "cuszp-outlier-model";

/// All of them: no program of the user's has such a name.
pub const OURS: [&str; 7] =
    [FSZ, FSZ_DENSE, FSZ_PAPER, ZFP_ACCURACY, ZFP_RATE, CUSZP_PLAIN, CUSZP_OUTLIER];
