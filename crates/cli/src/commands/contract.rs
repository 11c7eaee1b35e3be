//! `provost contract`

use clap::Subcommand;

use crate::{exit::Failure, output};

#[derive(Debug, Subcommand)]
pub(crate) enum Contract {
    /// Write the contract to standard output: an encoded google.protobuf.FileDescriptorSet with all imports
    Descriptors,
}

impl Contract {
    pub(super) fn run(&self) -> Result<(), Failure> {
        match self {
            Self::Descriptors => output::bytes(contract::descriptors()),
        }
    }
}
