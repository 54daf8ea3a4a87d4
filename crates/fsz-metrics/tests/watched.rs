//! Work that is watched: every value is told of once, and it ends where the watcher says so.

use std::sync::atomic::{AtomicUsize, Ordering};

use fsz_metrics::{
    Error, Limit, Missing, Watch, by_region, by_region_watched, compare, compare_watched, ssim,
    ssim_watched,
};

/// Shapes of several bands and chunks, and of sides that are shorter than a window.
const SHAPES: [&[usize]; 5] = [&[3, 200, 1500], &[200_000], &[130, 7], &[5, 4, 3], &[1]];

fn fields(shape: &[usize]) -> (Vec<f32>, Vec<f32>) {
    let original: Vec<f32> = (0..shape.iter().product()).map(|i| (i as f32).sin()).collect();
    let back = original.iter().map(|d| d + 0.25).collect();
    (original, back)
}

/// How many values the work tells of, and what it gives.
fn told<R>(work: impl Fn(Watch<'_>) -> R) -> (usize, R) {
    let sum = AtomicUsize::new(0);
    let found = work(&|values| {
        sum.fetch_add(values, Ordering::Relaxed);
        true
    });
    (sum.into_inner(), found)
}

#[test]
fn every_value_is_told_of_once() {
    let missing = Missing::none();
    let limits = [Limit::from(0.1)];
    for shape in SHAPES {
        let (original, back) = fields(shape);
        let (both, values) = ((&original[..], &back[..]), original.len());
        let regions = vec![0; values];

        let (sum, found) = told(|watch| compare_watched(both, &missing, None, watch).unwrap());
        assert_eq!(sum, values, "{shape:?}");
        assert_eq!(found, compare(&original, &back, &missing, None).unwrap());

        let (sum, found) = told(|watch| ssim_watched(both, shape, &missing, watch).unwrap());
        assert_eq!(sum, values, "{shape:?}");
        assert_eq!(found, ssim(&original, &back, shape, &missing).unwrap());

        let (sum, found) =
            told(|watch| by_region_watched(both, &missing, (&regions, &limits), watch).unwrap());
        assert_eq!(sum, values, "{shape:?}");
        assert_eq!(found, by_region(&original, &back, &missing, &regions, &limits).unwrap());
    }
}

#[test]
fn the_watcher_ends_the_work() {
    let shape = SHAPES[0];
    let (original, back) = fields(shape);
    let (both, missing) = ((&original[..], &back[..]), Missing::none());
    let regions = vec![0; original.len()];
    let no: Watch<'_> = &|_| false;
    assert_eq!(compare_watched(both, &missing, None, no).unwrap_err(), Error::Ended);
    assert_eq!(ssim_watched(both, shape, &missing, no).unwrap_err(), Error::Ended);
    let limits = [Limit::from(0.1)];
    let ended = by_region_watched(both, &missing, (&regions, &limits), no);
    assert_eq!(ended.unwrap_err(), Error::Ended);
}
