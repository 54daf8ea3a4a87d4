//! What is read of a pipe is in memory once.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::Write;
use std::process::Command;

use fsz::{Codec, DType};
use fsz_field::{Hints, Shape};

const LEN: usize = 64 << 20;

/// Bytes that this process has had in memory at most.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() << 10
}

#[test]
fn a_pipe_is_not_copied() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let before = peak();
    let name = pipe.clone();
    let writer = std::thread::spawn(move || {
        let mut pipe = File::options().write(true).open(name).unwrap();
        let part = [1u8; 1 << 16];
        (0..LEN / part.len()).for_each(|_| pipe.write_all(&part).unwrap());
    });
    let shape = Some(Shape::new(&[LEN as u64 / 4]).unwrap());
    let hints = Hints { shape, dtype: Some(DType::F32), ..Hints::default() };
    let field = fsz_field::open(&pipe, &hints, &Codec::cpu()).unwrap();
    writer.join().unwrap();
    assert_eq!(field.values().len(), LEN / 4);
    let taken = peak() - before;
    assert!((LEN..LEN + LEN / 4).contains(&taken), "{taken} bytes for {LEN}");
}
