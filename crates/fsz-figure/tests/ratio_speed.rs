//! The picture in the README is that of its table.

#[allow(dead_code)]
#[path = "../examples/ratio_speed.rs"]
mod example;

#[test]
fn the_picture_is_that_of_the_table() {
    let picture = example::picture(include_str!("../../../assets/ratio-speed.csv"));
    let stored = include_str!("../../../assets/ratio-speed.svg");
    assert!(
        picture.as_deref() == Some(stored),
        "run: cargo run -p fsz-figure --example ratio_speed"
    );
}
