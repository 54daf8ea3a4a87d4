//! What the viewer remembers from one start to the next.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::palette::Map;
use crate::model::saved_session::SavedSession;
use crate::model::scene::{ErrorMode, Overlay};
use crate::model::sweep_point::Extent;
use crate::model::trial::Target;
use crate::model::volume::volume_view::VolumeView;

/// How many files are remembered.
const RECENT: usize = 12;

/// Which part of the values the colours are spread over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RangeMode {
    /// The range of the whole original, as the stream's certificate or the values say.
    #[default]
    Field,
    /// The range of the plane.
    Plane,
    /// The plane's values without 1 % at either end.
    Percentile,
    /// Of each pane the range of its own plane.
    Own,
}

impl RangeMode {
    /// All of them, in the order of the menu.
    pub const ALL: [RangeMode; 4] =
        [RangeMode::Field, RangeMode::Plane, RangeMode::Percentile, RangeMode::Own];

    /// Its name in the menu.
    pub fn name(self) -> &'static str {
        match self {
            RangeMode::Field => "Whole field",
            RangeMode::Plane => "This plane",
            RangeMode::Percentile => "1st to 99th percentile",
            RangeMode::Own => "Per pane",
        }
    }
}

/// Which panes there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Layout {
    /// All of them.
    #[default]
    All,
    /// The original and the reconstructions.
    Fields,
    /// The errors.
    Errors,
    /// Two reconstructions, each with its error.
    Codecs,
}

impl Layout {
    /// All of them, in the order of the menu.
    pub const ALL: [Layout; 4] = [Layout::All, Layout::Fields, Layout::Errors, Layout::Codecs];

    /// Its name in the menu.
    pub fn name(self) -> &'static str {
        match self {
            Layout::All => "All",
            Layout::Fields => "Values",
            Layout::Errors => "Errors",
            Layout::Codecs => "Two codecs and their errors",
        }
    }

    /// Whether a pane is shown: of the original, or of an error, or of neither.
    pub fn shows(self, original: bool, error: bool) -> bool {
        match self {
            Layout::All => true,
            Layout::Fields => !error,
            Layout::Errors => error,
            Layout::Codecs => !original,
        }
    }
}

/// Choices of the user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Colours of values.
    pub map: Map,
    /// Their range.
    pub range: RangeMode,
    /// By the logarithm.
    pub log: bool,
    /// Which error.
    pub error: ErrorMode,
    /// Over the reconstruction.
    pub overlay: Overlay,
    /// Of the overlay, from 0 to 1.
    pub opacity: f32,
    /// What *Recompress* asks for.
    pub try_target: Target,
    /// Its value-range bound.
    pub try_bound: f64,
    /// Its PSNR in dB.
    pub try_psnr: f64,
    /// Its compression ratio.
    pub try_ratio: f64,
    /// It is compressed by the profile `dense`.
    pub try_dense: bool,
    /// Which panes there are.
    pub layout: Layout,
    /// Where the user put them, as the window writes it.
    pub arrangement: Option<serde_json::Value>,
    /// What rate and distortion are plotted of.
    pub sweep_extent: Extent,
    /// The panel of metrics.
    pub metrics: bool,
    /// The files opened last.
    pub recent: Vec<PathBuf>,
    /// How the field is looked at in three dimensions.
    pub volume: VolumeView,
    /// What was open when the viewer was closed.
    pub session: Option<SavedSession>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            map: Map::default(),
            range: RangeMode::default(),
            log: false,
            error: ErrorMode::default(),
            overlay: Overlay::Off,
            opacity: 0.6,
            try_target: Target::default(),
            try_bound: 1e-3,
            try_psnr: 60.0,
            try_ratio: 10.0,
            try_dense: false,
            layout: Layout::All,
            arrangement: None,
            sweep_extent: Extent::default(),
            metrics: true,
            recent: Vec::new(),
            volume: VolumeView::default(),
            session: None,
        }
    }
}

impl Settings {
    /// Those in a text that was kept. What this version does not know, as of a later one, is as at the first start, and the
    /// rest is kept.
    pub fn read(text: &str) -> Settings {
        let Ok(all) = serde_json::from_str::<serde_json::Map<_, _>>(text) else {
            return Settings::default();
        };
        let is_known = |(key, value): &(String, serde_json::Value)| {
            let alone = serde_json::Map::from_iter([(key.clone(), value.clone())]);
            serde_json::from_value::<Settings>(alone.into()).is_ok()
        };
        let known: serde_json::Map<_, _> = all.into_iter().filter(is_known).collect();
        serde_json::from_value(known.into()).unwrap_or_default()
    }

    /// Puts a file in front of those opened last.
    pub fn opened(&mut self, path: &std::path::Path) {
        // The next start may be in another folder.
        let path = std::path::absolute(path).unwrap_or(path.to_owned());
        if path.to_str().is_none() {
            // The text that settings are kept as has no such names: nothing would be kept.
            return;
        }
        self.recent.retain(|known| *known != path);
        self.recent.insert(0, path);
        self.recent.truncate(RECENT);
    }
}

/// A choice of the user, changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Setting {
    /// Colours of values.
    Map(Map),
    /// Their range.
    Range(RangeMode),
    /// By the logarithm.
    Log(bool),
    /// Which error.
    Error(ErrorMode),
    /// Over the reconstruction.
    Overlay(Overlay),
    /// Of the overlay.
    Opacity(f32),
    /// What *Recompress* asks for.
    TryTarget(Target),
    /// The number of it.
    TryNumber(f64),
    /// By which profile.
    TryDense(bool),
    /// Which panes there are.
    Layout(Layout),
    /// What rate and distortion are plotted of.
    SweepExtent(Extent),
    /// The panel of metrics.
    Metrics(bool),
}

impl Settings {
    fn try_number_mut(&mut self) -> &mut f64 {
        match self.try_target {
            Target::Range => &mut self.try_bound,
            Target::Psnr => &mut self.try_psnr,
            Target::Ratio => &mut self.try_ratio,
        }
    }

    /// The number that *Recompress* asks for.
    pub fn try_number(&self) -> f64 {
        match self.try_target {
            Target::Range => self.try_bound,
            Target::Psnr => self.try_psnr,
            Target::Ratio => self.try_ratio,
        }
    }

    /// Takes a change.
    pub fn set(&mut self, setting: Setting) {
        match setting {
            Setting::Map(map) => self.map = map,
            Setting::Range(range) => self.range = range,
            Setting::Log(log) => self.log = log,
            Setting::Error(error) => self.error = error,
            Setting::Overlay(overlay) => self.overlay = overlay,
            Setting::Opacity(opacity) => self.opacity = opacity,
            Setting::TryTarget(target) => self.try_target = target,
            Setting::TryNumber(number) => *self.try_number_mut() = number,
            Setting::TryDense(dense) => self.try_dense = dense,
            Setting::Layout(layout) => self.layout = layout,
            Setting::SweepExtent(extent) => self.sweep_extent = extent,
            Setting::Metrics(metrics) => self.metrics = metrics,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn what_is_not_known_takes_nothing_else_with_it() {
        let text = r#"{"map":"of a later version","opacity":null,"try_bound":0.25,"volume":7,"recent":["/a"],"new":1}"#;
        let expected =
            Settings { try_bound: 0.25, recent: vec!["/a".into()], ..Settings::default() };
        assert_eq!(Settings::read(text), expected);
        let kept = serde_json::to_string(&expected).unwrap();
        assert_eq!(Settings::read(&kept), expected);
        for text in ["", "[]", "{", &kept[..kept.len() / 2]] {
            assert_eq!(Settings::read(text), Settings::default());
        }
    }

    #[test]
    fn files_are_found_again_from_another_folder() {
        let mut settings = Settings::default();
        let file = std::path::absolute("wave.fsz").unwrap();
        for path in [Path::new("wave.fsz"), &file, Path::new("/data/other.fsz")] {
            settings.opened(path);
        }
        assert_eq!(settings.recent, [PathBuf::from("/data/other.fsz"), file]);
    }
}
