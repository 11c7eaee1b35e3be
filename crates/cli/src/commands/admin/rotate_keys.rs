//! `provost admin rotate-keys`

use clap::Args;
use server::admin::{keys::Key, protocol::Request};

use super::place::Place;
use crate::{
    confirm::confirm,
    exit::Failure,
    global::Global,
    output::{Format, remark},
};

#[derive(Debug, Args)]
pub(crate) struct RotateKeys {
    #[command(flatten)]
    place: Place,
    /// Revoke all tokens: sign with a new key at once, for when a key has leaked
    #[arg(long)]
    now: bool,
}

impl RotateKeys {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        if self.now {
            confirm(global, "end every token that was issued so far")?;
        }
        let keys: Vec<Key> = self.place.ask(Request::RotateKeys { at_once: self.now }, |_| Ok(())).await?;
        global.output.list(&keys)?;
        if global.output == Format::Table {
            remark(if self.now {
                "Everybody has to log in or exchange again. No server of this database believes the old keys any more."
            } else {
                "The new key is published now and signs from the time above on; nobody has to do anything."
            });
        }
        Ok(())
    }
}
