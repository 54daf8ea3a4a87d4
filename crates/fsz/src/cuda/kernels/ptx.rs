//! One kernel out of the PTX of a module: the driver compiles every kernel of the text that it is given, which
//! takes seconds, and a call needs one or two.

use std::collections::{BTreeMap, BTreeSet};

/// The text with the entry point `entry` alone and the functions that it calls; with none, what is left is the
/// module's variables. Ends with a zero, as the driver reads it.
pub(crate) fn only(ptx: &str, entry: Option<&str>) -> String {
    let items = items(ptx);
    let bodies: BTreeMap<&str, &str> = items
        .iter()
        .filter_map(|&item| match kind(item) {
            Kind::Function(name) if item.contains('{') => Some((name, item)),
            _ => None,
        })
        .collect();
    let mut called = BTreeSet::new();
    let mut to_read: Vec<&str> =
        items.iter().filter(|&&item| kind(item).is_entry(entry)).copied().collect();
    while let Some(text) = to_read.pop() {
        for name in words(text) {
            if let Some((&name, &body)) = bodies.get_key_value(name)
                && called.insert(name)
            {
                to_read.push(body);
            }
        }
    }
    let kept = items.iter().filter(|&&item| match kind(item) {
        Kind::Entry(_) => kind(item).is_entry(entry),
        Kind::Function(name) => called.contains(name),
        Kind::Other => true,
    });
    kept.copied().chain(["\0"]).collect()
}

/// What stands at the top level of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind<'a> {
    Entry(&'a str),
    /// Declared or defined.
    Function(&'a str),
    /// A directive or a variable.
    Other,
}

impl Kind<'_> {
    fn is_entry(self, name: Option<&str>) -> bool {
        matches!((self, name), (Kind::Entry(own), Some(name)) if own == name)
    }
}

fn kind(item: &str) -> Kind<'_> {
    // Comments and line information may stand before.
    for line in item.lines() {
        let line = line.trim_start();
        let line = [".visible ", ".weak "].iter().fold(line, |l, w| l.strip_prefix(w).unwrap_or(l));
        if let Some(rest) = line.strip_prefix(".entry ") {
            return Kind::Entry(words(rest).next().unwrap_or(""));
        }
        if let Some(rest) = line.strip_prefix(".func") {
            // What it returns may stand before the name, in parentheses.
            let rest = rest.trim_start();
            let rest = rest.strip_prefix('(').and_then(|r| r.split_once(')')).map_or(rest, |r| r.1);
            return Kind::Function(words(rest).next().unwrap_or(""));
        }
    }
    Kind::Other
}

/// The items at the top level, with all that stands between them: an item ends with the line that ends in `;`
/// or closes the last brace; the directives of the module end with its address size.
fn items(ptx: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let (mut begin, mut at, mut depth) = (0, 0, 0usize);
    for line in ptx.split_inclusive('\n') {
        at += line.len();
        let text = line.trim();
        depth += text.matches('{').count();
        depth = depth.saturating_sub(text.matches('}').count());
        let ends = text.ends_with([';', '}']) || text.starts_with(".address_size");
        if depth == 0 && ends {
            items.push(&ptx[begin..at]);
            begin = at;
        }
    }
    items.push(&ptx[begin..]);
    items
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    text.split(move |c| !in_name(c)).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::kernels::part::Part;

    const PTX: &str = "//\n// Generated\n//\n.version 9.0\n.target sm_80\n.address_size 64\n\n\
        .func  (.param .b32 func_retval0) twice\n(\n\t.param .b32 twice_param_0\n)\n;\n\
        .global .align 4 .b8 shapes[4] = {1, 0, 0, 0};\n\
        .visible .entry first(\n\t.param .u64 first_param_0\n)\n{\n\t{\n\tcall.uni (retval0), twice, (p);\n\t}\n}\n\
        .visible .entry second(\n\t.param .u64 second_param_0\n)\n.maxntid 32\n{\n\tret;\n}\n\
        .func never()\n{\n\tret;\n}\n\
        .func  (.param .b32 func_retval0) twice(\n\t.param .b32 twice_param_0\n)\n{\n\tcall once, ();\n}\n\
        .func once()\n{\n\tret;\n}\n";

    #[test]
    fn a_kernel_keeps_what_it_calls() {
        let first = only(PTX, Some("first"));
        for there in
            [".address_size 64", "shapes[4]", ".entry first", "twice_param_0", ".func once()"]
        {
            assert!(first.contains(there), "{there} in {first}");
        }
        assert!(!first.contains("second") && !first.contains("never"), "{first}");
        let second = only(PTX, Some("second"));
        assert!(second.contains(".maxntid 32") && !second.contains("twice"), "{second}");
    }

    #[test]
    fn without_kernels_the_variables_are_left() {
        let none = only(PTX, None);
        assert!(none.contains("shapes[4]") && none.ends_with('\0'));
        assert!(!none.contains(".entry") && !none.contains(".func"), "{none}");
    }

    #[test]
    fn each_kernel_can_be_taken_out_of_its_module() {
        for (part, capability) in Part::all().flat_map(|part| [(part, 80), (part, 90)]) {
            let text = part.ptx(capability);
            let names: Vec<&str> =
                text.split(".entry ").skip(1).filter_map(|t| words(t).next()).collect();
            assert!(!names.is_empty(), "{part}");
            for name in names {
                let part = only(text, Some(name));
                assert_eq!(part.matches(".entry ").count(), 1, "{name}");
                assert!(part.contains(&format!(".entry {name}(")), "{name}");
                assert!(part.len() < text.len(), "{name}");
            }
        }
    }

    #[test]
    fn all_that_stands_in_the_text_is_in_some_item() {
        assert_eq!(items(PTX).concat(), PTX);
    }
}
