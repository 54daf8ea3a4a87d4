//! Prints what a crate exports, one item a line, from its rustdoc JSON: `cargo xtask public-api` stores it.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let json = std::env::args_os().nth(1).ok_or("usage: public_api RUSTDOC.json")?;
    let api = public_api::Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()?;
    for item in api.items() {
        println!("{item}");
    }
    Ok(())
}
