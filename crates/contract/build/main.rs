//! Turns the `.proto` files into Rust: messages with their JSON writer, the method table with one marker type per RPC,
//! the descriptor set that the server publishes, and the OpenAPI document.

#![expect(clippy::print_stdout, reason = "a build script talks to cargo on its standard output")]

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
};

mod aliases;
mod compile;
mod json;
mod lists;
mod messages;
mod methods;
mod names;
mod openapi;
mod options;
mod packed;
mod shapes;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    // Cargo runs build scripts in the folder of their package.
    let protos = Path::new("../../proto");
    #[expect(clippy::disallowed_methods, reason = "cargo tells a build script by variable where to write")]
    let out = PathBuf::from(env::var("OUT_DIR")?);
    println!("cargo:rerun-if-changed={}", protos.display());
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-changed={}", openapi::EXAMPLES);

    let compiled = compile::compile(protos)?;
    fs::write(out.join("descriptors.bin"), &compiled.descriptors)?;
    packed::write(&out.join("descriptors.bin.gz"), &compiled.descriptors)?;
    compile::generate_types(&compiled)?;
    messages::generate(&compiled, &out)?;
    methods::generate(&compiled, &out)?;
    shapes::generate(&compiled, &out)?;
    openapi::generate(&compiled, &out)?;
    Ok(())
}
