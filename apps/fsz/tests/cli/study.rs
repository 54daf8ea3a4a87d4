//! `study`.

use crate::workshop::{FIELD, Workshop};

#[test]
fn tables_and_report() {
    let shop = Workshop::with_field();
    shop.fine(&["study", FIELD, "--out", "study", "--range", "1e-2,1e-4"]);
    let ratio = shop.read_text("study/ratio.csv");
    let mut rows = ratio.lines();
    assert_eq!(rows.next(), Some("field,bound,codec,ratio,max_abs_error,psnr,bound_violations"));
    let fsz: Vec<&str> = rows.clone().filter(|row| row.contains(",fsz,")).collect();
    assert_eq!(fsz.len(), 2);
    assert!(fsz.iter().all(|row| row.ends_with(",0")), "{ratio}");
    assert_eq!(rows.count(), if cfg!(feature = "zfp") { 6 } else { 2 });

    let ablation = shop.read_text("study/ablation.csv");
    let mut rows = ablation.lines();
    assert_eq!(rows.next(), Some("field,bound,base,cross_block,centering,lz2"));
    for row in rows {
        let ratios: Vec<f64> = row.split(',').skip(2).map(|cell| cell.parse().unwrap()).collect();
        assert_eq!(ratios.len(), 4);
        assert!(ratios[1..].iter().all(|&r| r > ratios[0]), "{ablation}");
    }

    let report = shop.read_text("study/report.html");
    assert!(report.contains("<svg") && report.contains("T_6x20x30"));
    assert!(!report.contains("http"), "it needs no other file");
    shop.refused(&["study", FIELD, "--out", "study"], "--force");
    shop.fine(&["study", FIELD, "--out", "study", "--range", "1e-2", "--force"]);
}

#[test]
fn fields_with_values_that_are_not_finite() {
    let shop = Workshop::with_field();
    let mut values = shop.read_f32(FIELD);
    values[7] = f32::NAN;
    values[9] = -999.0;
    shop.write_f32("n,1_6x20x30.f32", &values);
    shop.fine(&["study", "n,1_6x20x30.f32", "--out", "s", "--missing", "-999", "--range", "1e-3"]);
    let ratio = shop.read_text("s/ratio.csv");
    assert_eq!(ratio.lines().count(), 2, "zfp does not know NaN: {ratio}");
    assert!(ratio.contains("\"n,1_6x20x30\","), "{ratio}");
}
