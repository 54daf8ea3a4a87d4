//! `study --zfp-stream`: streams of other programs as they come.

use crate::fixture::{FIELD, Fixture};

#[cfg(not(feature = "zfp"))]
#[test]
fn a_build_without_zfp_says_so() {
    let fixture = Fixture::with_field();
    fixture.write("T.zfp", b"zfp\x05");
    let words = ["study", FIELD, "--out", "s", "--zfp-stream", "T_6x20x30=T.zfp"];
    fixture.refused(&words, "--features zfp");
}

#[cfg(feature = "zfp")]
mod with_zfp {
    use fsz_field::zfp::{Mode, Zfp};
    use fsz_field::{Shape, Values};

    use super::*;
    use crate::fixture::largest_error;

    /// Bytes of a full header of a stream of fixed rate: 32 bits of magic, 52 of field, 12 of mode.
    const HEADER: usize = 12;
    const RATE: f64 = 8.0;

    /// The field's stream of fixed rate, and what it decodes to.
    fn stream(fixture: &Fixture) -> (Vec<u8>, Vec<f32>) {
        let values = fixture.read_f32(FIELD);
        let mut zfp = Zfp::new();
        let shape = Shape::new(&[6, 20, 30]).unwrap();
        zfp.compress(Values::F32(&values), &shape, Mode::Rate(RATE)).unwrap();
        let mut decoded = vec![0f32; values.len()];
        zfp.decompress_into(&mut decoded).unwrap();
        (zfp.bytes().to_vec(), decoded)
    }

    /// The cells of a codec in a table.
    fn row(table: &str, codec: &str) -> Vec<String> {
        let mut rows = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let row = rows.find(|row| row[2] == codec).unwrap_or_else(|| panic!("{codec}: {table}"));
        row.into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn streams_with_and_without_header_stand_beside_the_others() {
        let fixture = Fixture::with_field();
        let (bytes, decoded) = stream(&fixture);
        fixture.write("with.zfp", &bytes);
        // As cuZFP writes it: blocks alone.
        fixture.write("bare.zfp", &bytes[HEADER..]);
        fixture.fine(&[
            "study",
            FIELD,
            "--out",
            "s",
            "--range",
            "1e-3",
            "--zfp-stream",
            "T_6x20x30=with.zfp",
            "--zfp-stream",
            "T_6x20x30=bare.zfp@8",
        ]);
        let ratio = fixture.read_text("s/ratio.csv");
        let (with, bare) = (row(&ratio, "with.zfp"), row(&ratio, "bare.zfp"));
        assert_eq!(with[4..], bare[4..], "the same values");
        let wanted = largest_error(&fixture.read_f32(FIELD), &decoded);
        assert_eq!(with[4].parse::<f64>().unwrap(), wanted);
        let size = |cells: &[String], len: usize| {
            let wanted = (4 * decoded.len()) as f64 / len as f64;
            assert!((cells[3].parse::<f64>().unwrap() - wanted).abs() < 1e-3, "{cells:?}");
        };
        size(&with, bytes.len());
        size(&bare, bytes.len() - HEADER);

        // FSZ takes the bound at which it is as long.
        let matched = fixture.read_text("s/matched_ratio.csv");
        let lines: Vec<Vec<&str>> = matched.lines().map(|line| line.split(',').collect()).collect();
        let at = lines.iter().position(|cells| cells[2] == "bare.zfp").expect("bare.zfp");
        let (fsz, bare) = (&lines[at - 1], &lines[at]);
        assert_eq!((fsz[2], fsz[1]), ("fsz", bare[1]));
        let ratios = [fsz[3], bare[3]].map(|cell| cell.parse::<f64>().unwrap());
        assert!((ratios[0] / ratios[1] - 1.0).abs() < 0.05, "{matched}");
        assert_eq!(fsz[5], "0.0000", "{matched}");
        assert!(fixture.read_text("s/report.html").contains("bare.zfp: ratio"));
    }

    /// What cuZFP wrote on a GPU (crates/fsz-field/tests/fixtures/README.md).
    #[test]
    fn a_stream_of_cuzfp_stands_beside_the_others() {
        let fixture = Fixture::new();
        let stream = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../crates/fsz-field/tests/fixtures/cuzfp_20x24x28_rate8.zfp"
        );
        fixture.write("cuzfp.zfp", &std::fs::read(stream).unwrap());
        let value = |i: i32| {
            let (z, y, x) = (i / (24 * 28), i / 28 % 24, i % 28);
            (3 * x * x + 5 * y * y - 7 * z * z + 2 * x * y - z * x) as f32 / 64.0
        };
        fixture.write_f32("made_20x24x28.f32", &(0..20 * 24 * 28).map(value).collect::<Vec<_>>());
        let words = ["study", "made_20x24x28.f32", "--range", "1e-3", "--out", "s", "--zfp-stream"];
        fixture.fine(&[&words[..], &["made_20x24x28=cuzfp.zfp@8"]].concat());
        // 8 of 32 bits; this field comes back whole.
        let ratio = fixture.read_text("s/ratio.csv");
        assert_eq!(row(&ratio, "cuzfp.zfp")[3..], ["4.0000", "0e0", "inf", "0"]);
        for means in ["s/geomeans.csv", "s/datasets.csv"] {
            assert!(
                !fixture.read_text(means).contains("cuzfp"),
                "its size is not the bound's: {means}"
            );
        }
        let matched = fixture.read_text("s/matched_ratio.csv");
        assert_eq!(row(&matched, "cuzfp.zfp")[3..], ["4.0000", "inf", "0.0000"]);
        let curve = fixture.read_text("s/rate_distortion.csv");
        assert!(curve.contains("cuzfp.zfp,8.0000,inf,0e0"), "{curve}");
        let claims = fixture.read_text("s/claims.csv");
        let own = claims
            .lines()
            .find(|line| line.contains("PSNR gain over streams written by cuZFP"))
            .unwrap();
        assert!(own.ends_with("1 stream,does not agree: lower than some of them"), "{own}");
    }

    #[test]
    fn streams_that_cannot_be_read_are_refused() {
        let fixture = Fixture::with_field();
        let (bytes, _) = stream(&fixture);
        fixture.write("with.zfp", &bytes);
        fixture.write("bare.zfp", &bytes[HEADER..]);
        let refused = |stream: &str, words: &str| {
            fixture.refused(
                &["study", FIELD, "--range", "1e-3", "--out", "s", "--zfp-stream", stream],
                words,
            );
        };
        refused("U=with.zfp", "no field is named U");
        refused("T_6x20x30=none.zfp", "none.zfp");
        refused("T_6x20x30", "FIELD=FILE");
        fixture.fine(&["study", FIELD, "--range", "1e-3", "--out", "s"]);
        let words = ["study", FIELD, "--range", "1e-3", "--out", "s", "--force", "--zfp-stream"];
        fixture.refused(&[&words[..], &["T_6x20x30=bare.zfp"]].concat(), "not a zfp stream");
        fixture.refused(&[&words[..], &["T_6x20x30=bare.zfp@16"]].concat(), "at 16 bits per value");
    }
}
