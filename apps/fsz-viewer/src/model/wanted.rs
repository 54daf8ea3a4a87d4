//! What of a file is to be shown first, where that is told with it.

use crate::model::catalog::{Catalog, Choice};
use crate::model::grid::Grid;
use crate::model::plane::Place;

/// What of a file is to be shown first; of what is none, what was shown before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The variable and step; without a name, any variable.
    pub choice: Option<Choice>,
    /// The plane; its axis is one of the field's own.
    pub place: Option<Place>,
}

impl Wanted {
    /// What of the choice the file does not have, in the user's words; `found` is shown in its place.
    pub fn lacks(&self, catalog: &Catalog, found: &Choice) -> Option<String> {
        let choice = self.choice.as_ref()?;
        let file = catalog.path.display();
        if !choice.variable.is_empty() && choice.variable != found.variable {
            let (wanted, shown) = (&choice.variable, &found.variable);
            return Some(format!("{file} has no variable {wanted}; {shown} is shown"));
        }
        let (name, last) = (&found.variable, catalog.steps(&found.variable) - 1);
        (choice.step > last).then(|| {
            format!("{file}: the last step of {name} is {last}, not {}; it is shown", choice.step)
        })
    }

    /// The plane of a field: the nearest that it has. `place` is of the field's own axes.
    pub fn place_in(&self, grid: &Grid) -> Option<Place> {
        let Place { axis, plane } = self.place?;
        let axis = grid.shown_axis(axis).unwrap_or(grid.axes() - 1);
        Some(Place { axis, plane }.within(grid))
    }

    /// What of the plane the field does not have, in the user's words.
    pub fn lacks_plane(&self, title: &str, grid: &Grid) -> Option<String> {
        let (wanted, found) = (self.place?, self.place_in(grid)?);
        let name = grid.axis_name(found.axis);
        if grid.shown_axis(wanted.axis).is_none() {
            return Some(format!("{title} has no axis {}; {name} is shown", wanted.axis));
        }
        (wanted.plane != found.plane).then(|| {
            let (last, wanted) = (found.plane, wanted.plane);
            format!("{title}: the last plane of {name} is {last}, not {wanted}; it is shown")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::catalog::Entry;

    #[test]
    fn what_a_file_does_not_have_is_told() {
        let entry = |name: &str| Entry { name: name.to_owned(), steps: 3, marks: [].into() };
        let catalog = Catalog { path: "run.bp".into(), entries: vec![entry("U"), entry("V")] };
        let told = |variable: &str, step| {
            let choice = Choice { variable: variable.to_owned(), step };
            let wanted = Wanted { choice: Some(choice.clone()), place: None };
            wanted.lacks(&catalog, &catalog.nearest(&choice)).unwrap_or_default()
        };
        assert_eq!([told("V", 2), told("", 0)], [""; 2]);
        assert_eq!(told("W", 9), "run.bp has no variable W; U is shown");
        assert_eq!(told("V", 3), "run.bp: the last step of V is 2, not 3; it is shown");
        assert_eq!(Wanted::default().lacks(&catalog, &catalog.nearest(&Choice::default())), None);
    }

    #[test]
    fn a_plane_that_is_not_there_is_told() {
        let wanted = |axis, plane| Wanted { choice: None, place: Some(Place { axis, plane }) };
        let told = |shape: &[u64], axis, plane| {
            wanted(axis, plane).lacks_plane("T", &Grid::new(shape)).unwrap_or_default()
        };
        assert_eq!([told(&[4, 5, 6], 2, 5), told(&[5, 6], 1, 0), told(&[], 0, 0)], [""; 3]);
        assert_eq!(told(&[4, 5, 6], 3, 0), "T has no axis 3; axis 2 is shown");
        let last = "T: the last plane of axis 1 is 4, not 5; it is shown";
        assert_eq!(told(&[4, 5, 6], 1, 5), last);
        assert_eq!(told(&[5, 6], 2, 0), "T has no axis 2; the whole field is shown");
        // Leading axes are taken together, and those behind them are called what they are.
        let grid = Grid::new(&[2, 3, 4, 5, 6]);
        let shown = [0, 1, 2, 3, 4].map(|axis| wanted(axis, 3).place_in(&grid).unwrap().axis);
        assert_eq!(shown, [0, 0, 0, 1, 2]);
        assert_eq!(grid.axis_name(shown[3]), "axis 3");
        assert_eq!(Wanted::default().lacks_plane("T", &grid), None);
    }
}
