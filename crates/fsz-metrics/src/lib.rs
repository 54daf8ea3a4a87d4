//! How close a reconstructed field is to its original.
//!
//! Every metric takes the original and the reconstruction as slices in C order (last axis
//! fastest) of `f32` or `f64`, and computes in `f64`. Values that no error-bounded codec is asked
//! to approximate (NaN, ±Inf and the missing values that the caller names, see [`Missing`]) stay
//! out of every mean and maximum; they are counted instead, and [`compare`] says whether the
//! reconstruction kept them.
//!
//! | function | gives |
//! |---|---|
//! | [`compare`] | largest error, RMSE, NRMSE, PSNR, mean error, points beyond a bound |
//! | [`ssim()`] | structural similarity of the 2-D slices |
//! | [`error_histogram`] | distribution of the signed error |
//! | [`error_autocorrelation`] | correlation of the error with itself along an axis |
//! | [`derivative_error`] | error of gradient and Laplacian |
//! | [`power_spectrum`] | mean power over shells of equal wave number |
//!
//! Results do not depend on the number of threads: sums are taken over chunks of fixed size and
//! added in order. The functions that take longest have a second form that tells how far it is, to a [`Watch`].
//! [`Partwise`] compares a reconstruction that comes in parts.
#![deny(missing_docs)]

mod autocorrelation;
mod chunks;
mod comparison;
mod derivative;
mod error;
mod histogram;
mod limit;
mod memory;
mod partwise;
mod regions;
mod sample;
mod spectrum;
mod ssim;
mod tally;
mod units;
mod watch;

pub use autocorrelation::error_autocorrelation;
pub use comparison::{Comparison, compare, compare_watched};
pub use derivative::{DerivativeError, derivative_error};
pub use error::{Error, Result};
pub use histogram::{Histogram, error_histogram};
pub use limit::Limit;
pub use partwise::Partwise;
pub use regions::{RegionErrors, by_region, by_region_watched};
pub use sample::{Class, Missing, Sample};
pub use spectrum::{Shell, power_spectrum};
pub use ssim::{Ssim, ssim, ssim_watched};
pub use watch::Watch;
