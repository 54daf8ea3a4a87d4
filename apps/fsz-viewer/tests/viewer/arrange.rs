//! Panes are taken by their titles and put elsewhere.

use egui_kittest::kittest::Queryable;

use crate::fixture::{Fixture, settle, shows};

#[test]
fn a_pane_is_dragged_and_comes_back() {
    let fixture = Fixture::new();
    let mut viewer = fixture.viewer("wave.fsz", Some("wave_12x40x50.f32"));
    let back = "Reset panes";
    assert!(!shows(&viewer, back));
    let pane = |viewer: &egui_kittest::Harness<'_, _>, name: &str| {
        viewer.get_by_role_and_label(egui::Role::Image, name).rect()
    };
    let before = pane(&viewer, "Original");
    let title = viewer.get_by_role_and_label(egui::Role::Label, "Original").rect().center();
    let target = pane(&viewer, "Signed error");
    // To the right edge of the error.
    let goal = egui::pos2(target.max.x - 4.0, target.center().y);
    viewer.drag_at(title);
    viewer.step();
    for part in [0.3, 0.6, 1.0] {
        viewer.hover_at(title.lerp(goal, part));
        viewer.step();
    }
    viewer.drop_at(goal);
    settle(&mut viewer);
    assert_ne!(pane(&viewer, "Original"), before);
    assert_eq!(pane(&viewer, "Reconstruction").min, before.min, "it fills its row");
    assert!(pane(&viewer, "Original").min.x > pane(&viewer, "Signed error").max.x);
    viewer.get_by_label(back).click();
    settle(&mut viewer);
    assert!(!shows(&viewer, back));
    assert_eq!(pane(&viewer, "Original"), before);
}
