//! The codec's streams are those of the plain statement of the format, byte for byte, on every instruction
//! set and number of threads; and what they decode to keeps the promise.

use crate::common::{
    BOUNDS, by_all, codecs, data_folder, fields,
    inputs::{KINDS, field},
    reference::{Request, encode},
};
use fsz::{Bound, Centering, Element, Research, Stream};

fn check<T: Element>(what: &str, data: &[T], request: &Request) {
    let field = (data, &request.shape[..]);
    let (stream, _) = by_all(what, codecs(), field, &request.options(), &request.missing);
    let expected = encode(data, request);
    let differs = stream.iter().zip(&expected).position(|(a, b)| a != b);
    assert_eq!(differs, None, "{what}: the bytes differ; {request:?}");
    assert_eq!(stream.len(), expected.len(), "{what}; {request:?}");
}

fn relative_bounds() -> [Bound; 6] {
    [
        Bound::Relative { eps: 0.1, floor: 0.0 },
        Bound::Relative { eps: 1e-3, floor: 0.0 },
        Bound::Relative { eps: 1e-3, floor: 1e-3 },
        Bound::Relative { eps: 0.5, floor: 1.0 },
        Bound::Relative { eps: 1e-6, floor: 1e-7 },
        Bound::Relative { eps: 3e-7, floor: 1e30 },
    ]
}

fn every_kind<T: Element>() {
    for kind in KINDS {
        for n in [1, 2, 255, 256, 257, 5000, 40_000] {
            let data = field::<T>(kind, n, 7);
            for bound in BOUNDS.into_iter().chain(relative_bounds()) {
                let mut request = Request::new(&[n as u64], bound);
                if n != 257 {
                    request.missing = vec![1e20, -999.0];
                }
                check(kind, &data, &request);
            }
        }
    }
}

#[test]
fn every_kind_of_field_f32() {
    every_kind::<f32>();
}

#[test]
fn every_kind_of_field_f64() {
    every_kind::<f64>();
}

#[test]
fn all_small_sizes() {
    for n in 0..=700 {
        let kind = KINDS[n % KINDS.len()];
        let request = Request::new(&[n as u64], Bound::Absolute(0.003));
        check(kind, &field::<f32>(kind, n, 3), &request);
        check(kind, &field::<f64>(kind, n, 3), &request);
    }
}

#[test]
fn around_every_boundary() {
    for n in [16383, 16384, 16385, 32768, 131_072, 131_073, 1_048_576, 1_048_577] {
        let request = Request::new(&[n as u64], Bound::ValueRange(1e-3));
        check("smooth, noise", &field::<f32>("smooth, noise", n, 5), &request);
        let request = Request::new(&[n as u64], Bound::ValueRange(1e-3));
        check("ragged land", &field::<f32>("ragged land", n, 5), &request);
    }
}

#[test]
fn shapes_names_steps_and_starts() {
    for shape in [vec![], vec![0], vec![3, 0, 5], vec![2, 3, 5, 7], vec![1; 8], vec![2; 8]] {
        let n = shape.iter().product::<u64>() as usize;
        let data = field::<f64>("smooth", n, 1);
        let mut request = Request::new(&shape, Bound::ValueRange(1e-3));
        check("shape", &data, &request);
        request.name = Some("Température".into());
        request.step = Some(u64::MAX);
        request.start = Some(shape.iter().map(|n| n * 3).collect());
        request.missing = vec![f64::NAN, 1e20, -999.0, 0.0];
        check("shape", &data, &request);
    }
}

#[test]
fn an_empty_name_is_none() {
    let data = field::<f32>("smooth", 3000, 1);
    let request = Request::new(&[3000], Bound::Absolute(1e-3));
    let without = encode(&data, &request);
    let (bytes, _) = by_all("empty", codecs(), (&data, &[3000]), &request.options().name(""), &[]);
    assert!(bytes == without, "the bytes are those without a name");
    // Of a writer that records it.
    let bytes = encode(&data, &Request { name: Some(String::new()), ..request });
    assert!(bytes != without);
    assert_eq!(Stream::open(&bytes).unwrap().header().name, None);
}

#[test]
fn research_switches() {
    for block_len in [32, 64] {
        for blocks_per_tile in [4, 8, 16] {
            for (cross_block, order2) in
                [(true, true), (false, true), (true, false), (false, false)]
            {
                for centering in [Centering::Off, Centering::FirstCode, Centering::Mean] {
                    let research =
                        Research { cross_block, centering, order2, block_len, blocks_per_tile };
                    for kind in ["smooth, noise", "offset", "ramp", "nan in places", "random bits"]
                    {
                        let data = field::<f32>(kind, 3333, 2);
                        let mut request = Request::new(&[3333], Bound::ValueRange(1e-3));
                        request.research = research;
                        check(kind, &data, &request);
                    }
                }
            }
        }
    }
}

#[test]
fn real_fields() {
    let Some(folder) = data_folder("real fields against the reference") else { return };
    for (name, shape, data) in fields::<f32>(&folder) {
        let mut request = Request::new(&shape, Bound::ValueRange(1e-3));
        if name.starts_with("pop_") {
            request.missing = vec![9.96921e36];
        }
        check(&name, &data, &request);
    }
    for (name, shape, data) in fields::<f64>(&folder) {
        check(&name, &data, &Request::new(&shape, Bound::ValueRange(1e-5)));
    }
}
