//! `provost iam roles capabilities`

use clap::{Args, Subcommand};
use domain::Capability;

use crate::{exit::Failure, global::Global, views::CapabilityRow};

#[derive(Debug, Subcommand)]
pub(crate) enum Capabilities {
    /// List all capabilities
    #[command(visible_alias = "ls")]
    List(List),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only these actions
    #[arg(long, value_delimiter = ',', value_name = "ACTION,…")]
    actions: Vec<String>,
    /// Only these resources
    #[arg(long, value_delimiter = ',', value_name = "RESOURCE,…")]
    resources: Vec<String>,
}

impl Capabilities {
    /// Needs no server: the published contract names them all.
    pub(super) fn run(self, global: &Global) -> Result<(), Failure> {
        let Self::List(List { actions, resources }) = self;
        let wanted = |wanted: &[String], name: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name);
        let mut rows: Vec<_> = Capability::all().map(CapabilityRow).collect();
        rows.retain(|row| wanted(&actions, row.action()) && wanted(&resources, row.resource()));
        rows.sort_by_key(|row| row.0.name());
        global.output.list(&rows)
    }
}
