//! zfp streams that another program made, such as cuZFP: they take part as they come.

use std::path::PathBuf;
use std::str::FromStr;

#[cfg(feature = "zfp")]
use anyhow::{Result, anyhow};

/// A stream of the field of this name; without zfp's header when a rate is given.
#[derive(Debug, Clone, PartialEq)]
pub struct ExternalStream {
    pub field: String,
    pub file: PathBuf,
    /// Bits per value.
    pub rate: Option<f64>,
}

impl FromStr for ExternalStream {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<ExternalStream, String> {
        let form = || format!("`{text}` is not of the form FIELD=FILE or FIELD=FILE@RATE");
        let (field, rest) = text.split_once('=').ok_or_else(form)?;
        let (file, rate) = match rest.rsplit_once('@') {
            Some((file, rate)) => (file, Some(rate.parse().map_err(|_| form())?)),
            None => (rest, None),
        };
        if field.is_empty() || file.is_empty() {
            return Err(form());
        }
        Ok(ExternalStream { field: field.to_owned(), file: PathBuf::from(file), rate })
    }
}

#[cfg(feature = "zfp")]
impl ExternalStream {
    /// The file's name, by which tables call it.
    pub fn name(&self) -> String {
        self.file.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Decodes it; bytes of the stream.
    pub fn decode<T: fsz::Element>(&self, shape: &fsz_field::Shape, out: &mut [T]) -> Result<u64> {
        let name = self.file.display();
        let bytes = std::fs::read(&self.file).map_err(|error| anyhow!("{name}: {error}"))?;
        let mut zfp = fsz_field::zfp::Zfp::from_bytes(&bytes);
        let decoded = match self.rate {
            Some(rate) => zfp.decompress_headerless_into(shape, rate, out),
            None => zfp.decompress_into(out),
        };
        decoded.map_err(|error| anyhow!("{name}: {error}"))?;
        Ok(bytes.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_files_and_rates() {
        let stream = |rate| ExternalStream { field: "T".into(), file: "a@b/c.zfp".into(), rate };
        assert_eq!("T=a@b/c.zfp@8".parse(), Ok(stream(Some(8.0))));
        let plain = ExternalStream { file: "c.zfp".into(), ..stream(None) };
        assert_eq!("T=c.zfp".parse(), Ok(plain));
        for wrong in ["c.zfp", "=c.zfp", "T=", "T=c@fast"] {
            assert!(wrong.parse::<ExternalStream>().is_err(), "{wrong}");
        }
    }
}
