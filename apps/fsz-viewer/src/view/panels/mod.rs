//! The panels. Each is a function of what it shows to what the user wants.

mod comparison;
mod controls;
mod dialogs;
mod dropped;
mod export_menu;
mod facts;
mod keys;
mod legend;
mod live;
mod measure_plots;
mod measures;
mod panes;
mod plots;
mod probe;
mod rate_distortion;
mod status;
mod top;
mod volume;
mod welcome;

pub use comparison::comparison;
pub use controls::controls;
pub use dialogs::dialogs;
pub use dropped::dropped;
pub use facts::facts;
pub use keys::keys;
pub use legend::legend;
pub use live::live;
pub use measure_plots::measure_plots;
pub use measures::metrics;
pub use panes::panes;
pub use probe::probe;
pub use rate_distortion::rate_distortion;
pub use status::status;
pub use top::top;
pub use volume::volume;
pub use welcome::welcome;
