//! Writes an array through zarrs, or reads one that another library wrote:
//! `cargo run --example store -- write FOLDER`, `cargo run --example store -- read FOLDER`

use std::{error::Error, path::Path, sync::Arc};

use fsz_zarrs::{Configuration, FszCodec};
use zarrs::array::{Array, ArrayBuilder, ArraySubset, data_type};
use zarrs::filesystem::FilesystemStore;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", folder] => write(folder.as_ref()),
        ["read", folder] => read(folder.as_ref()),
        _ => Err("usage: store (write | read) FOLDER".into()),
    }
}

/// A ramp of 8 x 30 x 40 within 0.01.
fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    let store = Arc::new(FilesystemStore::new(folder)?);
    let codec = Arc::new(FszCodec::new(Configuration::absolute(0.01))?);
    let array = ArrayBuilder::new(vec![8, 30, 40], vec![4, 30, 40], data_type::float32(), f32::NAN)
        .array_to_bytes_codec(codec)
        .build(store, "/")?;
    array.store_metadata()?;
    let ramp: Vec<f32> = (0..8 * 30 * 40).map(|i| 0.1 * i as f32).collect();
    Ok(array.store_array_subset(&array.subset_all(), ramp)?)
}

/// Prints the elements of the array's second plane, one a line.
fn read(folder: &Path) -> Result<(), Box<dyn Error>> {
    // The mention links the codec's registration.
    FszCodec::new(Configuration::absolute(1.0))?;
    let array = Array::open(Arc::new(FilesystemStore::new(folder)?), "/")?;
    let mut ranges: Vec<_> = array.shape().iter().map(|&n| 0..n).collect();
    ranges[0] = 1..2;
    let plane: Vec<f32> = array.retrieve_array_subset(&ArraySubset::new_with_ranges(&ranges))?;
    plane.iter().for_each(|element| println!("{element}"));
    Ok(())
}
