//! `slice`.

use crate::fixture::{FIELD, Fixture, field, npy};

#[test]
fn a_slice_of_a_stream_is_that_of_its_decoded_field() {
    let fixture = Fixture::with_stream();
    fixture.fine(&["decompress", "T.fsz", "-o", "back_6x20x30.f32"]);
    for (axis, index, shape) in
        [("0", "5", "(20, 30)"), ("1", "7", "(6, 30)"), ("2", "29", "(6, 20)")]
    {
        let at = ["--axis", axis, "--index", index, "--force", "-o"];
        fixture.fine(&[&["slice", "T.fsz"], &at[..], &["a.npy"]].concat());
        fixture.fine(&[&["slice", "back_6x20x30.f32"], &at[..], &["b.npy"]].concat());
        assert_eq!(fixture.read("a.npy"), fixture.read("b.npy"), "axis {axis}");
        assert!(String::from_utf8_lossy(&fixture.read("a.npy")[..128]).contains(shape));
    }
}

#[test]
fn raw_values_are_written_to_other_names() {
    let fixture = Fixture::with_field();
    fixture.fine(&["slice", FIELD, "--axis", "1", "--index", "0", "-o", "s.f32"]);
    let expected: Vec<f32> = field().chunks(600).flat_map(|plane| plane[..30].to_vec()).collect();
    assert_eq!(fixture.read_f32("s.f32"), expected);
}

#[test]
fn slices_that_are_not_there() {
    let fixture = Fixture::with_stream();
    fixture.write_f32("line_7.f32", &[0.0; 7]);
    fixture.write("one.npy", &npy("<f4", "False", "", &1f32.to_le_bytes()));
    fixture.write("none.npy", &npy("<f4", "False", "0, 5", &[]));
    let three = "shape 6x20x30 has the axes 0 to 2, slowest first";
    for (input, axis, index, words) in [
        ("T.fsz", "3", "0", &format!("T.fsz: --axis 3: {three}")[..]),
        (FIELD, "9", "0", &format!("{FIELD}: --axis 9: {three}")),
        ("T.fsz", "0", "6", "T.fsz: --index 6: axis 0 of shape 6x20x30 has the planes 0 to 5"),
        (FIELD, "2", "30", "--index 30: axis 2 of shape 6x20x30 has the planes 0 to 29"),
        ("line_7.f32", "1", "0", "line_7.f32: --axis 1: shape 7 has the axis 0 alone"),
        ("one.npy", "0", "0", "one.npy: --axis 0: it has one value, and no axes"),
        ("none.npy", "0", "0", "none.npy: --index 0: axis 0 of shape 0x5 has no planes"),
    ] {
        let plane = ["--axis", axis, "--index", index];
        fixture.refused(&[&["slice", input, "-o", "x.npy"][..], &plane].concat(), words);
        fixture.refused(&[&["picture", input, "-o", "x.png"][..], &plane].concat(), words);
    }
}

#[test]
fn options_that_contradict_a_stream_are_refused() {
    let fixture = Fixture::with_stream();
    for (option, value, words) in [
        ("--shape", "60x60", "the file's shape is 6x20x30"),
        ("--dtype", "f64", "the file's values are f32"),
        ("--variable", "U", "not an ADIOS2 file"),
        ("--step", "3", "not an ADIOS2 file"),
        ("--block", "0", "not an ADIOS2 file"),
    ] {
        let option = [option, value];
        let slice = ["slice", "T.fsz", "--axis", "0", "--index", "1", "-o", "x.npy"];
        fixture.refused(&[&slice[..], &option].concat(), words);
        fixture.refused(&[&["picture", "T.fsz", "-o", "x.png"][..], &option].concat(), words);
    }
    let agreed = ["--shape", "6x20x30", "--dtype", "f32"];
    fixture.fine(&[&["picture", "T.fsz", "-o", "x.png"][..], &agreed].concat());
}
