//! The search itself: bounds tried one after another, each nearer to the goal.

use std::cmp::Ordering;

use super::{
    DECIBELS, FAR, RATIO_MARGIN,
    model::{Ends, Model},
};
use crate::{bound::Bound, error::Result};

/// Two bounds nearer to each other than this, in octaves, are one.
const CLOSE: f64 = 1.0 / 1024.0;
/// Further apart than this a line between them tells nothing.
const WIDE: f64 = 8.0;
/// A ratio that is so near is searched no further.
const NEAR: f64 = 1.004;

/// What is asked of a value that grows with the bound: log₂ of the ratio, or octaves of error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    /// Values that are good enough to stop at.
    low: f64,
    high: f64,
    /// Which values count.
    side: Side,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    AtMost,
    AtLeast,
    Nearest,
}

impl Goal {
    pub fn new(bound: Bound, raw: f64) -> Self {
        let near = |low: f64, target: f64, high: f64, side| Goal {
            low: target + low,
            high: target + high,
            side,
        };
        match bound {
            // What is exact is far enough for any PSNR.
            Bound::Psnr(decibels) => {
                near(-0.1 / DECIBELS, (-decibels / DECIBELS).max(-FAR), 0.0, Side::AtMost)
            }
            // No stream has one byte, nor none.
            Bound::MaxBytes(bytes) => {
                near(0.0, (raw / bytes.max(1) as f64).log2(), 1.02f64.log2(), Side::AtLeast)
            }
            _ => {
                let half = NEAR.log2();
                near(-half, bound.requested().log2(), half, Side::Nearest)
            }
        }
    }

    /// Whether values are errors, not lengths.
    pub fn is_of_errors(&self) -> bool {
        self.side == Side::AtMost
    }

    fn aim(&self) -> f64 {
        0.5 * (self.low + self.high)
    }

    fn is_met(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Whether a ratio counts as met.
    fn is_nearly_met(&self, probe: &Probe) -> bool {
        ((probe.value - self.aim()).exp2() - 1.0).abs() <= RATIO_MARGIN
    }

    /// Whether a probe serves: of a ratio any that is not too small, as long as none nearer is found.
    fn serves(&self, value: f64) -> bool {
        match self.side {
            Side::AtMost => value <= self.high,
            Side::AtLeast => value >= self.low,
            Side::Nearest => value >= self.aim() - (1.0 + RATIO_MARGIN).log2(),
        }
    }

    /// Orders probes: the better one is less. A smaller bound is, where both do.
    fn compare(&self, a: &Probe, b: &Probe) -> Ordering {
        let key = |probe: &Probe| match (self.side, probe.value) {
            (Side::AtMost, value) => (value > self.high, (self.high - value).abs()),
            (Side::AtLeast, value) if value >= self.low => (false, probe.at),
            (Side::AtLeast, value) => (true, self.low - value),
            (Side::Nearest, value) if self.is_met(value) => (false, probe.at),
            (Side::Nearest, value) => (true, (value - self.aim()).abs()),
        };
        let (a, b) = (key(a), key(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    }
}

/// A bound that was tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    /// log₂ of it.
    pub at: f64,
    pub value: f64,
    pub mean_squared_error: f64,
}

/// Bounds that were tried, and where to look next.
pub(super) struct Search<'a> {
    goal: Goal,
    ends: Ends,
    model: &'a Model,
    /// Where to begin, unless the model tells.
    start: Option<f64>,
    /// By the bound.
    probes: Vec<Probe>,
    /// Those that are on no plateau.
    steps: usize,
    /// Between which plateaus they are, and how much more the model has there than was found.
    segment: (f64, f64, f64),
    /// How far apart the probes around the goal were, before each step.
    widths: Vec<f64>,
}

impl<'a> Search<'a> {
    pub fn new(goal: Goal, ends: Ends, model: &'a Model, start: Option<f64>) -> Self {
        let segment = (ends.low, ends.high, 0.0);
        let (probes, widths) = (Vec::new(), Vec::new());
        Search { goal, ends, model, start, probes, steps: 0, segment, widths }
    }

    /// Tries bounds until one is near enough, or `most` have been tried; up to `more` beyond these while a ratio is missed.
    pub fn run(
        &mut self,
        most: usize,
        more: usize,
        mut probe: impl FnMut(f64) -> Result<Probe>,
    ) -> Result<()> {
        while let Some(at) = self.plateau() {
            if self.take(probe(at)?) {
                return Ok(());
            }
        }
        while self.steps < most + if self.is_missed() { more } else { 0 }
            && let Some(at) = self.next()
        {
            self.steps += 1;
            if self.take(probe(at)?) {
                return Ok(());
            }
        }
        // What is there at all is at the ends.
        let end = if self.goal.is_of_errors() { self.ends.low } else { self.ends.high };
        if !self.is_served() && self.probes.iter().all(|probe| probe.at != end) {
            self.take(probe(end)?);
        }
        Ok(())
    }

    /// Keeps a probe; whether it is near enough.
    fn take(&mut self, probe: Probe) -> bool {
        let place = self.probes.partition_point(|other| other.at < probe.at);
        self.probes.insert(place, probe);
        self.goal.is_met(probe.value)
    }

    /// Whether a ratio is further from the one asked for than counts as met.
    fn is_missed(&self) -> bool {
        self.goal.side == Side::Nearest && self.best().is_none_or(|p| !self.goal.is_nearly_met(p))
    }

    fn is_served(&self) -> bool {
        self.probes.iter().any(|probe| self.goal.serves(probe.value))
    }

    pub fn best(&self) -> Option<&Probe> {
        self.probes.iter().min_by(|a, b| self.goal.compare(a, b))
    }

    /// The best probe, if it serves; otherwise the largest value that was found.
    pub fn end(&self) -> Result<&Probe, f64> {
        let best = self.best().filter(|_| self.is_served());
        best.ok_or_else(|| self.probes.iter().map(|probe| probe.value).fold(f64::MIN, f64::max))
    }

    /// The lowest plateau that is not known, up to the first one on which the goal is reached: more than one bound may
    /// reach it, and the smallest is asked for.
    fn plateau(&self) -> Option<f64> {
        if self.start.is_some() || self.probes.iter().any(|probe| probe.value >= self.goal.aim()) {
            return None;
        }
        self.model.plateaus.get(self.probes.len()).copied()
    }

    /// Where to look next; none where nothing new is to be seen.
    fn next(&mut self) -> Option<f64> {
        let aim = self.goal.aim();
        let Ends { low, high } = self.ends;
        let (below, above) = self.around(aim);
        let (from, to) = (below.map_or(low, |p| p.at), above.map_or(high, |p| p.at));
        let width = to - from;
        if width < CLOSE {
            return None;
        }
        if self.steps == 0 {
            let more = below.map_or(0.0, |probe| self.model.value(probe.at) - probe.value);
            self.segment = (from, to, more);
            let guess = self.start.unwrap_or_else(|| self.expected(aim));
            // Where a plateau has been looked at there is nothing new.
            let margin = if self.probes.is_empty() { 0.0 } else { width / 50.0 };
            return Some(guess.clamp(from + margin, to - margin));
        }
        let step = |probe: &Probe| {
            let far = self.expected(aim) - self.expected(probe.value);
            far.abs().clamp(0.25, 8.0) * f64::from(1 << (self.steps - 1).min(6))
        };
        let next = match (below, above) {
            (Some(probe), None) => (probe.at + step(&probe)).min(high),
            (None, Some(probe)) => (probe.at - step(&probe)).max(low),
            (Some(below), Some(above)) if width > WIDE => {
                // One of them is somewhere.
                match aim - below.value < above.value - aim {
                    true => below.at + step(&below).min(0.5 * width),
                    false => above.at - step(&above).min(0.5 * width),
                }
            }
            _ => {
                // Plateaus and jumps mislead a line: two steps halve the distance.
                self.widths.push(width);
                let before = self.widths.len().checked_sub(3).map(|k| self.widths[k]);
                let slow = before.is_some_and(|before| width > 0.5 * before);
                let margin = width / 50.0;
                match self.along_the_nearest(aim) {
                    guess if !slow && (from..=to).contains(&guess) => {
                        guess.clamp(from + margin, to - margin)
                    }
                    _ => 0.5 * (from + to),
                }
            }
        };
        Some(next)
    }

    /// The probes below and above the lowest bound that is known to reach the aim.
    fn around(&self, aim: f64) -> (Option<Probe>, Option<Probe>) {
        let rises = |pair: &&[Probe]| pair[0].value < aim && aim <= pair[1].value;
        match (self.probes.windows(2).find(rises), self.probes.first()) {
            (Some(pair), _) => (Some(pair[0]), Some(pair[1])),
            (None, Some(first)) if first.value >= aim => (None, Some(*first)),
            _ => (self.probes.last().copied(), None),
        }
    }

    /// Where the model has a value.
    fn expected(&self, value: f64) -> f64 {
        let (from, to, more) = self.segment;
        self.model.place(value + more, from, to)
    }

    /// Where the line through the two probes with the nearest values meets the aim.
    fn along_the_nearest(&self, aim: f64) -> f64 {
        let mut probes = self.probes.clone();
        probes.sort_by(|p, q| (p.value - aim).abs().total_cmp(&(q.value - aim).abs()));
        let first = probes[0];
        let Some(second) = probes.iter().find(|p| p.value != first.value) else { return first.at };
        let slope = (second.at - first.at) / (second.value - first.value);
        first.at + (aim - first.value) * slope
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Within a fiftieth of the bound the ratio rises by half, as where the step becomes one that all values are multiples of.
    #[test]
    fn a_steep_rise_takes_more_probes_and_a_jump_few() {
        let rise = |at: f64| (3.5f64.log2() + ((at + 30.0) / 0.03).clamp(0.0, 1.0) * 0.68).min(2.5);
        let jump = |at: f64| if at < -30.0 { 1.0 } else { 2.5 };
        let ends = Ends { low: -1000.0, high: 3.0 };
        let model = Model::straight(ends, 35.0);
        let tried = |ratio: &dyn Fn(f64) -> f64, more| {
            let mut search = Search::new(Goal::new(Bound::Ratio(4.0), 1e6), ends, &model, None);
            let probe = |at| Ok(Probe { at, value: ratio(at), mean_squared_error: 0.0 });
            search.run(12, more, probe).expect("no probe fails");
            (search.probes.len(), search.is_missed())
        };
        assert_eq!(tried(&rise, 0), (12, true));
        assert!(!tried(&rise, 12).1);
        let (probes, is_missed) = tried(&jump, 100);
        assert!(is_missed && probes < 30, "{probes}");
    }

    /// Before it rises, the ratio of some fields falls: the line through the nearest two leads far away.
    #[test]
    fn a_rise_between_plateaus_is_found() {
        let ratio = |at: f64| {
            let points = [(-9.0, 4.5), (-8.4, 6.33), (-7.6, 6.05), (-7.0, 6.2), (-6.6, 6.96)];
            let rise = |pair: &[(f64, f64)]| {
                let share = ((at - pair[0].0) / (pair[1].0 - pair[0].0)).clamp(0.0, 1.0);
                share * (pair[1].1 - pair[0].1)
            };
            points[0].1 + points.windows(2).map(rise).sum::<f64>()
        };
        let ends = Ends { low: -128.0, high: 5.0 };
        let model = Model::straight(ends, 18.0);
        for target in [70.0, 75.0, 85.0, 90.0, 100.0, 110.0] {
            let goal = Goal::new(Bound::Ratio(target), 1e6);
            let mut search = Search::new(goal, ends, &model, None);
            let probe = |at| Ok(Probe { at, value: ratio(at), mean_squared_error: 0.0 });
            search.run(12, 0, probe).expect("no probe fails");
            let found = search.best().map(|best| best.value.exp2());
            assert!(
                found.is_some_and(|found| (found / target - 1.0).abs() < 0.03),
                "{target}: {found:?}"
            );
        }
    }
}
