//! The inside of the viewer: what may know what.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The files of the viewer, by their module's path, and the modules that each names.
type Graph = BTreeMap<String, BTreeSet<String>>;

fn read(folder: &Path, module: &str, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).expect("sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            read(&path, &format!("{module}{name}::"), found);
            continue;
        }
        let module = match name.as_str() {
            "mod" => module.trim_end_matches("::").to_owned(),
            _ => format!("{module}{name}"),
        };
        found.insert(module, std::fs::read_to_string(&path).expect("a source"));
    }
}

fn sources() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut found);
    found
}

/// The module that a path begins with, as far as it is one.
fn module_of(path: &str, sources: &BTreeMap<String, String>) -> Option<String> {
    let parts: Vec<&str> = path.split("::").collect();
    (1..=parts.len()).rev().map(|n| parts[..n].join("::")).find(|m| sources.contains_key(m))
}

fn graph(sources: &BTreeMap<String, String>) -> Graph {
    let of = |(module, text): (&String, &String)| {
        let named = text.split("crate::").skip(1).flat_map(|rest| {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
            let path = rest[..end.unwrap_or(rest.len())].trim_end_matches("::");
            // `crate::view::{panels, theme}` names the members, not the folder.
            let members = rest[path.len()..].strip_prefix("::{").and_then(|m| m.split_once('}'));
            let members = members.map_or(vec![path.to_owned()], |(members, _)| {
                members.split(',').map(|member| format!("{path}::{}", member.trim())).collect()
            });
            members.into_iter().filter_map(|path| module_of(&path, sources)).collect::<Vec<_>>()
        });
        (module.clone(), named.filter(|named| named != module).collect())
    };
    sources.iter().map(of).collect()
}

/// The modules that depend on each other in a circle, one after the other.
fn circle(graph: &Graph) -> Option<Vec<String>> {
    fn visit(at: &str, graph: &Graph, path: &mut Vec<String>, done: &mut BTreeSet<String>) -> bool {
        if path.iter().any(|seen| seen == at) {
            path.push(at.to_owned());
            return true;
        }
        if !done.insert(at.to_owned()) {
            return false;
        }
        path.push(at.to_owned());
        if graph[at].iter().any(|next| visit(next, graph, path, done)) {
            return true;
        }
        path.pop();
        false
    }
    let mut done = BTreeSet::new();
    graph.keys().find_map(|start| {
        let mut path = Vec::new();
        visit(start, graph, &mut path, &mut done).then_some(path)
    })
}

#[test]
fn no_module_depends_on_itself() {
    let mut graph = graph(&sources());
    assert!(graph.len() > 50 && graph["view::pictures"].contains("model::scene"), "{graph:?}");
    // The files of these folders are one object each, which is too long for one file.
    for object in ["app", "work::decoder"] {
        for (module, named) in &mut graph {
            if module.strip_prefix(object).is_some_and(|rest| rest.starts_with("::")) {
                named.remove(object);
            }
        }
    }
    assert_eq!(circle(&graph), None);
    graph.entry("model::scene".to_owned()).or_default().insert("view::pictures".to_owned());
    assert!(circle(&graph).is_some(), "a circle is found");
}

#[test]
fn the_model_knows_no_window_and_no_thread() {
    let sources = sources();
    for (module, named) in graph(&sources) {
        let within = module.split("::").next().unwrap_or_default();
        let allowed: &[&str] = match within {
            "model" => &["model"],
            "work" => &["model", "work"],
            "view" => &["model", "work", "view"],
            _ => continue,
        };
        for named in named {
            let folder = named.split("::").next().unwrap_or_default();
            assert!(allowed.contains(&folder), "{module} names {named}");
        }
        let text = &sources[&module];
        for window in ["egui", "eframe"] {
            let named =
                text.contains(&format!("{window}::")) || text.contains(&format!("{window}_"));
            assert!(within == "view" || !named, "{module} names {window}");
        }
        assert!(within != "model" || !text.contains("std::thread"), "{module} names threads");
    }
}

#[test]
fn every_panel_is_a_function_of_its_input() {
    let sources = sources();
    let names: Vec<&str> = sources["view::panels"]
        .lines()
        .filter_map(|line| line.strip_prefix("pub use ")?.strip_suffix(';')?.split("::").nth(1))
        .collect();
    assert!(names.len() >= 15, "{names:?}");
    for name in names {
        let is_one = |text: &&String| {
            let head = text.split(&format!("pub fn {name}(ui: &")).nth(1).unwrap_or_default();
            let end = head.find('{').unwrap_or(0);
            head[..end].ends_with("Ui, input: &PanelInput<'_>) -> Vec<Command> ")
                || head[..end].ends_with("Ui, _input: &PanelInput<'_>) -> Vec<Command> ")
        };
        assert_eq!(sources.values().filter(is_one).count(), 1, "{name}");
    }
    let viewer = sources.iter().filter(|(_, text)| text.contains("impl Viewer {"));
    assert!(viewer.into_iter().all(|(module, _)| module.starts_with("app")));
}
