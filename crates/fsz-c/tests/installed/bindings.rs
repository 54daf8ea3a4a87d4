//! The C++ wrapper and the Fortran module have all that the header has.

use std::{collections::BTreeMap, fs};

use crate::{library::declared, tools::member};

fn read(file: &str) -> String {
    fs::read_to_string(member().join(file)).unwrap_or_else(|why| panic!("{file}: {why}"))
}

#[test]
fn the_wrapper_calls_every_function() {
    let wrapper = read("include/fsz_codec.hpp");
    // What a wrapper has no use for: constants of the library, and the address of memory.
    let not_wrapped = ["fszc_status_text", "fszc_version", "fszc_abi_version", "fszc_memory_at"];
    for name in declared() {
        let is_called = wrapper.contains(&format!("{name}("))
            || wrapper.contains(&format!("{name}>"))
            || wrapper.contains(&format!("{name})"));
        assert!(is_called || not_wrapped.contains(&name.as_str()), "{name}");
    }
}

#[test]
fn the_fortran_module_has_every_function_and_field() {
    let (module, header) = (read("fortran/fsz_codec.f90"), read("include/fsz_codec.h"));
    for name in declared() {
        let has = |kind| module.contains(&format!("        {kind} {name}("));
        assert!(has("function") || has("subroutine"), "{name}");
    }
    // The fields of a struct, in their order.
    for (name, body) in structs(&header) {
        let start = module.find(&format!("type, bind(c) :: {name}\n")).unwrap_or_else(|| {
            panic!("the module has no {name}");
        });
        let body_there = module[start..].split("end type").next().expect("a body");
        let there: Vec<&str> = body_there
            .lines()
            .skip(1)
            .filter_map(|line| line.split(":: ").nth(1)?.split('(').next())
            .collect();
        assert_eq!(there, body, "{name}");
    }
}

/// The structs of the header with the names of their fields.
fn structs(header: &str) -> BTreeMap<&str, Vec<&str>> {
    let parts = header.split("\ntypedef struct ").skip(1).filter_map(|rest| {
        let (name, body) = rest.split_once("\n{\n")?;
        let body = body.split("\n}").next()?;
        let lines = body.lines().map(str::trim).filter(|line| line.ends_with(';'));
        let fields = lines.filter_map(|line| {
            line.trim_end_matches(';').split('[').next()?.split(' ').next_back()
        });
        (!name.contains(' ')).then(|| (name, fields.collect()))
    });
    parts.collect()
}

#[test]
fn the_fortran_module_has_the_numbers_of_the_header() {
    let (module, header) = (read("fortran/fsz_codec.f90"), read("include/fsz_codec.h"));
    let mut numbers = 0;
    for line in header.lines() {
        let defined = line.strip_prefix("#define ").and_then(|rest| rest.split_once(' '));
        let of_enum = line.trim().strip_suffix(',').and_then(|rest| rest.split_once(" = "));
        let Some((name, number)) = defined.or(of_enum) else { continue };
        if name.starts_with("FSZC_") {
            numbers += 1;
            let constant = format!("parameter :: {name} = {number}\n");
            assert!(module.contains(&constant), "{constant}");
        }
    }
    assert!(numbers > 40);
}
