//! `provost admin seal`

use clap::Args;
use serde_json::json;
use server::admin::{protocol::Request, seal::Sealed};

use super::place::Place;
use crate::{
    confirm::confirm,
    exit::Failure,
    global::Global,
    output::{self, remark},
};

#[derive(Debug, Args)]
pub(crate) struct Seal {
    #[command(flatten)]
    place: Place,
}

impl Seal {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        confirm(
            global,
            "vouch for everything in the database as it is: what was changed by other hands is believed from then on",
        )?;
        let sealed: Sealed = self.place.ask(Request::Seal, |_| Ok(())).await?;
        output::report(global.output, sealed.head.as_deref().unwrap_or_default(), &json!(sealed), None)?;
        remark("Keep the head elsewhere: `provost admin check --head` tells whether it is still in the audit log.");
        Ok(())
    }
}
