//! `picture`.

use crate::fixture::{FIELD, Fixture, field};

/// Width and height of a PNG file.
fn size(png: &[u8]) -> (u32, u32) {
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[test]
fn the_middle_plane_is_drawn_if_none_is_named() {
    let fixture = Fixture::with_stream();
    fixture.fine(&["picture", "T.fsz", "-o", "a.png"]);
    fixture.fine(&["picture", "T.fsz", "-o", "b.png", "--axis", "0", "--index", "3"]);
    fixture.fine(&["picture", "T.fsz", "-o", "c.png", "--axis", "0", "--index", "0"]);
    assert_eq!(size(&fixture.read("a.png")), (30, 20));
    assert_eq!(fixture.read("a.png"), fixture.read("b.png"));
    assert_ne!(fixture.read("a.png"), fixture.read("c.png"));
    fixture.refused(&["picture", "T.fsz", "-o", "d.png", "--axis", "0", "--index", "6"], "6");
    fixture.refused(&["picture", "T.fsz", "-o", "a.png"], "exists");
}

#[test]
fn fields_of_any_shape_and_without_numbers_have_a_picture() {
    let fixture = Fixture::with_field();
    for (shape, wanted) in
        [("3600", (60, 60)), ("1x3600x1", (60, 60)), ("2x2x30x30", (30, 30)), ("1200x3", (1, 32))]
    {
        let at = ["--shape", shape, "--size", "32", "--force", "-o", "p.png"];
        fixture.fine(&[&["picture", FIELD], &at[..]].concat());
        let wanted = (wanted.0.min(32), wanted.1.min(32));
        assert_eq!(size(&fixture.read("p.png")), wanted, "{shape}");
    }
    fixture.write_f32("nan_4x4.f32", &[f32::NAN; 16]);
    fixture.write_f32("one_1.f32", &field()[..1]);
    for name in ["nan_4x4.f32", "one_1.f32"] {
        fixture.fine(&["picture", name, "-o", "n.png", "-f"]);
        assert!(size(&fixture.read("n.png")).0 > 0);
    }
}

#[test]
fn a_field_without_values_has_no_picture() {
    let fixture = Fixture::new();
    fixture.write("none_0x3.f32", &[]);
    for shape in ["0x3", "3x0", "0", "5x0x7", "0x5x7", "2x3x0x5"] {
        let words = format!("a field of shape {shape} has no values to draw");
        let shape = ["--shape", shape];
        let abs = ["--abs", "1", "-f", "-o", "none.fsz"];
        fixture.fine(&[&["compress", "none_0x3.f32"], &shape[..], &abs].concat());
        for output in ["p.png", "-"] {
            let draw = ["picture", "none_0x3.f32", "-o", output];
            for more in [&[][..], &["--colour-bar"]] {
                fixture.refused(&[&draw[..], &shape, more].concat(), &words);
            }
            fixture.refused(&["picture", "none.fsz", "-o", output], &words);
        }
    }
    let plane = ["--shape", "5x0x7", "--axis", "0", "--index", "2"];
    let draw = ["picture", "none_0x3.f32", "-o", "p.png"];
    fixture.refused(&[&draw[..], &plane].concat(), "a field of shape 5x0x7 has no values to draw");
}

#[test]
fn a_colour_bar_lies_beside_the_plane() {
    let fixture = Fixture::with_stream();
    fixture.fine(&["picture", "T.fsz", "-o", "a.png", "--colour-bar"]);
    let (width, height) = size(&fixture.read("a.png"));
    assert!((80..160).contains(&width) && height == 40, "{width} x {height}");
    fixture.fine(&["picture", "T.fsz", "-o", "a2.png", "--color-bar"]);
    assert!(fixture.read("a.png") == fixture.read("a2.png"));
    // Values of one kind, and none at all.
    fixture.write_f32("flat_50x60.f32", &[7.0; 3000]);
    fixture.fine(&["picture", "flat_50x60.f32", "-o", "b.png", "--colour-bar"]);
    assert_eq!(size(&fixture.read("b.png")).1, 50);
    fixture.write_f32("nan_50x60.f32", &[f32::NAN; 3000]);
    fixture.fine(&["picture", "nan_50x60.f32", "-o", "c.png", "--colour-bar"]);
    assert_eq!(size(&fixture.read("c.png")), (60, 50));
}

/// What the fill value of an ocean field leaves of the colours: nothing, unless it is named.
#[test]
fn missing_values_are_grey_where_they_are_named() {
    let fixture = Fixture::new();
    let value = |i: usize| if i < 20 { 1e20 } else { i as f32 };
    fixture.write_f32("sea_10x20.f32", &(0..200).map(value).collect::<Vec<_>>());
    fixture.fine(&["compress", "sea_10x20.f32", "-o", "sea.fsz", "--abs", "1e-9"]);
    let named = ["--missing", "1e20"];
    let compress = ["compress", "sea_10x20.f32", "-o", "named.fsz", "--abs", "1e-9"];
    fixture.fine(&[&compress[..], &named].concat());
    let picture = |input: &str, options: &[&str]| {
        let picture = ["picture", input, "-o", "x.png", "-f"];
        fixture.fine(&[&picture[..], options].concat());
        fixture.read("x.png")
    };
    let grey = picture("named.fsz", &[]);
    assert!(picture("sea_10x20.f32", &named) == grey && picture("sea.fsz", &named) == grey);
    assert!(picture("sea_10x20.f32", &[]) != grey && picture("sea.fsz", &[]) != grey);
    let out_of_range = ["picture", "sea_10x20.f32", "-o", "y.png", "--missing", "1e300"];
    fixture.refused(&out_of_range, "--missing 1e300");
}
