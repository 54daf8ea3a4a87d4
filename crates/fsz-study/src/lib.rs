//! A study of compression on fields: what FSZ, zfp, a cost model of cuSZp and programs of the user's
//! make of them, beside the claims of the paper.
//!
//! A [`Plan`] says what to measure; [`Plan::measure`] gives the [`FieldRecord`] of one field, a [`Cache`]
//! keeps it, and [`write()`] makes the report and its CSV files of all of them.

mod bit_rounding;
mod cache;
mod claims;
mod codecs;
mod curve;
mod cuszp_model;
mod datasets;
mod eta;
mod external_stream;
mod fidelity;
mod figures;
mod fsz1;
mod gpu;
mod html;
mod machine;
mod matched;
mod measure;
mod measured_peers;
mod peer;
mod plan;
mod record;
mod relative;
mod report;
mod slice;
mod stats;
mod subject;
mod tables;

pub use cache::{Cache, fingerprint};
pub use eta::{Eta, duration};
pub use external_stream::ExternalStream;
pub use fsz1::Fsz1Stream;
pub use gpu::{Device, ErrorFound, GpuRow, GpuRun, Speeds};
pub use html::csv;
pub use peer::{Peer, PeerRun, RELATIVE_BOUND};
pub use plan::{Input, Plan};
pub use record::{FieldRecord, Shares};
pub use report::{Study, check, write};
pub use stats::geomean;
