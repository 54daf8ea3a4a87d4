//! What the stages found, for the summary at the end.

use std::collections::BTreeMap;
use std::time::Duration;

/// Notes taken while the stages run.
#[derive(Debug, Default)]
pub struct Report {
    stages: Vec<(&'static str, Duration, bool)>,
    /// cargo's own lines: a test program, then its result.
    results: Vec<String>,
    /// Reason, then what was skipped for it.
    skips: BTreeMap<String, Vec<String>>,
}

impl Report {
    /// Takes in what was found beside.
    pub fn merge(&mut self, other: Report) {
        self.stages.extend(other.stages);
        self.results.extend(other.results);
        for (reason, what) in &other.skips {
            what.iter().for_each(|what| self.skip(what, reason));
        }
    }

    pub fn stage(&mut self, name: &'static str, time: Duration, passed: bool) {
        self.stages.push((name, time, passed));
    }

    pub fn result(&mut self, line: &str) {
        self.results.push(line.to_string());
    }

    /// Something that did not run here, and why.
    pub fn skip(&mut self, what: &str, reason: &str) {
        let skipped = self.skips.entry(reason.to_string()).or_default();
        if !skipped.iter().any(|s| s == what) {
            skipped.push(what.to_string());
        }
    }

    pub fn failed(&self) -> bool {
        self.stages.iter().any(|(_, _, passed)| !passed)
    }

    /// The summary of a run that took so long.
    pub fn print(&self, total: Duration) {
        println!("\n=== summary");
        for line in &self.results {
            println!("{line}");
        }
        println!();
        for (name, time, passed) in &self.stages {
            let outcome = if *passed { "ok" } else { "FAILED" };
            println!("{name:<10} {outcome:<7} {:>6.1} s", time.as_secs_f64());
        }
        println!("{:<10} {:<7} {:>6.1} s", "all", "", total.as_secs_f64());
        let skipped: usize = self.skips.values().map(Vec::len).sum();
        println!("skipped: {skipped}");
        for (reason, what) in &self.skips {
            println!("  {} ({reason}): {}", what.len(), what.join(", "));
        }
    }
}
