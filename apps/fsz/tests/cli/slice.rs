//! `slice`.

use crate::workshop::{FIELD, Workshop, field};

#[test]
fn a_slice_of_a_stream_is_that_of_its_decoded_field() {
    let shop = Workshop::with_stream();
    shop.fine(&["decompress", "T.fsz", "-o", "back_6x20x30.f32"]);
    for (axis, index, shape) in
        [("0", "5", "(20, 30)"), ("1", "7", "(6, 30)"), ("2", "29", "(6, 20)")]
    {
        let at = ["--axis", axis, "--index", index, "--force", "-o"];
        shop.fine(&[&["slice", "T.fsz"], &at[..], &["a.npy"]].concat());
        shop.fine(&[&["slice", "back_6x20x30.f32"], &at[..], &["b.npy"]].concat());
        assert_eq!(shop.read("a.npy"), shop.read("b.npy"), "axis {axis}");
        assert!(String::from_utf8_lossy(&shop.read("a.npy")[..128]).contains(shape));
    }
}

#[test]
fn raw_values_are_written_to_other_names() {
    let shop = Workshop::with_field();
    shop.fine(&["slice", FIELD, "--axis", "1", "--index", "0", "-o", "s.f32"]);
    let expected: Vec<f32> = field().chunks(600).flat_map(|plane| plane[..30].to_vec()).collect();
    assert_eq!(shop.read_f32("s.f32"), expected);
}

#[test]
fn slices_that_are_not_there() {
    let shop = Workshop::with_stream();
    for input in ["T.fsz", FIELD] {
        shop.refused(&["slice", input, "--axis", "3", "--index", "0", "-o", "x.npy"], "axis");
        shop.refused(&["slice", input, "--axis", "0", "--index", "6", "-o", "x.npy"], "6");
    }
}
