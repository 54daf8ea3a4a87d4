//! ADIOS2 files. The operator must lie beside the programs: `cargo build -p fsz-adios2` puts it there.

use adios2::{Adios, Layout, Mode};
use egui_kittest::kittest::Queryable;
use fsz_viewer::{Choice, Settings, Start};

use crate::shop::{Shop, harness, settle, shows};

const CONFIG: &str = r#"<?xml version="1.0"?>
<adios-config>
  <operator name="fsz" type="plugin">
    <parameter key="PluginName" value="fsz"/>
    <parameter key="PluginLibrary" value="fsz_adios2"/>
    <parameter key="accuracy" value="0.01"/>
  </operator>
  <io name="fsz">
    <engine type="BP5"/>
    <variable name="halves"><operation operator="fsz"/></variable>
    <variable name="whole"><operation operator="fsz"/></variable>
  </io>
  <io name="plain"><engine type="BP5"/></io>
</adios-config>
"#;

/// Three steps of `whole`, one ADIOS2 block each, and of `halves`, two; through FSZ and plain.
fn write(shop: &Shop) {
    adios2::plugin::load().expect("cargo build -p fsz-adios2 comes first");
    std::fs::write(shop.path("adios2.xml"), CONFIG).unwrap();
    for name in ["fsz", "plain"] {
        let config = shop.path("adios2.xml");
        let io = Adios::with_config(&config).unwrap().declare_io(name).unwrap();
        let whole = io.define_variable::<f32>("whole", &Layout::whole(&shop.shape)).unwrap();
        let halves = io.define_variable::<f32>("halves", &Layout::whole(&shop.shape)).unwrap();
        let mut out = io.open(shop.path(&format!("{name}.bp")), Mode::Write).unwrap();
        for step in 0..3 {
            let values = at(shop, step);
            out.begin_step(None).unwrap();
            out.put(&whole, &values).unwrap();
            out.put_block(&halves, &[0, 0, 0], &[6, 40, 50], &values[..12000]).unwrap();
            out.put_block(&halves, &[6, 0, 0], &[6, 40, 50], &values[12000..]).unwrap();
            out.end_step().unwrap();
        }
        out.close().unwrap();
    }
}

fn at(shop: &Shop, step: u64) -> Vec<f32> {
    shop.values.iter().map(|v| v + step as f32).collect()
}

#[test]
fn variables_and_steps_of_a_pair_go_together() {
    let shop = Shop::new();
    write(&shop);
    let start = Start {
        files: vec![shop.path("fsz.bp")],
        original: Some(shop.path("plain.bp")),
        choice: Choice { variable: "whole".to_owned(), step: 1 },
        ..Default::default()
    };
    let mut viewer = harness(start, Settings::default());
    for (variable, step, tiles) in [("whole", 1, true), ("whole", 2, true), ("halves", 0, false)] {
        viewer.state_mut().choose(Choice { variable: variable.to_owned(), step });
        settle(&mut viewer);
        let state = viewer.state();
        assert_eq!(state.messages(), [""; 0]);
        assert_eq!(state.set().bound(), Some(0.01));
        let facts = state.set().subject.as_ref().expect("a reconstruction").facts.as_ref();
        assert_eq!(facts.is_some(), tiles, "{variable} is one stream");
        let planes = state.planes().expect("planes");
        let original = planes.original.as_ref().expect("the original");
        assert_eq!(original.at(30, 30), Some(f64::from(at(&shop, step)[30 * 50 + 30])));
        let error = planes.error.as_ref().expect("the error");
        assert!(error.values.iter().all(|e| e.abs() <= 0.01));
        assert!(error.values.iter().any(|e| *e != 0.0), "it is a reconstruction");
    }
    assert!(shows(&viewer, "Variable"));
    assert!(viewer.query_all_by_label_contains("fsz.bp halves step 0").next().is_some());
}

#[test]
fn play_goes_through_the_steps() {
    let shop = Shop::new();
    write(&shop);
    let start = Start { files: vec![shop.path("fsz.bp")], ..Default::default() };
    let mut viewer = harness(start, Settings::default());
    viewer.get_by_label("Play").click();
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..12 {
        settle(&mut viewer);
        let title = viewer.state().set().subject.as_ref().expect("a field").title.clone();
        seen.insert(title.chars().last());
    }
    assert_eq!(seen.len(), 3, "{seen:?}");
}
