//! The compression ratio on real fields, against the paper's cost model computed in float64 (which
//! knows no stream header, index or checksums, no strict bound and no cost of missing values).

use fsz::{Bound, Codec, CompressOptions, Stream, max_compressed_len};
use fsz_tests::shared::{data_folder, read_f32, shape_of};
use std::path::Path;

/// A file, its missing value, the largest loss against the model, and the model's ratios at
/// value-range 1e-2, 1e-3, 1e-4.
type Row = (&'static str, Option<f64>, f64, [f64; 3]);

/// Fields over 1 MB.
const PLAIN: f64 = 0.01;
/// A land mask is to cost next to nothing.
const MASKED: f64 = 0.04;

const MODEL: [Row; 12] = [
    ("cesm_CLOUD_12x192x288.f32", None, PLAIN, [11.18, 6.07, 3.92]),
    ("cesm_PRECT_8x192x288.f32", None, PLAIN, [17.40, 8.30, 4.86]),
    ("cesm_T_15x192x288.f32", None, PLAIN, [17.49, 10.41, 6.33]),
    ("isabel_wspd30_25x125x125.f32", None, PLAIN, [10.22, 5.48, 3.53]),
    ("levitus_TEMP_10x180x360.f32", None, MASKED, [13.96, 8.50, 5.40]),
    ("pop_SSHfill_2x384x320.f32", Some(9.96921e36), MASKED, [11.72, 6.63, 4.18]),
    ("simexaalt_x_524288.f32", None, PLAIN, [9.68, 5.17, 3.39]),
    ("simhacc_xx_524288.f32", None, PLAIN, [12.51, 6.05, 3.69]),
    ("simmiranda_density_32x128x128.f32", None, PLAIN, [7.71, 4.50, 3.08]),
    ("simnyx_baryon_32x128x128.f32", None, PLAIN, [36.82, 11.26, 6.10]),
    ("sperr_wmag_91x91x91.f32", None, PLAIN, [8.95, 4.86, 3.24]),
    ("toothct_slice_640x640.f32", None, PLAIN, [12.13, 6.40, 4.15]),
];

#[test]
fn real_fields_reach_the_ratio_of_the_model() {
    let Some(folder) = data_folder("real_fields_reach_the_ratio_of_the_model") else { return };
    let mut short = Vec::new();
    for (file, missing, loss, model) in MODEL {
        let path = folder.join(file);
        for (ratio, model) in [1e-2, 1e-3, 1e-4].into_iter().zip(model) {
            let mut options = CompressOptions::new(Bound::ValueRange(ratio));
            if let Some(value) = missing {
                options = options.missing(value);
            }
            let got = compression_ratio(&path, &options);
            let line = format!("{file} at {ratio:e}: {got:.3}, model {model:.2}");
            println!("{line}: {:+.2} %", 100.0 * (got / model - 1.0));
            // The model's figures are rounded to two decimals.
            if got < (model - 0.005) * (1.0 - loss) {
                short.push(line);
            }
        }
    }
    assert!(short.is_empty(), "ratio short of the model:\n{}", short.join("\n"));
}

fn compression_ratio(path: &Path, options: &CompressOptions) -> f64 {
    let field = read_f32(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let shape = shape_of(path).unwrap();
    let room = max_compressed_len(&shape, fsz::DType::F32).unwrap();
    let mut out = vec![0; usize::try_from(room).unwrap()];
    let length = Codec::cpu().compress_into(&field, &shape, options, &mut out).unwrap();
    Stream::open(&out[..length]).unwrap().compression_ratio()
}
