//! `study`.

use crate::fixture::{FIELD, Fixture};

/// Rows of a table without its head.
fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().skip(1).map(|row| row.split(',').collect()).collect()
}

#[test]
fn tables_and_report() {
    let fixture = Fixture::with_field();
    fixture.fine(&["study", FIELD, "--out", "study", "--range", "1e-2,1e-4"]);
    let ratio = fixture.read_text("study/ratio.csv");
    let head = "field,bound,codec,ratio,max_abs_error,psnr,bound_violations";
    assert_eq!(ratio.lines().next(), Some(head));
    let fsz: Vec<Vec<&str>> = rows(&ratio).into_iter().filter(|row| row[2] == "fsz").collect();
    assert_eq!(fsz.len(), 2);
    assert!(fsz.iter().all(|row| row[6] == "0"), "{ratio}");
    // fsz, fsz-paper, fsz-dense and the two models, and zfp twice.
    assert_eq!(rows(&ratio).len(), 2 * if cfg!(feature = "zfp") { 7 } else { 5 });
    let of = |codec: &str| -> f64 {
        let row = rows(&ratio).into_iter().find(|row| row[1] == "1e-2" && row[2] == codec);
        row.unwrap()[3].parse().unwrap()
    };
    assert!(of("cuszp-outlier-model") >= of("cuszp-plain-model"), "{ratio}");

    let ablation = fixture.read_text("study/ablation.csv");
    let head = "field,bound,base,cross_block,centering,lz2";
    assert_eq!(ablation.lines().next(), Some(head));
    for row in rows(&ablation) {
        let ratios: Vec<f64> = row[2..].iter().map(|cell| cell.parse().unwrap()).collect();
        assert_eq!(ratios.len(), 4);
        assert!(ratios[1..].iter().all(|&r| r > ratios[0]), "{ablation}");
    }

    let tiles = fixture.read_text("study/tiles.csv");
    assert_eq!(rows(&tiles).len(), 6);
    let standard = rows(&tiles).into_iter().find(|row| row[..2] == ["32", "8"]).unwrap();
    assert_eq!(standard[3..], ["0", "2", "0", "0", "1.0000"]);
    for row in rows(&fixture.read_text("study/variants.csv")) {
        let sum: f64 = row[2..].iter().map(|cell| cell.parse::<f64>().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-3, "{row:?}");
    }
    let rounding = fixture.read_text("study/bit_rounding.csv");
    assert_eq!(rows(&rounding).len(), 3);
    for row in rows(&rounding) {
        let number = |i: usize| row[i].parse::<f64>().unwrap();
        // Values are at most 300: the largest error is a share of that.
        assert!(number(3) <= number(2) * 300.0 && number(5) > 1.0, "{rounding}");
        assert_eq!(row[6].is_empty(), cfg!(not(feature = "zstd")), "{rounding}");
        assert!(row[7..].iter().all(|cell| cell.parse::<f64>().unwrap() > 1.0), "{rounding}");
    }
    let relative = fixture.read_text("study/relative.csv");
    let codecs: Vec<_> = rows(&relative).iter().map(|row| row[1..3].join(" ")).collect();
    let bounds = ["1e-1", "1e-2", "1e-3"];
    let expected = bounds.map(|bound| ["fsz", "fsz-dense"].map(|codec| format!("{bound} {codec}")));
    assert_eq!(codecs, expected.concat());
    for row in rows(&relative) {
        let (bound, error): (f64, f64) = (row[1].parse().unwrap(), row[4].parse().unwrap());
        assert!(error <= bound && error > 0.5 * bound && row[5] == "0", "{relative}");
    }
    let claims = fixture.read_text("study/claims.csv");
    assert!(claims.contains("(T = 16) never lose to 8,lost 0 of 252"), "{claims}");
    assert!(claims.contains("2.92×") && !claims.contains("NaN"), "{claims}");

    let report = fixture.read_text("study/report.html");
    assert!(report.contains("<svg") && report.contains("T_6x20x30"));
    assert!(report.contains("data:image/png;base64,iVBORw0KGgo"), "pictures are inside");
    assert!(!report.contains("http"), "it needs no other file");
    assert!(report.contains("<code>fsz study T_6x20x30.f32 --out study"), "how it was made");
    fixture.refused(&["study", FIELD, "--out", "study"], "--force");
    fixture.fine(&["study", FIELD, "--out", "study", "--range", "1e-2", "--force"]);
    // As a shell takes it.
    fixture.fine(&["study", FIELD, "--out", "my study", "--range", "1e-2"]);
    let report = fixture.read_text("my study/report.html");
    assert!(
        report
            .contains("<code>fsz study T_6x20x30.f32 --out &#39;my study&#39; --range 1e-2</code>")
    );
}

#[test]
fn fields_with_nothing_to_measure_are_left_out_of_means_and_claims() {
    let fixture = Fixture::with_field();
    fixture.write_f32("nothing_0.f32", &[]);
    fixture.write_f32("gaps_10x10.f32", &[f32::NAN; 100]);
    fixture.write_f32("same_10x10.f32", &[3.5; 100]);
    let fields = [FIELD, "nothing_0.f32", "gaps_10x10.f32", "same_10x10.f32"];
    fixture.fine(&[&["study"][..], &fields, &["--out", "s", "--range", "1e-2"]].concat());
    let means = fixture.read_text("s/geomeans.csv");
    let fsz = rows(&means).into_iter().find(|row| row[2] == "fsz").unwrap();
    assert_eq!(fsz[3], "2", "{means}");
    assert!(fsz[4].parse::<f64>().unwrap() > 1.0, "{means}");
    let claims = fixture.read_text("s/claims.csv");
    assert!(claims.contains("\"2 fields in single precision, 1 bound\""), "{claims}");
    assert!(!claims.contains("NaN") && !claims.contains("inf"), "{claims}");
}

#[test]
fn data_sets_are_summed_up() {
    let fixture = Fixture::with_field();
    let values = fixture.read_f32(FIELD);
    fixture.write_f32("T_noisy_3600.f32", &values.iter().map(|v| v * v % 7.0).collect::<Vec<_>>());
    fixture.write_f32("U_3600.f32", &values);
    fixture.fine(&[
        "study",
        FIELD,
        "T_noisy_3600.f32",
        "U_3600.f32",
        "--out",
        "s",
        "--range",
        "1e-3",
    ]);
    let ratio = fixture.read_text("s/ratio.csv");
    let of: Vec<f64> = rows(&ratio)
        .into_iter()
        .filter(|row| row[0].starts_with("T_") && row[2] == "fsz")
        .map(|row| row[3].parse().unwrap())
        .collect();
    let (mean, apart) = ((of[0] + of[1]) / 2.0, (of[0] - of[1]).abs());
    let wanted = [of[0].min(of[1]), of[0].max(of[1]), mean, apart / 2f64.sqrt()];
    let table = fixture.read_text("s/datasets.csv");
    let row = |dataset: &str| {
        let all = rows(&table);
        let row = all.iter().find(|row| row[0] == dataset && row[2] == "fsz");
        row.map(|row| row.iter().map(|cell| cell.to_string()).collect::<Vec<_>>()).unwrap()
    };
    let found = row("T");
    assert_eq!(found[..4], ["T", "1e-3", "fsz", "2"]);
    for (cell, wanted) in found[4..].iter().zip(wanted) {
        assert!((cell.parse::<f64>().unwrap() - wanted).abs() < 2e-4, "{table}");
    }
    assert_eq!(row("U")[7], "", "no deviation of a single field: {table}");
    let [least, largest, _, deviation] = wanted;
    let cell = format!(" ± {deviation:.2}<small>{least:.2} to {largest:.2}</small>");
    assert!(fixture.read_text("s/report.html").contains(&cell), "{cell} stands in the page");
}

#[test]
fn fields_with_values_that_are_not_finite() {
    let fixture = Fixture::with_field();
    let mut values = fixture.read_f32(FIELD);
    values[7] = f32::NAN;
    values[9] = -999.0;
    fixture.write_f32("n,1_6x20x30.f32", &values);
    fixture.fine(&[
        "study",
        "n,1_6x20x30.f32",
        "--out",
        "s",
        "--missing",
        "-999",
        "--range",
        "1e-3",
    ]);
    let ratio = fixture.read_text("s/ratio.csv");
    assert_eq!(ratio.lines().count(), 6, "zfp does not know NaN: {ratio}");
    assert!(ratio.contains("\"n,1_6x20x30\","), "{ratio}");
    let model = ratio.lines().find(|row| row.contains("cuszp-plain-model")).unwrap();
    assert!(model.ends_with(",2"), "neither does cuSZp: {ratio}");
}

/// What a stream tells of itself counts in what it is measured for.
#[test]
fn missing_values_of_a_stream_are_told_from_elements() {
    let fixture = Fixture::with_field();
    let mut values = fixture.read_f32(FIELD);
    values[10..900].fill(1e20);
    fixture.write_f32(FIELD, &values);
    fixture.fine(&["compress", FIELD, "-o", "T.fsz", "--abs", "1e-6", "--missing", "1e20"]);
    let study = |more: &[&str]| {
        let args = ["study", "T.fsz", "--range", "1e-3", "--relative", "1e-1", "--out", "s", "-f"];
        fixture.fine(&[&args[..], more].concat());
        let table = fixture.read_text("s/ratio.csv");
        table.lines().nth(1).map(str::to_owned)
    };
    let own = study(&[]);
    assert_eq!(own, study(&["--missing", "1e20"]));
    assert_ne!(own, study(&["--missing", "3"]));
    let ratio = |more: &[&str]| {
        let args = ["bench", "T.fsz", "--target-mb", "1", "--repeat", "1", "--json", "-"];
        let rows = fixture.json(&[&args[..], more].concat());
        rows.as_array().unwrap().iter().find(|row| row["codec"] == "fsz").unwrap()["ratio"].clone()
    };
    let own = ratio(&[]);
    assert_eq!(own, ratio(&["--missing", "1e20"]));
    assert_ne!(own, ratio(&["--missing", "3"]));
}

#[cfg(unix)]
#[test]
fn the_example_of_an_adapter_runs() {
    if std::process::Command::new("gzip").arg("--version").output().is_err() {
        eprintln!("SKIPPED: the example of an adapter: there is no gzip");
        return;
    }
    let fixture = Fixture::with_field();
    let adapter = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/peer.toml");
    fixture.fine(&["study", FIELD, "--range", "1e-3", "--out", "s", "--peer", adapter]);
    let ratio = fixture.read_text("s/ratio.csv");
    let gzip = rows(&ratio).into_iter().find(|row| row[2] == "gzip").unwrap();
    assert!(gzip[3].parse::<f64>().unwrap() > 1.0, "{ratio}");
    assert_eq!(gzip[4..], ["0e0", "inf", "0"], "it loses nothing");
}

/// The words that a program gets for each placeholder.
#[cfg(unix)]
#[test]
fn placeholders_are_filled() {
    let fixture = Fixture::with_field();
    let adapter = "name = \"copy\"\ncompress = [\"sh\", \"-c\",                    'cp $1 $2; shift 2; printf \"%s|\" \"$@\" > words', \"sh\", \"{input}\",                    \"{compressed}\", \"-{rank}\", \"{dims}\", \"{dims_reversed}\", \"{dtype}\",                    \"{elements}\", \"{range_bound}\"]\n                   decompress = [\"cp\", \"{compressed}\", \"{output}\"]\n";
    fixture.write("copy.toml", adapter.as_bytes());
    fixture.fine(&["study", FIELD, "--range", "1e-3", "--out", "s", "--peer", "copy.toml"]);
    assert_eq!(fixture.read_text("words"), "-3|6|20|30|30|20|6|f32|3600|1e-3|");
}

#[cfg(unix)]
#[test]
fn a_peer_with_a_relative_bound_is_compared_at_such_bounds_alone() {
    let fixture = Fixture::with_field();
    let adapter = r#"
name = "copy"
compress = ["sh", "-c", 'test "$2" = 1e-2 && cp "$0" "$1"', "{input}", "{compressed}", "{relative_bound}"]
decompress = ["cp", "{compressed}", "{output}"]
"#;
    fixture.write("copy.toml", adapter.as_bytes());
    let words = ["study", FIELD, "--range", "1e-3", "--relative", "1e-2", "--peer", "copy.toml"];
    fixture.fine(&[&words[..], &["--out", "s"]].concat());
    let relative = fixture.read_text("s/relative.csv");
    assert!(relative.contains(",1e-2,copy,1.0000,0e0,0"), "{relative}");
    assert!(!fixture.read_text("s/ratio.csv").contains("copy"));
}

#[test]
fn a_peer_is_measured_and_its_bound_checked() {
    let fixture = Fixture::with_field();
    let adapter = |name: &str, decompress: &str| {
        format!(
            "name = \"{name}\"\ncompress = [\"sh\", \"-c\", \"cp \\\"$0\\\" \\\"$1\\\"\", \"{{input}}\", \
             \"{{compressed}}\"]\ndecompress = {decompress}\ndtypes = [\"f32\"]\n"
        )
    };
    let copy = "[\"cp\", \"{compressed}\", \"{output}\"]";
    fixture.write("copy.toml", adapter("copy", copy).as_bytes());
    // As many bytes, all of them 0.
    let zeros =
        "[\"sh\", \"-c\", \"head -c $((4 * $0)) /dev/zero > $1\", \"{elements}\", \"{output}\"]";
    fixture.write("zeros.toml", adapter("zeros", zeros).as_bytes());
    let words = ["study", FIELD, "--range", "1e-3", "--peer", "copy.toml"];
    fixture.fine(&[&words[..], &["--peer", "zeros.toml", "--out", "s"]].concat());
    let ratio = fixture.read_text("s/ratio.csv");
    let of = |codec: &str| rows(&ratio).into_iter().find(|row| row[2] == codec).unwrap();
    assert_eq!(of("copy")[3..], ["1.0000", "0e0", "inf", "0"]);
    assert!(of("zeros")[6].parse::<u64>().unwrap() > 3000, "{ratio}");

    for (option, bound) in [("--range", "0"), ("--relative", "0.7")] {
        // Before a folder is made.
        fixture.refused(&["study", FIELD, "--out", "t", option, bound], "bound ");
    }
    let twice = [&words[..], &["--peer", "copy.toml", "--out", "t"]].concat();
    fixture.refused(&twice, "copy.toml: another program is also named copy");

    fixture.write("short.toml", adapter("short", "[\"touch\", \"{output}\"]").as_bytes());
    fixture.refused(
        &["study", FIELD, "--out", "s", "--force", "--peer", "short.toml"],
        "returned 0 bytes",
    );
    fixture.write("none.toml", adapter("none", "[\"no-such-program-here\"]").as_bytes());
    fixture.refused(
        &["study", FIELD, "--out", "s", "--force", "--peer", "none.toml"],
        "no-such-program-here",
    );
    let silent = adapter("silent", copy)
        + "[time]\ncompress = { after = \"took\", unit = \"s\" }\n\
                                           decompress = { after = \"took\", unit = \"s\" }\n";
    fixture.write("silent.toml", silent.as_bytes());
    fixture.refused(
        &["study", FIELD, "--out", "s", "--force", "--peer", "silent.toml"],
        "silent.toml: the program printed no number above 0 after \"took\"",
    );
    fixture.write("wrong.toml", b"name = \"x\"\n");
    fixture.refused(&["study", FIELD, "--out", "t", "--peer", "wrong.toml"], "compress");
}

#[test]
fn figures_of_a_device() {
    let fixture = Fixture::with_field();
    let row = |kernel: &str, compress: f64, decompress: &str| {
        format!(
            "{{\"field\":\"T\",\"dtype\":\"f32\",\"shape\":\"6\",\"bytes\":24,\"bound\":0.01,\
             \"kernel\":\"{kernel}\",\"ratio\":8.0,\"compress_gbs\":{compress},\
             \"compress_of_copy\":0.5,\"decompress_gbs\":{decompress},\
             \"decompress_of_copy\":{decompress},\"copy_gbs\":4000.0,\"same_payload\":{}}}",
            if kernel == "fsz" { "null" } else { "true" }
        )
    };
    let rows = [
        row("fsz", 1200.0, "1000.0"),
        row("paper-two-reads", 600.0, "null"),
        row("paper-five-reads", 200.0, "null"),
    ];
    let json = format!("{{\"device\":{{\"name\":\"A Device\"}},\"rows\":[{}]}}", rows.join(","));
    fixture.write("gpu.json", json.as_bytes());
    let words = ["study", FIELD, "--range", "1e-2", "--out", "s", "--gpu-json"];
    fixture.fine(&[&words[..], &["gpu.json"]].concat());
    let throughput = fixture.read_text("s/throughput.csv");
    assert!(throughput.contains("T,f32,1e-2,paper-five-reads,8.0000,200.0000"), "{throughput}");
    let speeds = fixture.read_text("s/speeds.csv");
    assert!(speeds.contains("f32,1e-2,fsz,1,8.0000,1200.0000,0.5000,1000.0000,"), "{speeds}");
    let claims = fixture.read_text("s/claims.csv");
    let single_pass = "2.8×,\"84 fields, 3 bounds, GH200\",3.00×,\"1 case, A Device\",agrees";
    assert!(claims.contains(single_pass), "{claims}");
    assert!(claims.contains("\"the same payload, bit for bit, in 1 of 1 case\""), "{claims}");
    assert!(fixture.read_text("s/report.html").contains("Measured on A Device"));
    fixture.write("bad.json", b"{}");
    fixture.refused(&["study", FIELD, "--out", "t", "--gpu-json", "bad.json"], "fsz bench");
}
