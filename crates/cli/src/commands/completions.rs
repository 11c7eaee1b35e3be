//! `provost completions`

use clap::Args;
use clap_complete::{Shell, generate};

use super::Tree;
use crate::{exit::Failure, output};

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell: bash, elvish, fish, powershell or zsh
    #[arg(value_enum, hide_possible_values = true)]
    shell: Shell,
}

impl Completions {
    pub(super) fn run(&self, tree: Tree) -> Result<(), Failure> {
        let mut script = Vec::new();
        generate(self.shell, &mut tree(), "provost", &mut script);
        output::bytes(&script)
    }
}
