//! Every command of `fsz`, as a user runs it.

mod bench;
#[cfg(feature = "adios2")]
mod bp;
mod check;
mod compress;
mod errors;
mod fixture;
mod fsz1;
mod generated;
mod inspect;
mod interrupt;
mod output;
mod picture;
mod regions;
mod series;
mod slice;
mod study;
mod study_resume;
mod study_zfp;
mod zfp;
