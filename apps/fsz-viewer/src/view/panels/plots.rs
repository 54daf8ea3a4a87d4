//! Plots that look alike.

use egui::Rangef;
use egui_plot::{AxisHints, GridInput, GridMark, Plot};

use crate::model::number_format::within;

/// What a label takes along each axis, in points: lines of the grid are that far apart at least.
const ROOM: [f32; 2] = [56.0, 20.0];

/// The spacing that egui_plot's recommended step is of.
const FINEST: f32 = 8.0;

/// A plot of a name and height, which the wheel scrolls past.
pub fn plot(name: &str, height: f32) -> Plot<'_> {
    plot_of(name, height, "", "")
}

/// A plot with labels at its axes.
pub fn plot_of<'a>(name: &'a str, height: f32, x: &'a str, y: &'a str) -> Plot<'a> {
    // Every line has its label; none is faded, so that they stay readable.
    let axis = |hints: AxisHints<'a>, label: &'a str| {
        let hints = hints.label(label).label_spacing(Rangef::new(16.0, 16.5));
        // Lines of a narrow plot may differ in a late digit.
        hints.formatter(|mark, _| within(mark.value, mark.value, mark.value + mark.step_size))
    };
    let [of_x, of_y] = ROOM.map(|room| f64::from(room / FINEST));
    Plot::new(name)
        .height(height)
        .allow_scroll(false)
        .grid_spacing(Rangef::new(FINEST, 300.0))
        .x_grid_spacer(move |input| lines(&input, of_x))
        .y_grid_spacer(move |input| lines(&input, of_y))
        .custom_x_axes(vec![axis(AxisHints::new_x(), x)])
        .custom_y_axes(vec![axis(AxisHints::new_y(), y)])
}

/// The lines of a grid: multiples of a step that is so many times the recommended one at least.
fn lines(input: &GridInput, times: f64) -> Vec<GridMark> {
    let step = round_up(input.base_step_size * times);
    let (first, last) = ((input.bounds.0 / step).ceil(), (input.bounds.1 / step).floor());
    if !(step.is_normal() && last - first < 1e3) {
        return Vec::new();
    }
    let line = |k: i64| GridMark { value: k as f64 * step, step_size: step };
    (first as i64..=last as i64).map(line).collect()
}

/// The next of 1, 2 and 5 times a power of ten.
fn round_up(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let times = [1.0, 2.0, 5.0].into_iter().find(|times| times * power >= step);
    times.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(bounds: (f64, f64), base_step_size: f64) -> Vec<f64> {
        let input = GridInput { bounds, base_step_size };
        lines(&input, 4.0).iter().map(|mark| mark.value).collect()
    }

    #[test]
    fn lines_are_round_numbers_with_room_between_them() {
        assert_eq!(values((-3.0, 90.0), 4.0), [0.0, 20.0, 40.0, 60.0, 80.0]);
        assert_eq!(
            values((0.1, 0.45), 0.02),
            [0.1, 0.2, 0.3, 0.4].map(|v: f64| (v * 10.0).round() * 0.1)
        );
        assert_eq!(values((-30.0, 30.0), 12.0), [0.0]);
    }

    #[test]
    fn a_plot_without_extent_has_no_lines() {
        for step in [0.0, f64::NAN, f64::INFINITY] {
            assert!(values((0.0, 1.0), step).is_empty(), "{step}");
        }
        assert!(values((0.0, f64::INFINITY), 1.0).is_empty());
    }
}
