//! The numbers under the cursor, and why the tile there is stored as it is.

use fsz::{Codec, DType};

use crate::model::number_format::{exact, number};
use crate::model::session::Session;
use crate::model::tile_costs::TileCosts;
use crate::model::tiles::Tile;

/// What is under the cursor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Probe {
    /// Index along each axis of the field.
    pub index: Vec<u64>,
    /// Name and text of each value and error, in the order in which they stand.
    pub values: Vec<(String, String)>,
    /// The tile that holds the element.
    pub tile: Option<ProbedTile>,
}

/// A tile under the cursor.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbedTile {
    /// What it is called: its number, and of several ADIOS2 blocks which one.
    pub name: String,
    /// How it is stored.
    pub tile: Tile,
    /// What each way of coding would have cost.
    pub costs: TileCosts,
}

impl Probe {
    /// What is at a row and column of the planes that are shown; none outside the field. `before` is the
    /// last answer: the costs of its tile are kept while the cursor stays in it.
    pub fn of(
        session: &Session,
        (row, column): (usize, usize),
        before: Option<(u64, ProbedTile)>,
    ) -> Option<(Probe, Option<u64>)> {
        let (leader, place) = (session.set.leader()?, session.place);
        let position = leader.grid.position(place.axis, place.plane, row, column)?;
        let mut probe = Probe { index: leader.grid.index(position), ..Probe::default() };
        probe.values = values(session, (row, column), position, leader.dtype == DType::F32);
        let found = leader.tiles().and_then(|tiles| Some((tiles, tiles.locate(position)?.0)));
        let Some((tiles, number)) = found else { return Some((probe, None)) };
        let (tile, costs) = match before {
            Some((known, before)) if known == number => (Some(before.tile), before.costs),
            _ => {
                let costs = leader.tile_costs(number, session.set.original.as_ref());
                (leader.tile_record(number), costs)
            }
        };
        let name = match tiles.part(number) {
            Some((block, tile)) => format!("{tile} of ADIOS2 block {block}"),
            None => number.to_string(),
        };
        probe.tile = tile.map(|tile| ProbedTile { name, tile, costs });
        let number = probe.tile.is_some().then_some(number);
        Some((probe, number))
    }
}

/// Names of the value and the error of each reconstruction.
fn names(session: &Session) -> [[String; 2]; 2] {
    match session.set.other {
        Some(_) => {
            session.set.codecs().map(|codec| [format!("{codec} value"), format!("{codec} error")])
        }
        None => {
            [["Reconstructed value".to_owned(), "Error".to_owned()], [String::new(), String::new()]]
        }
    }
}

fn values(
    session: &Session,
    (row, column): (usize, usize),
    position: u64,
    single: bool,
) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let shown = session.planes.as_ref().filter(|planes| planes.place == session.place);
    let Some(planes) = shown else { return found };
    let (set, [subject, other]) = (&session.set, names(session));
    for (name, plane, document) in [
        ("Original value", &planes.original, &set.original),
        (&subject[0], &planes.subject, &set.subject),
        (&other[0], &planes.other, &set.other),
    ] {
        let Some(plane) = plane else { continue };
        // What is rounded to be looked at is read again.
        let value = match document.as_ref().filter(|_| plane.rounded) {
            Some(document) => document.exact(&Codec::cpu(), position),
            None => plane.at(row, column),
        };
        found.extend(value.map(|value| (name.to_owned(), exact(value, single))));
    }
    for (name, plane) in [(&subject[1], &planes.error), (&other[1], &planes.other_error)] {
        let Some(error) = plane.as_ref().and_then(|p| p.at(row, column)) else { continue };
        found.push((name.clone(), number(error)));
        let original = planes.original.as_ref().and_then(|p| p.at(row, column));
        let bound = set.limit_at(position).map(|limit| limit.of(original.unwrap_or(0.0)));
        if let Some(bound) = bound.filter(|b| *b > 0.0) {
            found.push(("Error / bound".to_owned(), format!("{:.3}", error / bound)));
        }
    }
    found
}
