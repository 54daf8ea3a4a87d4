//! A series: a line for each stream, and the worst.

use anyhow::Result;
use fsz::Codec;
use fsz_figure::number::short;
use serde::Serialize;

use super::pairs::Pairs;
use super::{Args, Found};
use crate::failure::{is_interrupt, message};
use crate::terminal::{self, count};

/// What was found, by the names of the JSON output.
#[derive(Debug, Serialize)]
struct Series {
    /// Every stream is as it must be.
    holds: bool,
    streams: Vec<Checked>,
}

#[derive(Debug, Serialize)]
struct Checked {
    /// None where an original has no stream.
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    original: Option<String>,
    #[serde(flatten)]
    found: Option<Found>,
    /// Why the stream could not be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Checked {
    fn holds(&self) -> bool {
        self.found.as_ref().is_some_and(Found::holds)
    }
}

/// Checks all pairs and says what was found; whether all hold, and nothing lacks its counterpart.
pub fn check(args: &Args, pairs: &Pairs, codec: &Codec, quiet: bool) -> Result<bool> {
    let mut streams = Vec::new();
    for (i, pair) in pairs.whole.iter().enumerate() {
        let what = format!("verifying {} of {}", i + 1, pairs.whole.len());
        let (found, error) = match args.check(pair, codec, &what, quiet) {
            Err(error) if is_interrupt(&error) => return Err(error),
            Err(error) => {
                terminal::problem(&error);
                (None, Some(message(&error)))
            }
            Ok(found) => (Some(found), None),
        };
        let file = pair.stream.display().to_string();
        if let Some(found) = &found
            && !args.json
            && !quiet
        {
            terminal::line(&format!("{file}: {}", found.text()))?;
        }
        let original = pair.original.as_ref().map(|path| path.display().to_string());
        streams.push(Checked { file: Some(file), original, found, error });
    }
    for half in &pairs.halves {
        terminal::problem(&half.why);
        let [file, original] = [&half.stream, &half.original]
            .map(|path| path.as_ref().map(|path| path.display().to_string()));
        let error = Some(message(&half.why));
        streams.push(Checked { file, original, found: None, error });
    }
    let series = Series { holds: streams.iter().all(Checked::holds), streams };
    if args.json {
        terminal::print_json(&series)?;
    } else if !quiet {
        terminal::line(&series.text())?;
    }
    Ok(series.holds)
}

impl Series {
    /// How many hold, and the largest error.
    fn text(&self) -> String {
        let (streams, originals): (Vec<&Checked>, Vec<_>) =
            self.streams.iter().partition(|checked| checked.file.is_some());
        let (all, failed) =
            (streams.len(), streams.iter().filter(|checked| !checked.holds()).count());
        let alone = streams.iter().any(|checked| checked.original.is_none());
        let mut text = match (failed, alone) {
            (0, true) if all == 1 => "the stream is intact".to_owned(),
            (0, false) if all == 1 => "the stream holds".to_owned(),
            (0, true) => format!("all {all} streams are intact"),
            (0, false) => format!("all {all} streams hold"),
            _ => format!("{failed} of {all} streams FAILED"),
        };
        if !originals.is_empty() {
            text.push_str(&format!(", {} WITHOUT a stream", count(originals.len(), "original")));
        }
        let found = streams
            .iter()
            .filter_map(|checked| Some((checked.file.as_ref()?, checked.found.as_ref()?)));
        // Of several that have it, the first, as fsz inspect tells it.
        let worst = found.rev().max_by(|a, b| a.1.max_abs_error().total_cmp(&b.1.max_abs_error()));
        if let Some((file, found)) = worst {
            let (at_most, error) = (found.at_most(), short(found.max_abs_error()));
            text.push_str(&format!(", max error {at_most}{error} in {file}"));
        }
        text
    }
}
