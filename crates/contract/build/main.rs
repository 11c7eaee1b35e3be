//! Turns the `.proto` files into Rust: messages with their JSON writer, the method table with one marker type per RPC,
//! the descriptor set that the server publishes, and the OpenAPI document.

use std::{env, error::Error, fs, path::Path};

mod aliases;
mod compile;
mod json;
mod messages;
mod methods;
mod names;
mod openapi;
mod options;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let protos = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto");
    let out = env::var("OUT_DIR")?;
    let out = Path::new(&out);
    println!("cargo:rerun-if-changed={}", protos.display());
    println!("cargo:rerun-if-changed=build");

    let compiled = compile::compile(&protos)?;
    fs::write(out.join("descriptors.bin"), &compiled.descriptors)?;
    compile::generate_types(&compiled)?;
    messages::generate(&compiled, out)?;
    methods::generate(&compiled, out)?;
    openapi::generate(&compiled, out)?;
    Ok(())
}
