//! What a file without a shape may be in place of raw values. A raw file may begin with any bytes, so this is for advice only:
//! a shape that is given is believed.

/// The first bytes of formats that scientists have, and what they are called.
const FORMATS: [(&[u8], &str); 12] = [
    (b"CDF\x01", "a netCDF file"),
    (b"CDF\x02", "a netCDF file"),
    (b"CDF\x05", "a netCDF file"),
    (b"\x89HDF", "an HDF5 or netCDF-4 file"),
    (b"GRIB", "a GRIB file"),
    (b"SIMPLE  =", "a FITS file"),
    (b"# vtk", "a VTK file"),
    (b"<?xml", "an XML file"),
    (b"MATLAB", "a MATLAB file"),
    (b"II*\0", "a TIFF file"),
    (b"MM\0*", "a TIFF file"),
    (b"PK\x03\x04", "a zip archive"),
];

/// The same of compressed files, with the program that decompresses them.
const COMPRESSED: [(&[u8], &str); 4] = [
    (b"\x1f\x8b\x08", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
];

/// Bytes that are looked at for text.
const LOOK: usize = 512;

/// What the bytes are in place of values, and what to do; none where they may well be values.
pub(crate) fn reason(bytes: &[u8]) -> Option<String> {
    if bytes.is_empty() {
        return Some("empty: no values to read".to_owned());
    }
    let found = |(magic, _): &&(&[u8], &str)| bytes.starts_with(magic);
    if let Some((_, what)) = FORMATS.iter().find(found) {
        return Some(format!("{what}, which is not read: save one variable with numpy.save"));
    }
    if let Some((_, program)) = COMPRESSED.iter().find(found) {
        return Some(format!(
            "compressed by {program}: decompress it first, or name the input - and pipe {program} -dc to it"
        ));
    }
    let start = &bytes[..bytes.len().min(LOOK)];
    let is_text = start.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
    is_text.then(|| {
        "text, it seems, which is not read: save the values with numpy.save, or give the --shape of raw values"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn what_is_no_values_is_told() {
        for (bytes, words) in [
            (&b""[..], "empty"),
            (b"CDF\x01\0\0", "a netCDF file"),
            (b"\x1f\x8b\x08\0rest", "gzip -dc"),
            (b"1.5, 2.5\n3.5, 4.5\n", "text"),
        ] {
            assert!(reason(bytes).is_some_and(|reason| reason.contains(words)), "{words}");
        }
    }

    #[test]
    fn values_are_values() {
        assert_eq!(reason(&[0; 64]), None);
        let values: Vec<u8> = (1..99).flat_map(|i| (i as f32).to_le_bytes()).collect();
        assert_eq!(reason(&values), None);
    }
}
