//! Misuse and unreadable inputs: one line that says what to do, exit code 2, nothing written.

use std::process::Stdio;

use crate::workshop::{FIELD, Workshop};

#[test]
fn arguments() {
    let shop = Workshop::with_field();
    shop.refused(&[], "subcommand");
    shop.refused(&["squash"], "unrecognized subcommand 'squash'");
    shop.refused(&["compress", FIELD, "-o", "x.fsz"], "--abs");
    shop.refused(&["compress", FIELD, "-o", "x.fsz", "--abs", "1", "--range", "1"], "--range");
    shop.refused(&["compress", FIELD, "-o", "x.fsz", "--abs", "much"], "much");
    let abs = |e| ["compress", FIELD, "-o", "x.fsz", "--abs", e];
    shop.refused(&abs("0"), "positive");
    shop.refused(&abs("-1"), "positive");
    shop.refused(&abs("nan"), "positive");
    let and = |more: &[&'static str]| [&abs("1")[..], more].concat();
    shop.refused(&and(&["--shape", "6x"]), "30x192x288");
    shop.refused(&and(&["--shape", "1x1x1x1x1x1x1x1x3600"]), "at most 8");
    shop.refused(&and(&["--shape", "7"]), "14400");
    shop.refused(&and(&["--dtype", "i32"]), "use f32 or f64");
    shop.refused(&and(&["--dtype", "f64"]), "wrong");
    shop.refused(&and(&["--threads", "0"]), "at least 1");
    if fsz::devices().is_err() {
        shop.refused(&and(&["--backend", "cuda"]), "--backend cpu");
    }
    shop.refused(&and(&["--variable", "U"]), "ADIOS2 file");
    shop.refused(&and(&["--block-len", "33"]), "32");
    shop.refused(&and(&["--no-centering", "--mean-centering"]), "cannot be used with");
    let missing = ["1", "2", "3", "4", "5"].map(|v| ["--missing", v]).concat();
    shop.refused(&and(&missing), "at most 4");
}

#[test]
fn inputs() {
    let shop = Workshop::with_stream();
    shop.refused(&["compress", "none.f32", "-o", "x.fsz", "--abs", "1"], "none.f32: No such file");
    shop.write("T.bin", b"1234567");
    shop.refused(&["compress", "T.bin", "-o", "x.fsz", "--abs", "1"], "--shape");
    shop.write("bad.npy", b"\x93NUMPY\x01\x00\xff");
    shop.refused(&["compress", "bad.npy", "-o", "x.fsz", "--abs", "1"], "damaged");
    shop.refused(&["inspect", FIELD], "not a .fsz");
    shop.refused(&["decompress", "T.bin", "-o", "x.f32"], "--shape");
    shop.refused(&["compare", FIELD, "none.fsz"], "No such file");
    shop.refused(&["verify", "none.fsz", "--original", FIELD], "No such file");
    shop.refused(&["verify", "T.fsz", "--original", "T.bin"], "wrong");
    std::fs::create_dir(shop.path("folder")).unwrap();
    shop.refused(&["compress", FIELD, "-o", "folder", "--abs", "1"], "folder");
    shop.refused(&["compress", FIELD, "-o", "none/x.fsz", "--abs", "1"], "No such file");
}

#[test]
fn a_damaged_stream() {
    let shop = Workshop::with_stream();
    let whole = shop.read("T.fsz");
    for len in [0, 4, 8, 100, whole.len() / 2, whole.len() - 1] {
        shop.write("cut.fsz", &whole[..len]);
        for command in ["inspect", "decompress"] {
            let args = [command, "cut.fsz", "-o", "x.f32"];
            let args = if command == "inspect" { &args[..2] } else { &args[..] };
            shop.refused(args, "cut.fsz");
        }
    }
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    shop.write("flip.fsz", &flipped);
    shop.refused(&["decompress", "flip.fsz", "-o", "x.f32"], "corrupt");
    shop.refused(&["verify", "flip.fsz", "--original", FIELD], "corrupt");
}

#[cfg(not(feature = "adios2"))]
#[test]
fn adios2_files_in_a_build_without_it() {
    let shop = Workshop::with_field();
    std::fs::create_dir(shop.path("a.bp")).unwrap();
    shop.refused(&["inspect", "a.bp"], "--features adios2");
    shop.refused(&["extract", "a.bp", "--variable", "U", "-o", "x.fsz"], "--features adios2");
    shop.refused(&["compress", "a.bp", "-o", "x.fsz", "--abs", "1"], "--features adios2");
}

#[test]
fn help_and_version_are_no_errors() {
    let shop = Workshop::new();
    assert!(shop.fine(&["--help"]).contains("Exit codes"));
    assert!(shop.fine(&["compress", "--help"]).contains("Research"));
    assert!(shop.fine(&["--version"]).starts_with("fsz "));
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let shop = Workshop::with_stream();
    for args in [&["inspect", "T.fsz", "--json"][..], &["completions", "zsh"], &["--help"]] {
        let mut child =
            shop.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ended = child.wait_with_output().unwrap();
        assert!(ended.status.success(), "{args:?}");
        assert!(ended.stderr.is_empty(), "{args:?}");
    }
}
