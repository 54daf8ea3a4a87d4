//! What is shown, as text: tables for other programs, and a command line.

use fsz::{Bound, DType, Progress};
use fsz_field::{Kind, field_name};
use fsz_shell::{path_word, word};

use crate::model::document::Document;
use crate::model::number_format;
use crate::model::palette::kind_name;
use crate::model::rate_distortion::RateDistortion;
use crate::model::session::Session;
use crate::model::tiles::Tiles;

/// The figures of the whole field and of the plane, a line each.
pub fn metrics_csv(session: &Session) -> String {
    let mut text = String::from(
        "scope,field,max_abs_error,psnr,nrmse,ssim,mean_error,bound_violations,compared,elements\n",
    );
    let plane = format!("axis {} plane {}", session.place.axis, session.place.plane);
    for (of, figures) in
        [("whole field", session.measured.both()), (plane.as_str(), session.plane_figures())]
    {
        for (name, measures) in ["reconstruction", "comparison"].into_iter().zip(figures) {
            let Some(m) = measures else { continue };
            let c = &m.comparison;
            let beyond = c.violations().map_or(String::new(), |n| n.to_string());
            text.push_str(&format!(
                "{of},{name},{:e},{},{:e},{},{:e},{beyond},{},{}\n",
                c.max_abs_error,
                c.psnr(),
                c.nrmse(),
                m.ssim,
                c.mean_error,
                c.compared,
                c.elements
            ));
        }
    }
    text
}

/// The tiles, a line each, as `progress` counts them.
///
/// # Errors
/// When it is cancelled.
pub fn tiles_csv(tiles: Option<&Tiles>, progress: &Progress) -> fsz::Result<String> {
    let mut text = String::from("tile,kind,bytes,escapes,mean_rate\n");
    progress.begin(tiles.map_or(0, Tiles::len) as u64);
    for (i, tile) in tiles.into_iter().flat_map(Tiles::iter).enumerate() {
        let (kind, rate) = (kind_name(tile.kind), tile.mean_rate());
        text.push_str(&format!("{i},{kind},{},{},{rate}\n", tile.bytes, tile.escapes));
        progress.advance(1)?;
    }
    Ok(text)
}

/// The command line that does what is shown.
pub fn command(session: &Session) -> Option<String> {
    let (leader, place) = (session.set.leader()?, session.place);
    if [Some(leader), session.set.original.as_ref()].into_iter().flatten().any(|d| d.is_live) {
        return None;
    }
    let path = path_word(&leader.path);
    // Of an ADIOS2 file, which of its fields is shown.
    let selection_in = |of: &Document| match Kind::of(&of.path) {
        Ok(Kind::Bp) => {
            let variable = word(&session.choice.variable);
            format!(" --variable {variable} --step {}", session.choice.step)
        }
        _ => String::new(),
    };
    let selection = selection_in(leader);
    if let (Some(bound), Some(original)) = (session.tried, &session.set.original) {
        return Some(compression(original, leader, bound, &selection));
    }
    let original = session.set.original.as_ref();
    Some(match (&leader.facts, original.filter(|_| leader.is_reconstruction())) {
        (_, Some(original)) => {
            let selection = if selection.is_empty() { selection_in(original) } else { selection };
            format!("fsz compare {} {path}{selection}", path_word(&original.path))
        }
        (Some(_), None) if leader.grid.shape().len() == 3 => {
            let (axis, index) = (place.axis, place.plane);
            format!("fsz slice {path}{selection} --axis {axis} --index {index} -o plane.npy")
        }
        // Of what is no stream fsz inspect has nothing to tell.
        (None, None) if matches!(Kind::of(&leader.path), Ok(Kind::Raw | Kind::Npy | Kind::Zfp)) => {
            format!("fsz picture {path} -o plane.png{}", raw_options(leader))
        }
        (_, None) => format!("fsz inspect {path}"),
    })
}

/// Shape and type, where a file of raw values does not tell them.
fn raw_options(of: &Document) -> String {
    let shape = of.hints.shape.as_ref();
    let options = shape.map(|shape| format!(" --shape {shape} --dtype {}", of.dtype.name()));
    options.unwrap_or_default()
}

/// The command line that compresses an original as it was in memory.
fn compression(original: &Document, made: &Document, bound: Bound, selection: &str) -> String {
    let name = field_name(&original.path).to_string_lossy();
    let file = format!("{name}.fsz");
    let (path, output) = (path_word(&original.path), word(&file));
    let (option, number) = match bound {
        Bound::ValueRange(share) => ("range", share),
        Bound::Psnr(psnr) => ("psnr", psnr),
        Bound::Ratio(ratio) => ("ratio", ratio),
        other => ("abs", other.requested()),
    };
    let mut text = format!("fsz compress {path}{selection} -o {output} --{option} {number}");
    if let Some(facts) = &made.facts {
        text.push_str(&format!(" --profile {}", facts.header.profile.name()));
    }
    for &value in made.missing() {
        // A number of single precision has many digits in double.
        let value = number_format::exact(value, made.dtype == DType::F32);
        text.push_str(&format!(" --missing {value}"));
    }
    text.push_str(&raw_options(original));
    text
}

/// The points of rate and distortion, a line each.
pub fn rate_distortion_csv(of: &RateDistortion) -> String {
    let mut text =
        format!("# {}\ncodec,parameter,bits_per_value,psnr,max_abs_error,present\n", of.of);
    for p in &of.points {
        let name = p.method.name().replace(", ", " ");
        text.push_str(&format!(
            "{name},{:e},{},{},{:e},{}\n",
            p.parameter, p.bits, p.psnr, p.max_error, p.present
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use fsz::Codec;
    use fsz_field::{Field, Shape};

    use super::*;
    use crate::model::catalog::Choice;

    fn session(path: &str) -> Session {
        let (path, values) = (Path::new(path), vec![1.0f32, 2.0, 3.0]);
        let view = ndarray::ArrayView::from_shape([3, 1, 1], &values).unwrap();
        let stream = Codec::cpu().compress(view, Bound::Absolute(0.1)).unwrap();
        let field = Field::new(Shape::new(&[3, 1, 1]).unwrap(), values.clone()).unwrap();
        let mut session = Session::default();
        let subject = Document::from_stream("three".into(), path, stream).unwrap();
        session.set.subject = Some(subject);
        let original = Document::of_values("three".into(), Path::new("/data/U.npy"), field);
        session.set.original = Some(original);
        session
    }

    #[test]
    fn a_shell_takes_any_path_for_one_word() {
        let mut session = session("/data/it's.fsz");
        let compared = r"fsz compare /data/U.npy '/data/it'\''s.fsz'";
        assert_eq!(command(&session).as_deref(), Some(compared));
        session.set.original = None;
        let sliced = r"fsz slice '/data/it'\''s.fsz' --axis 0 --index 0 -o plane.npy";
        assert_eq!(command(&session).as_deref(), Some(sliced));
    }

    #[test]
    fn the_field_of_an_adios2_file_is_told_whichever_of_the_two_it_is_of() {
        let folder = tempfile::tempdir().unwrap();
        let [bp, fsz] = ["out.bp", "U.fsz"].map(|name| folder.path().join(name));
        std::fs::create_dir(&bp).unwrap();
        for (original, subject) in [(&bp, &fsz), (&fsz, &bp), (&bp, &bp)] {
            let mut session = session(subject.to_str().unwrap());
            session.choice = Choice { variable: "U".into(), step: 3 };
            session.set.original.as_mut().unwrap().path = original.clone();
            let [original, subject] = [original, subject].map(|path| path_word(path));
            let expected = format!("fsz compare {original} {subject} --variable U --step 3");
            assert_eq!(command(&session), Some(expected));
        }
    }

    #[test]
    fn what_is_no_stream_is_drawn() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("U.bin");
        std::fs::write(&path, [0; 12]).unwrap();
        let mut session = session("/data/U.fsz");
        session.set.subject = None;
        let original = session.set.original.as_mut().unwrap();
        original.path = path;
        original.hints.shape = Some(Shape::new(&[3, 1, 1]).unwrap());
        let path = path_word(&original.path);
        let expected = format!("fsz picture {path} -o plane.png --shape 3x1x1 --dtype f32");
        assert_eq!(command(&session), Some(expected));
    }

    /// Missing values are those that were typed.
    #[test]
    fn missing_values_have_the_digits_of_their_type() {
        let (mut session, values) = (session("/data/U.npy"), vec![1.0f32, 1e20, 3.0]);
        let options = fsz::CompressOptions::new(Bound::ValueRange(1e-3));
        let options = options.missing(1e20).missing(-9999.0).missing(9.96921e36);
        let field = ndarray::ArrayView::from_shape([3, 1, 1], &values).unwrap();
        let stream = Codec::cpu().compress_with(field, &options).unwrap();
        let made = Document::from_stream("three".into(), Path::new("/data/U.npy"), stream).unwrap();
        (session.set.subject, session.tried) = (Some(made), Some(Bound::ValueRange(1e-3)));
        let command = command(&session).unwrap();
        let expected = "--missing 1e20 --missing -9999.0 --missing 9.96921e36";
        assert!(command.ends_with(expected), "{command}");
    }

    /// What was compressed in memory is in no file.
    #[test]
    fn what_was_tried_is_compressed() {
        let mut session = session("/data/U.npy");
        for (bound, option) in [
            (Bound::ValueRange(1e-3), "--range 0.001"),
            (Bound::Psnr(60.0), "--psnr 60"),
            (Bound::Ratio(12.5), "--ratio 12.5"),
        ] {
            session.tried = Some(bound);
            let expected = format!("fsz compress /data/U.npy -o U.fsz {option} --profile paper");
            assert_eq!(command(&session), Some(expected));
        }
        // Where the step is the ending, it is told.
        session.set.original.as_mut().unwrap().path = "/data/u.0001".into();
        let told = command(&session).unwrap();
        assert!(told.starts_with("fsz compress /data/u.0001 -o u.0001.fsz --ratio 12.5"), "{told}");
    }
}
