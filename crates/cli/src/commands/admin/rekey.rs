//! `provost admin rekey`

use clap::Args;
use serde_json::json;
use server::admin::{protocol::Request, rekey::Rekeyed};

use super::place::Place;
use crate::{
    confirm::confirm,
    exit::Failure,
    global::Global,
    output::{self, remark},
};

#[derive(Debug, Args)]
pub(crate) struct Rekey {
    #[command(flatten)]
    place: Place,
    /// Only make the new key, beside the one in use, so that it can be copied to every other server of the database
    #[arg(long)]
    prepare: bool,
}

impl Rekey {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        if !self.prepare {
            confirm(global, "change the key-encryption key: people have to log in again")?;
        }
        let rekeyed: Rekeyed = self.place.ask(Request::Rekey { prepare: self.prepare }, |_| Ok(())).await?;
        output::report(global.output, &rekeyed.key, &json!(rekeyed), None)?;
        match &rekeyed.file {
            Some(file) => remark(&format!(
                "Copy {} to the same name beside the key file of every other server, wait for a minute, then run this without --prepare.",
                file.display()
            )),
            None => remark(
                "The key before it is beside the key file and ends in .old: backups of before are restored with it. Take a new backup, and \
                 keep a copy of the new key apart from here.",
            ),
        }
        Ok(())
    }
}
