//! What each way of coding a box would cost it, as an encoder counts when it chooses for a field (FORMAT.md,
//! *Dense: choose*).

use super::{
    Dense, Predictor,
    boxes::BoxCoder,
    chunk::Mode,
    escapes::Escapes,
    order::Order,
    prepare::{Counted, predictors},
};
use crate::{
    element::Element,
    format::{dense::Taps, tile_grid::TileShape},
    profile::Plan,
    simd::Level,
    tile_cost::{TileCoding, TileCost},
    tile_record,
};

/// The ways that an encoder considers for a box of the layout, without those that the box cannot be coded by.
/// None is marked as chosen.
pub(super) fn of_box<T: Element>(
    dense: Dense,
    plan: &Plan<T>,
    level: Level,
    shape: TileShape,
    elements: &[T],
) -> Vec<TileCost> {
    let order = Order::new(shape.0.map(|n| n as usize));
    let mut coder = BoxCoder::new(plan, dense.choice, level);
    let base = coder.base(elements);
    let mut costs = Vec::new();
    let mut take = |coding, counted: &Counted| costs.push(cost(coding, counted));
    let counted = |coder: &BoxCoder<'_, T>, flat: bool, escapes: &Escapes| {
        let mut own = Counted::empty();
        if !flat {
            own = Counted::of_items(&coder.items, level);
        }
        own.list::<T>(escapes.listed.len());
        own
    };
    let aim = coder.aim(&order, elements, base);
    for &predictor in predictors(dense.own_layout()) {
        let Predictor::Interpolation(taps) = predictor else { continue };
        if let Ok((outcome, escapes)) = coder.interpolate(&order, taps, &aim) {
            take(interpolation(taps), &counted(&coder, outcome.flat, &escapes));
        }
    }
    for asked in [1, 2] {
        let coded = coder.lorenzo_of(Some(asked), &order, elements, base, Some(&aim));
        if let Ok((outcome, escapes, _)) = coded {
            take(lorenzo(asked), &counted(&coder, outcome.flat, &escapes));
        }
    }
    take(TileCoding::Exact, &Counted::differences(elements));
    take(TileCoding::Verbatim, &Counted::verbatim(elements));
    costs
}

fn cost(coding: TileCoding, counted: &Counted) -> TileCost {
    TileCost { coding, bytes: counted.bytes_of_box(), chosen: false }
}

const fn interpolation(taps: Taps) -> TileCoding {
    match taps {
        Taps::Linear => TileCoding::Linear,
        Taps::Cubic => TileCoding::Cubic,
        Taps::Smooth => TileCoding::Smooth,
        Taps::Blended => TileCoding::Blended,
    }
}

const fn lorenzo(order: u8) -> TileCoding {
    TileCoding::Lorenzo(tile_record::Predictor::new(order == 2, false))
}

/// Marks the way that a box of a stream with this predictor is coded by. A flat box is coded by the first way
/// that an encoder tries.
pub(super) fn mark(costs: &mut [TileCost], mode: Mode, predictor: Predictor) {
    let interpolated = match predictor {
        Predictor::Interpolation(taps) => Some(interpolation(taps)),
        Predictor::Lorenzo => None,
    };
    let listed = |coding: &TileCoding| costs.iter().any(|cost| cost.coding == *coding);
    let chosen = match mode {
        Mode::Flat => interpolated.filter(listed).or(Some(lorenzo(1))),
        Mode::Interpolated => interpolated,
        Mode::Lorenzo(order) => Some(lorenzo(order)),
        Mode::Exact => Some(TileCoding::Exact),
        Mode::Verbatim => Some(TileCoding::Verbatim),
    };
    costs.iter_mut().for_each(|cost| cost.chosen = Some(cost.coding) == chosen);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Bound, Codec, CompressOptions, Layout, Profile, Stream,
        exec::Execution,
        format::TileGrid,
        profile::dense::{
            Choice,
            prepare::{InMemory, Sampler, Spread},
        },
    };

    /// Compresses a field in `dense`, by this layout.
    fn compress<T: Element>(
        data: &[T],
        shape: &[u64],
        bound: Bound,
        layout: Layout,
    ) -> Stream<'static> {
        let profile = Profile::Dense(Dense::new().with_layout(layout));
        let options = CompressOptions::new(bound).profile(profile).missing(-999.0);
        let mut bytes = vec![0; data.len() * T::DTYPE.size() + 100_000];
        let len = Codec::cpu().compress_into(data, shape, &options, &mut bytes).expect("room");
        bytes.truncate(len);
        Stream::from_vec(bytes).expect("a stream")
    }

    fn dense_of(stream: &Stream<'_>) -> Dense {
        match stream.header().profile {
            Profile::Dense(dense) => dense,
            _ => panic!("another profile"),
        }
    }

    /// Number `i` of a sequence without pattern, from −½ to ½.
    fn noise(i: usize) -> f64 {
        let bits = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((bits ^ bits >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40) as f64 / 2f64.powi(24) - 0.5
    }

    fn smooth(i: usize) -> f64 {
        let (z, y, x) = ((i / 1024) as f64, (i / 32 % 32) as f64, (i % 32) as f64);
        (x * 0.21 + z * 0.1).sin() * (y * 0.17).cos() * 40.0
    }

    /// Fields of 32³ elements that are coded in all ways: smooth, rough, a walk, some without codes, and
    /// numbers without codes, of alike and of any magnitude.
    fn fields() -> [(&'static str, Vec<f64>); 7] {
        const N: usize = 32 * 32 * 32;
        let mut walk = 0.0;
        let of = |value: &mut dyn FnMut(usize) -> f64| (0..N).map(value).collect::<Vec<f64>>();
        [
            ("smooth", of(&mut smooth)),
            ("rough", of(&mut |i| smooth(i) + noise(i) * 8.0)),
            (
                "walk",
                of(&mut |i| {
                    walk += noise(i) * 1e4;
                    walk
                }),
            ),
            (
                "gaps",
                of(&mut |i| match i % 32 {
                    0..4 => -999.0,
                    9 if i % 5 == 0 => f64::NAN,
                    _ => smooth(i),
                }),
            ),
            ("steps", of(&mut |i| if i < N / 2 { 7.0 } else { noise(i) * 1e9 })),
            ("huge", of(&mut |i| noise(i) * 1e300)),
            ("wild", of(&mut |i| noise(i) * 2f64.powf(noise(7 * i + 3) * 200.0))),
        ]
    }

    const SHAPE: [u64; 3] = [32, 32, 32];
    const BOUNDS: [Bound; 2] = [Bound::Absolute(0.01), Bound::Relative { eps: 1e-3, floor: 1e-2 }];

    /// Calls `check` with each box of each field's stream: its costs by the original, its number, what it is
    /// called.
    fn each_box<T: Element>(mut check: impl FnMut(&Stream<'_>, u64, &[T], &[TileCost], String)) {
        for (name, values) in fields() {
            let values: Vec<T> = values.into_iter().map(T::from_f64).collect();
            for (bound, layout) in
                BOUNDS.into_iter().flat_map(|b| Layout::ALL.into_iter().map(move |l| (b, l)))
            {
                let stream = compress(&values, &SHAPE, bound, layout);
                for tile in 0..stream.grid().tiles() {
                    let mut own = Vec::new();
                    stream.grid().gather_tile(&values, tile, &mut own);
                    let costs = stream.tile_costs_of(tile, &own).expect("a tile");
                    let what = format!("{name} {bound:?} {layout:?}, box {tile}");
                    check(&stream, tile, &own, &costs, what);
                }
            }
        }
    }

    fn of_coding(costs: &[TileCost], coding: TileCoding) -> Option<u64> {
        costs.iter().find(|cost| cost.coding == coding).map(|cost| cost.bytes)
    }

    /// What the encoder does with a box follows from the ways that are listed for it: interpolation where it
    /// can be, else Lorenzo prediction, else bits; uncompressed only what takes no more than the others.
    #[test]
    fn the_chosen_way_is_the_one_that_the_encoders_rule_gives() {
        let mut seen = std::collections::BTreeMap::new();
        let mut check = |stream: &Stream<'_>, costs: &[TileCost], what: &str| {
            let chosen: Vec<_> = costs.iter().filter(|cost| cost.chosen).collect();
            let [chosen] = chosen[..] else { panic!("{what}: {costs:?}") };
            *seen.entry(chosen.coding.name()).or_insert(0) += 1;
            let taps = match dense_of(stream).choice.predictor {
                Predictor::Interpolation(taps) => Some(interpolation(taps)),
                Predictor::Lorenzo => None,
            };
            let fits = taps.filter(|taps| of_coding(costs, *taps).is_some());
            let lorenzo = costs.iter().any(|c| matches!(c.coding, TileCoding::Lorenzo(_)));
            match chosen.coding {
                TileCoding::Verbatim => {
                    let rule = fits.or(lorenzo.then_some(self::lorenzo(1)));
                    let other = of_coding(costs, rule.unwrap_or(TileCoding::Exact));
                    // Tables of the whole field suit it less than its own.
                    assert!(other.expect("listed") * 10 > chosen.bytes * 8, "{what}: {costs:?}");
                }
                TileCoding::Exact => assert!(fits.is_none() && !lorenzo, "{what}: {costs:?}"),
                TileCoding::Lorenzo(_) => assert!(fits.is_none(), "{what}: {costs:?}"),
                coding => assert_eq!(Some(coding), fits, "{what}"),
            }
        };
        each_box::<f32>(|stream, _, _, costs, what| check(stream, costs, &what));
        each_box::<f64>(|stream, _, _, costs, what| check(stream, costs, &what));
        for name in ["linear", "blended", "lz1", "lz2", "exact", "verbatim"] {
            assert!(seen.contains_key(name), "no box is coded by {name}: {seen:?}");
        }
    }

    /// The costs are those that the encoder counts when it chooses for a field of this one box.
    #[test]
    fn costs_are_what_the_encoder_counts() {
        let mut counted = 0;
        each_box::<f32>(|stream, tile, own, costs, what| {
            let dense = dense_of(stream);
            let plan = Plan::<f32>::of_header(stream.header()).expect("our own");
            let shape = stream.grid().shape_of(tile).0.map(u64::from);
            let grid = TileGrid::new(&stream.header().profile, &shape).expect("a box");
            let field = InMemory { data: own, plan: &plan, run: Execution::alone() };
            for &predictor in predictors(dense.own_layout()) {
                let case = (grid.clone(), Choice { predictor, ..dense.choice });
                let found = field.count(&[case], Spread::Boxes(1)).expect("a box").remove(0);
                let found = found.bytes_of_box();
                let listed = match predictor {
                    Predictor::Interpolation(taps) => of_coding(costs, interpolation(taps)),
                    // The order is the one with fewer bits.
                    Predictor::Lorenzo => [1, 2]
                        .into_iter()
                        .filter_map(|order| of_coding(costs, lorenzo(order)))
                        .find(|&bytes| bytes == found),
                };
                if let Some(listed) = listed {
                    assert_eq!(listed, found, "{what}: {predictor:?}");
                    counted += 1;
                }
            }
        });
        assert!(counted > 100, "{counted}");
    }

    /// Of a field of one box the cheapest predictor is chosen, where it is by more than what differs between
    /// a box and a field: tables, and what Lorenzo prediction must gain.
    #[test]
    fn the_cheapest_predictor_is_chosen_for_a_field_of_one_box() {
        let one = |value: &dyn Fn(usize) -> f64| (0..4096).map(value).collect::<Vec<f64>>();
        let along = |i: usize| (i % 16) as f64 * 0.3 + (i / 16 % 16) as f64 * 0.2;
        let fields = [
            one(&|i| (along(i) + (i / 256) as f64 * 0.25).sin() * 5.0),
            one(&|i| along(i) + noise(i)),
            one(&|i| (i as f64 * 0.7).sin() * 1e4 * ((i / 61) as f64)),
        ];
        let mut chosen_ways = std::collections::BTreeSet::new();
        for (number, data) in fields.iter().enumerate() {
            for (layout, shape) in
                [(Layout::Line, &[4096][..]), (Layout::Plane, &[64, 64]), (Layout::Brick, &[16; 3])]
            {
                let stream = compress(data, shape, Bound::Absolute(0.01), layout);
                let costs = stream.tile_costs_of(0, data).expect("a tile");
                let predicted = |c: &&TileCost| c.coding.kind() != crate::TileKind::Verbatim;
                let least = costs.iter().filter(predicted).map(|c| c.bytes).min().expect("some");
                let chosen = costs.iter().find(|cost| cost.chosen).expect("one");
                assert!(chosen.bytes <= least + least / 50 + 200, "{number} {layout:?}: {costs:?}");
                chosen_ways.insert(chosen.coding.name());
            }
        }
        assert!(chosen_ways.len() > 2, "{chosen_ways:?}");
    }

    /// Where boxes are coded by Lorenzo prediction anyway all are, but where interpolation gains much by the others.
    #[test]
    fn lorenzo_prediction_is_chosen_where_most_boxes_do_not_fit_interpolation() {
        const N: usize = 64 * 4096;
        // Waves that no box of 4096 has codes in reach for in the first of every so many.
        let field = |rough_of: usize| -> Vec<f64> {
            let wave = |i: usize| (i as f64 * 0.002).sin();
            let of = |i: usize| if (i / 4096).is_multiple_of(rough_of) { 2000.0 } else { 20.0 };
            (0..N).map(|i| of(i) * wave(i)).collect()
        };
        let lorenzo = |rough_of| {
            let stream =
                compress(&field(rough_of), &[N as u64], Bound::Absolute(0.01), Layout::Line);
            let rough = N / 4096 / rough_of;
            let is_lorenzo = |tile: u64| {
                let costs = stream.tile_costs(tile).expect("a tile");
                let chosen = costs.into_iter().find(|cost| cost.chosen).expect("one");
                matches!(chosen.coding, TileCoding::Lorenzo(_))
            };
            let boxes = (0..64).filter(|&tile| is_lorenzo(tile)).count();
            (dense_of(&stream).choice.predictor == Predictor::Lorenzo, boxes, rough)
        };
        assert_eq!(lorenzo(1), (true, 64, 64));
        let (all, boxes, rough) = lorenzo(16);
        assert_eq!((all, boxes), (false, rough), "few do not fit");
    }

    /// What is decoded is coded to the same again: the chosen way costs as much by it as by the original.
    #[test]
    fn the_chosen_way_costs_the_same_by_what_is_decoded() {
        let (mut same, mut all) = (0, 0);
        each_box::<f32>(|stream, tile, _, costs, what| {
            let decoded = stream.tile_costs(tile).expect("a tile");
            let chosen = |costs: &[TileCost]| costs.iter().find(|c| c.chosen).map(|c| c.coding);
            assert_eq!(chosen(&decoded), chosen(costs), "{what}");
            let bytes = |costs: &[TileCost]| costs.iter().find(|c| c.chosen).map(|c| c.bytes);
            all += 1;
            same += usize::from(bytes(&decoded) == bytes(costs));
        });
        // Only listed elements that are nearer by another rounding may differ.
        assert!(same * 100 >= all * 95, "{same} of {all}");
    }

    #[test]
    fn other_elements_than_the_tiles_are_refused() {
        let data: Vec<f32> = (0..8192).map(|i| smooth(i) as f32).collect();
        let stream = compress(&data, &[8192], Bound::Absolute(0.01), Layout::Line);
        stream.tile_costs(2).expect_err("no such tile");
        stream.tile_costs_of(0, &data).expect_err("too many");
        stream.tile_costs_of(0, &[0f64; 4096]).expect_err("of another type");
        assert_eq!(stream.tile_costs_of(0, &data[..4096]).expect("its own").len(), 6);
    }
}
