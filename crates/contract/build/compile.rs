//! From `.proto` files to descriptors and prost types.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use prost_reflect::{DescriptorPool, FileDescriptor};
use protox::{
    Compiler,
    file::{ChainFileResolver, File, FileResolver, GoogleFileResolver},
};

use crate::{Result, aliases};

/// Packages that only describe others: nothing is generated from them.
const DESCRIBING: [&str; 4] = ["google.api", "google.protobuf", "chainguard.annotations", "provost.annotations"];

/// The contract, compiled.
pub(crate) struct Compiled {
    /// Every file with its comments; the aliases are in it too.
    pub(crate) pool: DescriptorPool,
    /// The encoded descriptor set without comments, imports and aliases included.
    pub(crate) descriptors: Vec<u8>,
    /// Names of the files that exist on disk, in contract order.
    pub(crate) originals: Vec<String>,
}

impl Compiled {
    /// The files that Rust is generated from, in contract order.
    pub(crate) fn files(&self) -> impl Iterator<Item = FileDescriptor> + '_ {
        self.originals
            .iter()
            .filter_map(|name| self.pool.get_file_by_name(name))
            .filter(|file| !DESCRIBING.contains(&file.package_name()))
    }
}

/// Compiles every file below `protos` and the aliases derived from them.
pub(crate) fn compile(protos: &Path) -> Result<Compiled> {
    let mut sources = BTreeMap::new();
    read_sources(protos, &mut PathBuf::new(), &mut sources)?;
    let originals: Vec<String> = sources.keys().cloned().collect();
    let aliased = aliases::sources(&sources);
    sources.extend(aliased);
    Ok(Compiled {
        pool: DescriptorPool::decode(encode(&sources, true)?.as_slice())?,
        descriptors: encode(&sources, false)?,
        originals,
    })
}

/// Writes the prost types of the originals, one file per package, and `contract.rs`, which includes them all.
pub(crate) fn generate_types(compiled: &Compiled) -> Result<()> {
    // prost takes the well-known types from prost_types but wants to see their descriptors.
    let well_known = compiled.pool.files().filter(|file| file.package_name() == "google.protobuf");
    let files = compiled.files().chain(well_known).map(|file| file.file_descriptor_proto().clone()).collect();
    prost_build::Config::new()
        .btree_map(["."])
        .bytes(["."])
        .include_file("contract.rs")
        .compile_fds(prost_types::FileDescriptorSet { file: files })?;
    Ok(())
}

/// The descriptor set as bytes: decoding it into prost types would lose the annotations, which are extensions.
fn encode(sources: &BTreeMap<String, String>, comments: bool) -> Result<Vec<u8>> {
    let mut resolver = ChainFileResolver::new();
    resolver.add(Sources(sources.clone()));
    resolver.add(GoogleFileResolver::new());
    let mut compiler = Compiler::with_file_resolver(resolver);
    compiler.include_imports(true).include_source_info(comments).open_files(sources.keys())?;
    Ok(compiler.encode_file_descriptor_set())
}

fn read_sources(root: &Path, below: &mut PathBuf, sources: &mut BTreeMap<String, String>) -> Result<()> {
    for entry in fs::read_dir(root.join(&below))? {
        let entry = entry?;
        below.push(entry.file_name());
        if entry.file_type()?.is_dir() {
            read_sources(root, below, sources)?;
        } else if below.extension().is_some_and(|extension| extension == "proto") {
            let name = below.to_string_lossy().replace('\\', "/");
            sources.insert(name, fs::read_to_string(entry.path())?);
        }
        below.pop();
    }
    Ok(())
}

/// Sources that are already in memory, by import name.
struct Sources(BTreeMap<String, String>);

impl FileResolver for Sources {
    fn resolve_path(&self, path: &Path) -> Option<String> {
        Some(path.to_string_lossy().replace('\\', "/"))
    }

    fn open_file(&self, name: &str) -> std::result::Result<File, protox::Error> {
        let source = self.0.get(name).ok_or_else(|| protox::Error::file_not_found(name))?;
        File::from_source(name, source)
    }
}
