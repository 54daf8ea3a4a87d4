//! Files that are not what they should be end in a message.

use egui_kittest::kittest::Queryable;
use fsz_viewer::{Role, Settings, Start, Viewer};

use crate::fixture::{Fixture, drop_file, dropped, harness, settle, shows};

fn messages(viewer: &Viewer) -> String {
    viewer.view_state.messages.join("\n")
}

#[test]
fn truncated_streams() {
    let fixture = Fixture::new();
    let whole = std::fs::read(fixture.path("wave.fsz")).unwrap();
    for keep in [0, 7, 60, whole.len() / 2, whole.len() - 1] {
        std::fs::write(fixture.path("short.fsz"), &whole[..keep]).unwrap();
        let viewer = fixture.viewer("short.fsz", None);
        assert!(viewer.state().session.set.subject.is_none(), "{keep} bytes");
        assert!(messages(viewer.state()).contains("short.fsz"), "{keep} bytes");
    }
}

#[test]
fn flipped_bits() {
    let fixture = Fixture::new();
    let whole = std::fs::read(fixture.path("wave.fsz")).unwrap();
    for at in (0..whole.len()).step_by(whole.len() / 8) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        std::fs::write(fixture.path("flipped.fsz"), &bytes).unwrap();
        let viewer = fixture.viewer("flipped.fsz", Some("wave_12x40x50.f32"));
        // Either the file is refused, or its planes or measures are.
        let seen = messages(viewer.state());
        assert!(!seen.is_empty(), "nobody saw the flipped bit in byte {at}");
    }
}

/// What is read later is told of with its reason, too.
#[test]
fn tiles_that_are_damaged() {
    let fixture = Fixture::new();
    fixture.put_profile(crate::fixture::profiles()[1]);
    let mut bytes = std::fs::read(fixture.path("wave.fsz")).unwrap();
    let at = bytes.len() - 40;
    bytes[at] ^= 0x10;
    std::fs::write(fixture.path("flipped.fsz"), &bytes).unwrap();
    let viewer = fixture.viewer("flipped.fsz", None);
    let told = &viewer.state().view_state.messages;
    assert!(
        !told.is_empty() && told.iter().all(|m| m.contains("flipped.fsz: corrupt")),
        "{told:?}"
    );
}

/// As by a program that writes them anew in their place.
#[cfg(unix)]
#[test]
fn files_that_become_shorter_while_they_are_open() {
    for name in ["wave_12x40x50.f32", "wave.fsz"] {
        let fixture = Fixture::new();
        let mut viewer = fixture.viewer("wave.fsz", Some("wave_12x40x50.f32"));
        let file = std::fs::OpenOptions::new().write(true).open(fixture.path(name)).unwrap();
        file.set_len(100).unwrap();
        viewer.state_mut().face(2);
        settle(&mut viewer);
        let said = messages(viewer.state());
        let expected = format!("{name}: the file changed since it was opened: open it again");
        assert!(said.contains(&expected), "{said}");
        let planes = viewer.state().session.planes.as_ref().expect("the other one is sound");
        let there = [&planes.original, &planes.subject].map(Option::is_some);
        assert_eq!(there, [name == "wave.fsz", name != "wave.fsz"]);
        assert!(planes.error.is_none());
    }
}

/// What is sound is shown beside the error of what is not.
#[test]
fn a_damaged_original_hides_no_sound_reconstruction() {
    let fixture = Fixture::new();
    fixture.put_profile(crate::fixture::profiles()[0]);
    let mut bytes = std::fs::read(fixture.path("wave.fsz")).unwrap();
    let at = bytes.len() - 40;
    bytes[at] ^= 0x10;
    std::fs::write(fixture.path("flipped.fsz"), &bytes).unwrap();
    for (subject, original) in [("wave.fsz", "flipped.fsz"), ("flipped.fsz", "wave.fsz")] {
        let mut viewer = fixture.viewer(subject, Some(original));
        // Across the fastest axis every plane takes all of a stream.
        viewer.state_mut().face(2);
        settle(&mut viewer);
        let said = messages(viewer.state());
        assert!(said.contains("flipped.fsz: corrupt"), "{said}");
        let planes = viewer.state().session.planes.as_ref().expect("one is sound");
        let there = [&planes.subject, &planes.original].map(Option::is_some);
        assert_eq!(there, [subject == "wave.fsz", original == "wave.fsz"]);
        // There is nothing to compare it with, and nothing to wait for.
        assert!(shows(&viewer, "Could not be measured") && !shows(&viewer, "Measuring …"));
    }
}

#[test]
fn files_that_are_not_there_or_no_fields() {
    let fixture = Fixture::new();
    let mut viewer = fixture.viewer("nowhere.fsz", None);
    assert!(messages(viewer.state()).contains("nowhere.fsz"));
    std::fs::write(fixture.path("text.npy"), "not an array").unwrap();
    drop_file(&mut viewer, &fixture.path("text.npy"));
    assert_eq!(viewer.state().view_state.messages.len(), 2);
    drop_file(&mut viewer, &fixture.path("wave.fsz"));
    assert!(viewer.state().session.planes.as_ref().is_some(), "the next file opens as ever");
}

#[test]
fn an_original_of_another_shape() {
    let fixture = Fixture::new();
    let mut viewer = fixture.viewer("wave.fsz", None);
    std::fs::write(fixture.path("other_2x3.f32"), [0; 24]).unwrap();
    drop_file(&mut viewer, &fixture.path("other_2x3.f32"));
    settle(&mut viewer);
    assert!(messages(viewer.state()).contains("2 × 3"), "{}", messages(viewer.state()));
    assert!(viewer.state().session.set.original.is_none());
}

/// A stream of zeros.
fn put_zeros(fixture: &Fixture, name: &str, shape: &[usize]) {
    let zeros = ndarray::ArrayD::<f32>::zeros(shape);
    let stream = fsz::Codec::cpu().compress(zeros.view(), fsz::Bound::Absolute(1.0)).unwrap();
    std::fs::write(fixture.path(name), stream.as_bytes()).unwrap();
}

#[test]
fn what_is_refused_leaves_a_series_as_it_was() {
    let fixture = Fixture::new();
    for (folder, name) in [("steps", "wave.fsz"), ("small", "zeros.fsz")] {
        put_zeros(&fixture, "zeros.fsz", &[2, 3]);
        std::fs::create_dir(fixture.path(folder)).unwrap();
        for step in 0..2 {
            let to = fixture.path(folder).join(format!("{step}.fsz"));
            std::fs::copy(fixture.path(name), to).unwrap();
        }
    }
    std::fs::write(fixture.path("other_2x3.f32"), [0; 24]).unwrap();
    let start = Start { files: vec![fixture.path("steps")], ..Start::default() };
    let mut viewer = harness(start, Settings::default());
    for (name, role) in [
        ("other_2x3.f32", Role::Subject),
        ("other_2x3.f32", Role::Original),
        ("small", Role::Original),
    ] {
        viewer.state_mut().view_state.messages.clear();
        viewer.state_mut().open(&fixture.path(name), role);
        settle(&mut viewer);
        assert!(messages(viewer.state()).contains("2 × 3"), "{}", messages(viewer.state()));
        let session = &viewer.state().session;
        let there = session.catalogs.each_ref().map(|catalog| catalog.is_some());
        assert_eq!((there, session.choice.variable.as_str()), ([true, false], "steps"), "{name}");
        assert!(shows(&viewer, "Play"));
    }
    // An original that fits does not take their place either.
    viewer.state_mut().open(&fixture.path("wave_12x40x50.f32"), Role::Subject);
    settle(&mut viewer);
    assert!(viewer.state().session.set.original.is_some() && shows(&viewer, "Play"));
}

#[test]
fn an_empty_field_shows_no_plane_of_the_one_before() {
    let fixture = Fixture::new();
    put_zeros(&fixture, "full.fsz", &[3, 4, 5]);
    put_zeros(&fixture, "empty.fsz", &[0, 4, 5]);
    let mut viewer = fixture.viewer("full.fsz", None);
    assert!(shows(&viewer, "Reconstruction"));
    drop_file(&mut viewer, &fixture.path("empty.fsz"));
    assert!(shows(&viewer, "The field has no elements.") && !shows(&viewer, "Reconstruction"));
}

#[test]
fn an_empty_field() {
    let fixture = Fixture::new();
    put_zeros(&fixture, "empty.fsz", &[0, 4]);
    let viewer = fixture.viewer("empty.fsz", None);
    assert!(viewer.state().view_state.messages.is_empty());
    assert!(viewer.state().session.set.subject.is_some());
}

#[cfg(not(feature = "adios2"))]
#[test]
fn adios2_files_in_a_build_without_adios2() {
    let fixture = Fixture::new();
    std::fs::create_dir(fixture.path("steps.bp")).unwrap();
    let viewer = fixture.viewer("steps.bp", None);
    let said = messages(viewer.state());
    assert!(said.contains("steps.bp") && said.contains("--features adios2"), "{said}");
}

#[cfg(feature = "adios2")]
#[test]
fn adios2_files_that_are_none() {
    let fixture = Fixture::new();
    std::fs::create_dir(fixture.path("empty.bp")).unwrap();
    std::fs::write(fixture.path("text.bp"), "not steps").unwrap();
    std::fs::create_dir(fixture.path("noise.bp")).unwrap();
    for name in ["md.idx", "md.0", "mmd.0", "data.0"] {
        std::fs::write(fixture.path("noise.bp").join(name), [0x5a; 4096]).unwrap();
    }
    for name in ["empty.bp", "text.bp", "noise.bp", "nowhere.bp"] {
        let viewer = fixture.viewer(name, None);
        assert!(messages(viewer.state()).contains(name), "{name}: {}", messages(viewer.state()));
        assert!(viewer.state().session.set.leader().is_none());
    }
}

#[test]
fn an_empty_zfp_file() {
    let fixture = Fixture::new();
    std::fs::write(fixture.path("empty.zfp"), "").unwrap();
    let viewer = fixture.viewer("empty.zfp", None);
    let said = messages(viewer.state());
    let reason = if cfg!(feature = "zfp") { "not a zfp stream" } else { "has no zfp" };
    assert!(said.contains("empty.zfp") && said.contains(reason), "{said}");
}

/// A file of NumPy's format, version 1.
fn npy(descr: &str, shape: &str, values: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    header.push_str(&" ".repeat(63 - (10 + header.len()) % 64));
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(values);
    file
}

#[test]
fn arrays_of_other_types_and_sizes() {
    let fixture = Fixture::new();
    let bytes: Vec<u8> = fixture.values.iter().flat_map(|v| f64::from(*v).to_le_bytes()).collect();
    let shape = "(12, 40, 50)";
    let mut viewer = fixture.viewer("wave.fsz", None);
    for (name, file, reason) in [
        ("whole.npy", npy("<i8", shape, &bytes), "i8"),
        ("complex.npy", npy("<c8", shape, &bytes), "c8"),
        ("short.npy", npy("<f8", shape, &bytes[..999]), "short.npy"),
        ("long.npy", npy("<f8", "(12, 40, 5000000000000)", &bytes), "long.npy"),
        ("double.npy", npy("<f8", shape, &bytes), "does not match"),
        ("turned.npy", npy("<f4", "(50, 40, 12)", &bytes[..96000]), "does not match"),
    ] {
        std::fs::write(fixture.path(name), file).unwrap();
        let before = viewer.state().view_state.messages.len();
        drop_file(&mut viewer, &fixture.path(name));
        let said = &viewer.state().view_state.messages;
        assert_eq!(said.len(), before + 1, "{name}: {said:?}");
        assert!(said[before].contains(reason) && said[before].contains(name), "{said:?}");
        assert!(viewer.state().session.set.original.is_none(), "{name}");
    }
    let single: Vec<u8> = fixture.values.iter().flat_map(|v| v.to_le_bytes()).collect();
    std::fs::write(fixture.path("right.npy"), npy("<f4", shape, &single)).unwrap();
    drop_file(&mut viewer, &fixture.path("right.npy"));
    assert!(
        viewer.state().session.set.original.is_some(),
        "{:?}",
        viewer.state().view_state.messages
    );
}

#[cfg(all(unix, not(target_os = "macos")))]
#[test]
fn without_a_display_there_is_a_word_of_what_to_do() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_fsz-viewer"));
    let names = ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"];
    names.into_iter().for_each(|name| _ = command.env_remove(name));
    let ended = command.arg("wave.fsz").output().unwrap();
    let told = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(2), "{told}");
    let words = "error: there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set; log in with ssh -X";
    assert!(told.starts_with(words) && told.lines().count() == 1, "{told}");
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_an_error() {
    for option in ["--help", "--version"] {
        let full = std::fs::File::create("/dev/full").unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_fsz-viewer"));
        let ended = command.arg(option).stdout(full).output().unwrap();
        let told = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(2), "{option}: {told}");
        assert!(told.starts_with("error: standard output: No space left"), "{option}: {told}");
    }
}

/// A pipe that nobody writes to, as what ADIOS2 reads for minutes: the window goes on, and so do other files.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_does_not_come_to_its_end_is_cancelled() {
    use std::io::Write;
    let fixture = Fixture::new();
    let pipe = fixture.path("pipe.fsz");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // As its writer it keeps the pipe from its end, and as its reader it waits for no other one.
    let mut writer = std::fs::File::options().read(true).write(true).open(&pipe).unwrap();
    let mut viewer = harness(Start::default(), Settings::default());
    viewer.input_mut().dropped_files.push(dropped(&pipe));
    viewer.run_steps(3);
    assert!(viewer.state().busy() && shows(&viewer, &format!("Opening {}", pipe.display())));
    viewer.get_by_label("Cancel").click();
    viewer.run_steps(2);
    drop_file(&mut viewer, &fixture.path("wave.fsz"));
    let state = viewer.state();
    assert_eq!(state.view_state.messages, [""; 0]);
    let title = state.session.set.subject.as_ref().map(|subject| subject.title.as_str());
    assert_eq!(title, Some("wave.fsz"));
    // What is read at last is dropped.
    writer.write_all(&std::fs::read(fixture.path("rough.fsz")).unwrap()).unwrap();
    drop(writer);
    settle(&mut viewer);
    let title = viewer.state().session.set.subject.as_ref().map(|subject| &*subject.title);
    assert_eq!(title, Some("wave.fsz"));
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_beside_the_window() {
    let fixture = Fixture::new();
    let pipe = fixture.path("pipe.fsz");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut viewer = harness(Start::default(), Settings::default());
    viewer.state_mut().open(&pipe, Role::Subject);
    std::fs::write(&pipe, std::fs::read(fixture.path("wave.fsz")).unwrap()).unwrap();
    settle(&mut viewer);
    assert_eq!(viewer.state().view_state.messages, [""; 0]);
    assert!(viewer.state().session.planes.is_some());
}
