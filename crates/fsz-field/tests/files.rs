//! Readers on good and on hostile files, and outputs that appear whole or not at all.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use fsz::{Bound, Codec, CompressOptions, DType, Progress};
use fsz_field::{
    Error, Field, Hints, Kind, Like, MaskFile, Output, Shape, StreamFile, open, with_values,
    write_npy, write_raw,
};
use tempfile::{TempDir, tempdir};

struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempdir().unwrap())
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            names.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn open_plain(path: &Path) -> Result<Field, Error> {
    open(path, &Hints::default(), &Codec::cpu())
}

#[track_caller]
fn refused(path: &Path, hints: &Hints, words: &str) {
    let message = open(path, hints, &Codec::cpu()).unwrap_err().to_string();
    assert!(message.contains(words), "{message}");
    assert!(!message.contains('\n'), "{message}");
}

fn f32s(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    values.into_iter().flat_map(f32::to_le_bytes).collect()
}

/// A `.npy` file with this dictionary and these bytes after it.
fn npy(dictionary: &str, values: &[u8]) -> Vec<u8> {
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((dictionary.len() as u16).to_le_bytes());
    file.extend(dictionary.as_bytes());
    file.extend(values);
    file
}

fn field(shape: &[u64], values: Vec<f32>) -> Field {
    Field::new(Shape::new(shape).unwrap(), values).unwrap()
}

#[test]
fn a_raw_file_takes_shape_and_type_from_its_name() {
    let folder = Folder::new();
    let path = folder.file("T_2x3.f32", &f32s([0.0, 1.0, 2.0, 3.0, 4.0, 5.0]));
    let field = open_plain(&path).unwrap();
    assert_eq!((field.dtype(), field.shape().sides()), (DType::F32, &[2, 3][..]));
    assert_eq!(field.as_slice::<f32>().unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn hints_win_over_the_name_and_the_size_tells_the_type() {
    let folder = Folder::new();
    let path = folder.file("T_2x3.dat", &f32s([1.0; 12]));
    assert_eq!(open_plain(&path).unwrap().dtype(), DType::F64);
    let shape = Some("3x4".parse().unwrap());
    let read = open(&path, &Hints { shape, ..Hints::default() }, &Codec::cpu()).unwrap();
    assert_eq!((read.dtype(), read.shape().sides()), (DType::F32, &[3, 4][..]));
}

#[test]
fn a_raw_file_that_does_not_fit_is_refused() {
    let folder = Folder::new();
    let hints = |shape: &str, dtype| Hints {
        shape: Some(shape.parse().unwrap()),
        dtype,
        ..Hints::default()
    };
    let path = folder.file("T.f32", &f32s([1.0; 6]));
    refused(&path, &Hints::default(), "--shape 6");
    for (name, values) in [("T.f32", "f32"), ("T.f64", "f64"), ("T.dat", "f32 or f64")] {
        let words = format!("13 bytes, which are no whole number of {values}:");
        refused(&folder.file(name, &[7; 13]), &Hints::default(), &words);
    }
    let path = folder.file("T.f32", &f32s([1.0; 6]));
    refused(&path, &hints("7", None), "wrong --shape or --dtype");
    refused(
        &path,
        &hints("6", Some(DType::F64)),
        "24 bytes, but shape 6 takes 48 bytes as f64; wrong",
    );
    refused(
        &folder.file("T_2020.f32", &f32s([1.0; 6])),
        &Hints::default(),
        "24 bytes, but shape 2020 takes 8080 bytes as f32; the shape is that in its name: give --shape",
    );
    refused(
        &folder.file("T.dat", &[0; 25]),
        &hints("6", None),
        "25 bytes, but shape 6 takes 24 bytes as f32, 48 as f64;",
    );
    let like = |shape: &str, dtype| {
        let like = Like { name: "T.fsz".to_owned(), shape: shape.parse().unwrap(), dtype };
        Hints { like: Some(like), ..Hints::default() }
    };
    refused(&path, &like("7", DType::F32), "the shape is that of T.fsz: is this the right file?");
    // Its bytes are so many, but the name tells another type.
    refused(
        &path,
        &like("3", DType::F64),
        "24 bytes, but shape 3 takes 12 bytes as f32; as f64 it would fit T.fsz: name it ",
    );
    let told = Hints { dtype: Some(DType::F64), ..like("3", DType::F32) };
    assert_eq!(open(&path, &told, &Codec::cpu()).unwrap().dtype(), DType::F64);
    let plain = open(&folder.file("T.dat", &[0; 24]), &like("3", DType::F64), &Codec::cpu());
    assert_eq!(plain.unwrap().dtype(), DType::F64);
    refused(&folder.0.path().join("none.f32"), &Hints::default(), "No such file");
    refused(&folder.0.path().join("none.npy"), &Hints::default(), "No such file");
    let huge = hints("2305843009213693951", Some(DType::F64));
    refused(&path, &huge, "wrong --shape or --dtype");
}

#[test]
fn an_empty_raw_file_is_an_empty_field() {
    let folder = Folder::new();
    let field = open_plain(&folder.file("T_0x3.f32", &[])).unwrap();
    assert_eq!(field.values().len(), 0);
}

#[test]
fn npy_in_every_order() {
    let folder = Folder::new();
    let big: Vec<u8> = (0..6).flat_map(|v| f64::from(v).to_be_bytes()).collect();
    let big_fortran: Vec<u8> =
        [0.0f32, 3.0, 1.0, 4.0, 2.0, 5.0].into_iter().flat_map(f32::to_be_bytes).collect();
    let files = [
        (
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
            f32s((0..6).map(|v| v as f32)),
        ),
        (
            "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }",
            f32s([0.0, 3.0, 1.0, 4.0, 2.0, 5.0]),
        ),
        ("{\"shape\": (2L, 3L), \"fortran_order\": False, \"descr\": \">f8\"}", big),
        ("{'descr': '>f4', 'fortran_order': True, 'shape': (2, 3), }  \n", big_fortran),
    ];
    for (dictionary, values) in files {
        let field = open_plain(&folder.file("a.npy", &npy(dictionary, &values))).unwrap();
        assert_eq!(field.shape().sides(), [2, 3], "{dictionary}");
        let values = with_values!(field.values(), v => format!("{v:?}"));
        assert_eq!(values, "[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]", "{dictionary}");
    }
}

#[test]
fn npy_of_a_scalar_and_of_version_2() {
    let folder = Folder::new();
    let scalar =
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", &2.5f64.to_le_bytes());
    let field = open_plain(&folder.file("a.npy", &scalar)).unwrap();
    assert_eq!((field.shape().sides(), field.as_slice::<f64>().unwrap()), (&[][..], &[2.5][..]));
    let dictionary = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
    let mut file = b"\x93NUMPY\x02\x00".to_vec();
    file.extend((dictionary.len() as u32).to_le_bytes());
    file.extend(dictionary);
    file.extend(7f32.to_le_bytes());
    assert_eq!(open_plain(&folder.file("b.npy", &file)).unwrap().as_slice::<f32>().unwrap(), [7.0]);
}

#[test]
fn hostile_npy_is_refused() {
    let folder = Folder::new();
    let good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    let whole = npy(good, &f32s([1.0; 6]));
    for len in 0..whole.len() {
        let path = folder.file("cut.npy", &whole[..len]);
        let message = open_plain(&path).unwrap_err().to_string();
        assert!(message.contains("cut.npy") && !message.contains('\n'), "{len}: {message}");
    }
    for (dictionary, words) in [
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }", "does not fit"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }", "does not fit"),
        ("{'descr': '<i4', 'fortran_order': False, 'shape': (6,), }", ".astype(numpy.float64)"),
        ("{'descr': '|u1', 'fortran_order': False, 'shape': (24,), }", ".astype(numpy.float32)"),
        ("{'descr': '>f2', 'fortran_order': False, 'shape': (12,), }", ".astype(numpy.float32)"),
        ("{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }", ".real and .imag"),
        ("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,), }", "structured"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (-6,), }", "damaged"),
        (
            "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4), }",
            "64 bits",
        ),
        ("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (6,), }", "damaged"),
        ("{'descr': '', 'fortran_order': False, 'shape': (6,), }", "only float32"),
        ("{'descr': 'é4', 'fortran_order': False, 'shape': (6,), }", "only float32"),
        ("{'descr': '<f4'", "damaged"),
        ("{", "damaged"),
        ("{}", "damaged"),
        ("", "damaged"),
    ] {
        refused(
            &folder.file("bad.npy", &npy(dictionary, &f32s([1.0; 6]))),
            &Hints::default(),
            words,
        );
    }
    refused(&folder.file("old.npy", b"\x93NUMPY\x09\x00\x00\x00"), &Hints::default(), "version 9");
    refused(&folder.file("other.npy", b"something else"), &Hints::default(), "not a .npy");
}

#[test]
fn parts_of_masks_of_every_type() {
    let folder = Folder::new();
    let values = [0.0, 1.0, f64::NAN, -0.0, 7.0, 0.0];
    let header = |descr: &str, fortran: &str| {
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': (2, 3), }}")
    };
    let bytes = values.map(|value| u8::from(value != 0.0 && !value.is_nan()));
    for (descr, file) in [
        ("|b1", bytes.to_vec()),
        ("|u1", bytes.map(|byte| 200 * byte).to_vec()),
        ("<f4", f32s(values.map(|value| value as f32))),
        (">f4", values.iter().flat_map(|&value| (value as f32).to_be_bytes()).collect()),
        ("<f8", values.iter().flat_map(|value| value.to_le_bytes()).collect()),
        (">f8", values.iter().flat_map(|value| value.to_be_bytes()).collect()),
    ] {
        for (fortran, whole, column) in [("False", [1, 4], vec![0, 1]), ("True", [2, 3], vec![])] {
            let path = folder.file("mask.npy", &npy(&header(descr, fortran), &file));
            let mask = MaskFile::open(&path).unwrap();
            assert_eq!(mask.shape().sides(), [2, 3]);
            let all = mask.part(&[0, 0], &[2, 3]).unwrap();
            assert_eq!(all.runs().flatten().collect::<Vec<_>>(), whole, "{descr} {fortran}");
            let part = mask.part(&[0, 1], &[2, 1]).unwrap();
            assert_eq!(part.runs().flatten().collect::<Vec<_>>(), column, "{descr} {fortran}");
            assert_eq!(part.elements(), 2);
            for (start, count) in [(&[1, 0][..], &[2, 3][..]), (&[0], &[6]), (&[3, 0], &[0, 3])] {
                let message = mask.part(start, count).unwrap_err().to_string();
                assert!(message.contains("mask.npy") && message.contains("2x3"), "{message}");
            }
        }
    }
    let refused = |bytes: &[u8], words: &str| {
        let message = MaskFile::open(&folder.file("bad.npy", bytes)).unwrap_err().to_string();
        assert!(message.contains("bad.npy") && message.contains(words), "{message}");
    };
    refused(&npy(&header("<i4", "False"), &[0; 24]), "astype(bool)");
    refused(&npy(&header("|b1", "False"), &[0; 5]), "does not fit");
    refused(b"something else", "damaged");
    assert!(MaskFile::open(&folder.0.path().join("none.npy")).is_err());
}

#[test]
fn every_flip_of_a_header_bit_is_an_error_or_a_field() {
    let folder = Folder::new();
    let dictionary = "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }";
    let whole = npy(dictionary, &f32s([1.0; 6]));
    for bit in 0..8 * (whole.len() - 24) {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        if let Ok(field) = open_plain(&folder.file("flip.npy", &flipped)) {
            assert_eq!(field.shape().elements(), field.values().len() as u64);
        }
    }
}

#[test]
fn what_is_written_is_read_back() {
    let folder = Folder::new();
    for shape in [&[][..], &[1], &[2, 1], &[1, 1, 2, 1], &[0, 4]] {
        let count = shape.iter().product::<u64>();
        let values: Vec<f32> = (0..count).map(|v| v as f32 / 3.0).collect();
        let written = field(shape, values.clone());
        let path = folder.0.path().join("a.npy");
        let mut output = Output::create(&path, true).unwrap();
        write_npy(&written, &mut output).unwrap();
        output.commit().unwrap();
        let read = open_plain(&path).unwrap();
        assert_eq!((read.shape(), read.as_slice::<f32>().unwrap()), (written.shape(), &values[..]));
        assert!(fs::read(&path).unwrap().len().is_multiple_of(64) || count > 0);

        let mut output = Output::create(&folder.0.path().join("a.f32"), true).unwrap();
        write_raw(written.values(), &mut output).unwrap();
        output.commit().unwrap();
        assert_eq!(fs::read(folder.0.path().join("a.f32")).unwrap(), f32s(values));
    }
}

#[test]
fn the_magic_decides_before_the_name() {
    let folder = Folder::new();
    let kind = |name, bytes: &[u8]| Kind::of(&folder.file(name, bytes));
    let told = |name, bytes| kind(name, bytes).unwrap();
    for name in ["a", "a.f32", "a.raw", "a.zfp", "a.npy", "a.fsz", "a.bp"] {
        assert_eq!(told(name, b"\x89FSZ\r\n\x1a\n..."), Kind::Fsz, "{name}");
        assert_eq!(told(name, b"\x93NUMPY\x01\x00"), Kind::Npy, "{name}");
    }
    for name in ["a", "a.fsz", "a.zfp"] {
        assert_eq!(told(name, b"FSZ1...."), Kind::Fsz1, "{name}");
    }
    assert_eq!(told("a.f32", b"FSZ1...."), Kind::Raw, "a value may begin so");
    assert_eq!(told("a", b"zfp\x05"), Kind::Zfp);
    assert_eq!(told("a.f32", b"zfp\x05"), Kind::Raw, "a value may begin so");
    assert_eq!(told("a.zfp", b"12345678"), Kind::Zfp);
    assert_eq!(told("a.bin", b"12345678"), Kind::Raw);
    assert_eq!(told("a.bp", b"12345678"), Kind::Bp);
    let refused = |path: &Path| Kind::of(path).unwrap_err().to_string();
    assert!(refused(folder.0.path()).contains("a folder of .fsz files"));
    let own = folder.0.path().join("steps");
    std::fs::create_dir(&own).unwrap();
    assert!(refused(&own).contains("no ADIOS2 file"));
    std::fs::write(own.join("md.idx"), "").unwrap();
    assert_eq!(Kind::of(&own).unwrap(), Kind::Bp);
    std::fs::create_dir(folder.0.path().join("out.bp")).unwrap();
    assert_eq!(Kind::of(&folder.0.path().join("out.bp")).unwrap(), Kind::Bp);
    for (name, bytes, words) in [
        ("a.fsz", &b"12345678"[..], "not an FSZ stream"),
        ("a.fsz", b"\x89FSZ", "truncated"),
        ("a.fsz", b"", "truncated"),
        ("a.npy", b"12345678", "not a .npy"),
    ] {
        let message = kind(name, bytes).unwrap_err().to_string();
        assert!(message.contains(words) && message.contains(name), "{message}");
    }
    assert!(Kind::of(Path::new("/nowhere/a.bp")).is_err());
    assert!(Kind::of(Path::new("/dev/null")).unwrap_err().to_string().contains("regular"));
}

#[test]
fn planes_of_a_stream_are_decoded_until_they_are_cancelled() {
    let values: Vec<f32> = (0..60_000).map(|i| (i as f32 * 0.01).sin()).collect();
    let (shape, options) = ([3, 100, 200], CompressOptions::new(Bound::Absolute(1e-3)));
    let mut bytes = vec![0; 1 << 20];
    let length = Codec::cpu().compress_into(&values, &shape, &options, &mut bytes).unwrap();
    let file = StreamFile::open(&Folder::new().file("w.fsz", &bytes[..length])).unwrap();
    let whole = file.decode(&Codec::cpu()).unwrap();
    for (axis, index) in [(0, 2), (1, 99), (2, 0)] {
        let progress = Progress::new();
        let decode = || file.decode_slice_watched(&Codec::cpu(), (axis, index), &progress);
        let (plane, expected) = (decode().unwrap(), whole.slice(axis, index).unwrap());
        assert_eq!(plane.shape(), expected.shape());
        assert!(plane.as_slice::<f32>().is_some());
        assert_eq!(plane.as_slice::<f32>(), expected.as_slice());
        assert_eq!(progress.done(), 4 * plane.shape().elements());
        progress.cancel();
        let ended = decode().unwrap_err();
        assert!(matches!(ended, Error::Codec { source: fsz::Error::Cancelled, .. }), "{ended}");
    }
    let outside = file.decode_slice_watched(&Codec::cpu(), (3, 0), &Progress::new()).unwrap_err();
    assert!(outside.to_string().contains("axis 3 of a field of 3 dimensions"), "{outside}");
}

/// What is mapped is gone when another program shortens the file: reading it would end this one.
#[cfg(unix)]
#[test]
fn what_changes_while_it_is_open_is_read_no_further() {
    let folder = Folder::new();
    let stream = |values: &[f32]| {
        let options = CompressOptions::new(Bound::Absolute(1e-6));
        let mut bytes = vec![0; 1 << 20];
        let shape = [values.len() as u64];
        let length = Codec::cpu().compress_into(values, &shape, &options, &mut bytes).unwrap();
        bytes.truncate(length);
        bytes
    };
    let values: Vec<f32> = (0..60_000).map(|i| (i as f32 * 0.01).sin()).collect();
    let wave = stream(&values);
    let dictionary = "{'descr': '|b1', 'fortran_order': False, 'shape': (60000,), }";
    let [a, b] = ["a.fsz", "b.fsz"].map(|name| folder.file(name, &wave));
    let raw = folder.file("c_60000.f32", &f32s(values.iter().copied()));
    let mask = folder.file("d.npy", &npy(dictionary, &[1; 60_000]));
    let files = [&a, &b].map(|path| StreamFile::open(path).unwrap());
    let (field, masks) = (open_plain(&raw).unwrap(), MaskFile::open(&mask).unwrap());
    let all = |file: &StreamFile| file.decode(&Codec::cpu()).map(drop);
    let outcomes = || {
        let part = masks.part(&[0], &[60_000]).map(drop);
        [all(&files[0]), all(&files[1]), field.window(&[50_000], &[9]).map(drop), part]
    };
    assert!(outcomes().iter().all(Result::is_ok));
    // What another file took the place of, or is removed, is still there.
    fs::rename(folder.file("new", b"short"), &a).unwrap();
    fs::remove_file(&b).unwrap();
    assert!(outcomes().iter().all(Result::is_ok));

    let changed = |outcome: Result<(), Error>, path: &Path| {
        let told = outcome.unwrap_err().to_string();
        assert!(
            told.starts_with(path.to_str().unwrap()) && told.ends_with("open it again"),
            "{told}"
        );
    };
    let shorten = |path: &Path, len: usize| {
        let file = fs::OpenOptions::new().write(true).open(path).unwrap();
        file.set_len(len as u64).unwrap();
    };
    for (name, len) in [("a.fsz", wave.len() - 5), ("b.fsz", 0)] {
        let path = folder.file(name, &wave);
        let file = StreamFile::open(&path).unwrap();
        shorten(&path, len);
        changed(all(&file), &path);
    }
    [&raw, &mask].into_iter().for_each(|path| shorten(path, 99));
    changed(field.check(), &raw);
    changed(field.window(&[50_000], &[9]).map(drop), &raw);
    changed(masks.part(&[0], &[60_000]).map(drop), &mask);

    // Another stream is not read by what is known of the one before.
    let path = folder.file("e.fsz", &stream(&values[..40_000]));
    let file = StreamFile::open(&path).unwrap();
    fs::write(&path, &wave).unwrap();
    changed(all(&file), &path);
    all(&StreamFile::open(&path).unwrap()).unwrap();
}

/// In the middle of a decode, which no check before it can tell.
#[cfg(target_os = "linux")]
#[test]
fn what_is_gone_while_it_is_read_is_told_and_ends_nothing() {
    fsz_field::outlive_shortened_files();
    let folder = Folder::new();
    let values: Vec<f32> = (0..300_000).map(|i| (i as f32 * 0.01).sin()).collect();
    let options = CompressOptions::new(Bound::Absolute(1e-6));
    let mut bytes = vec![0; 2 << 20];
    let len = Codec::cpu().compress_into(&values, &[300_000], &options, &mut bytes).unwrap();
    let path = folder.file("a.fsz", &bytes[..len]);
    let raw = folder.file("b_300000.f32", &f32s(values.iter().copied()));
    let halve = |path: &Path| {
        let file = fs::OpenOptions::new().write(true).open(path).unwrap();
        file.set_len(file.metadata().unwrap().len() / 2).unwrap();
    };
    let told = |checked: Result<(), Error>, path: &Path| {
        let told = checked.unwrap_err().to_string();
        let words = ": the file became shorter while it was read";
        assert!(told.starts_with(&format!("{}{words}", path.display())), "{told}");
    };
    let file = StreamFile::open(&path).unwrap();
    let stream = file.stream().unwrap();
    halve(&path);
    let last = stream.grid().tiles() - 1;
    let mut out = vec![0f32; stream.grid().tile_len(last)];
    let decoded = Codec::cpu().decompress_tiles_into(&stream, last..last + 1, &mut out);
    assert!(decoded.is_err(), "zeros are no chunk");
    told(file.check(), &path);
    // The same place of memory is another map's later.
    drop(file);
    let field = open_plain(&raw).unwrap();
    field.check().unwrap();
    halve(&raw);
    let found = field.as_slice::<f32>().unwrap();
    assert_eq!(found[..150_000], values[..150_000]);
    assert!(found[160_000..].iter().all(|&value| value == 0.0));
    // As long as it was, what was read is none of it.
    fs::write(&raw, f32s(values.iter().copied())).unwrap();
    told(field.check(), &raw);
    assert!(open_plain(&raw).unwrap().check().is_ok());
}

#[test]
fn an_output_appears_whole_or_not_at_all() {
    let folder = Folder::new();
    let path = folder.0.path().join("out");
    let mut output = Output::create(&path, false).unwrap();
    output.write_all(b"half").unwrap();
    assert!(!path.exists() && !output.is_direct());
    drop(output);
    assert!(folder.names().is_empty(), "nothing is left behind");

    let mut output = Output::create(&path, false).unwrap();
    output.write_all(b"whole").unwrap();
    output.commit().unwrap();
    assert_eq!(folder.names(), ["out"]);
    assert_eq!(fs::read(&path).unwrap(), b"whole");
}

#[test]
fn a_name_may_be_as_long_as_the_file_system_allows() {
    let folder = Folder::new();
    let path = folder.0.path().join("n".repeat(255));
    for force in [false, true] {
        let mut output = Output::create(&path, force).unwrap();
        output.write_all(b"whole").unwrap();
        output.commit().unwrap();
    }
    assert_eq!(folder.names(), ["n".repeat(255)]);
}

#[test]
fn overwriting_takes_force() {
    let folder = Folder::new();
    let path = folder.file("out", b"old");
    assert!(matches!(Output::create(&path, false), Err(Error::Exists { .. })));
    let mut output = Output::create(&path, true).unwrap();
    output.write_all(b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"old");
    output.commit().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(folder.names(), ["out"]);
}

#[test]
fn a_name_that_was_taken_meanwhile_is_kept() {
    let folder = Folder::new();
    let path = folder.0.path().join("out");
    let output = Output::create(&path, false).unwrap();
    fs::write(&path, b"theirs").unwrap();
    assert!(matches!(output.commit(), Err(Error::Exists { .. })));
    assert_eq!(fs::read(&path).unwrap(), b"theirs");
    assert_eq!(folder.names(), ["out"]);
}

#[test]
fn odd_outputs() {
    let folder = Folder::new();
    assert!(Output::create(folder.0.path(), true).is_err(), "a folder");
    assert!(Output::create(&folder.0.path().join("none/out"), true).is_err(), "no folder");
    assert!(Output::create(Path::new(""), true).is_err());
}

#[cfg(unix)]
fn write(path: &Path, force: bool, bytes: &[u8]) {
    let mut output = Output::create(path, force).unwrap();
    output.write_all(bytes).unwrap();
    output.commit().unwrap();
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_written_to() {
    use std::os::unix::fs::FileTypeExt;
    assert!(Output::create(Path::new("/dev/null"), false).unwrap().is_direct());
    write(Path::new("/dev/null"), false, b"gone");
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());

    let folder = Folder::new();
    let pipe = folder.0.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read(pipe).unwrap()
    });
    write(&pipe, false, b"through");
    assert_eq!(reader.join().unwrap(), b"through");
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
}

#[cfg(target_os = "linux")]
#[test]
fn open_files_are_written_to_at_their_end() {
    use std::os::fd::AsRawFd;
    let folder = Folder::new();
    let path = folder.file("log", b"before, ");
    let open = fs::OpenOptions::new().append(true).open(&path).unwrap();
    write(Path::new(&format!("/dev/fd/{}", open.as_raw_fd())), false, b"after");
    assert_eq!(fs::read(&path).unwrap(), b"before, after");
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_stay() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    let (target, link, chain) = (
        folder.0.path().join("target"),
        folder.0.path().join("link"),
        folder.0.path().join("chain"),
    );
    symlink("target", &link).unwrap();
    symlink(&link, &chain).unwrap();
    for (force, bytes) in [(false, b"one"), (true, b"two")] {
        write(&chain, force, bytes);
        assert_eq!(folder.names(), ["chain", "link", "target"]);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(!fs::symlink_metadata(&target).unwrap().is_symlink());
        assert_eq!(fs::read(&target).unwrap(), bytes);
    }
    assert!(matches!(Output::create(&chain, false), Err(Error::Exists { .. })));
    let round = folder.0.path().join("round");
    symlink("round", &round).unwrap();
    assert!(Output::create(&round, true).is_err());
}
