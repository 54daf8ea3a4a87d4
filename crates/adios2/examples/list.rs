//! Lists the variables, steps and ADIOS2 blocks of a BP file: `cargo run -p adios2 --example list
//! -- FILE.bp`.

use adios2::{Adios, Mode, Step};

fn main() -> adios2::Result<()> {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: list FILE.bp");
        std::process::exit(2);
    };
    let file = Adios::new()?.declare_io("list")?.open(&path, Mode::ReadRandomAccess)?;
    println!("{path}: {}, {} steps", file.kind(), file.steps()?);
    for (name, value) in file.attributes()? {
        println!("attribute {name} = {value:?}");
    }
    for variable in file.variables()? {
        println!("{} {} {:?} {:?}", variable.name, variable.dtype, variable.kind, variable.shape);
        for step in 0..variable.steps {
            match file.blocks(&variable.name, Step::At(step)) {
                Ok(step_blocks) => {
                    for block in step_blocks.blocks {
                        println!("  step {step} {block:?}");
                    }
                }
                Err(error) => println!("  step {step}: {error}"),
            }
        }
    }
    Ok(())
}
