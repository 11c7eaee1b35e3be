//! `provost admin restore`

use std::{path::PathBuf, sync::Arc};

use clap::Args;
use domain::{Clock, Ctx, Kind, Rule};
use serde_json::json;
use server::{SystemClock, SystemEntropy, admin::backup::Contents};
use store::{
    backup::{self, Archive, How},
    check::Finding,
};
use sts::{RootKey, keys::check_opens, operator};
use tokio::task::spawn_blocking;

use super::place::{Place, check_owner, refuse_running};
use crate::{
    confirm::confirm,
    env,
    exit::{Exit, Failure},
    global::Global,
    output,
    progress::Progress,
};

#[derive(Debug, Args)]
pub(crate) struct Restore {
    #[command(flatten)]
    place: Place,
    /// The backup file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replace all existing data
    #[arg(long)]
    replace: bool,
    /// Believe a backup that the key file does not vouch for, as a whole or in parts: of an older program, or of whoever has made it
    #[arg(long)]
    trust_unsigned: bool,
    /// Keep the signing keys of the backup: none of them was removed since because somebody else had it
    #[arg(long)]
    keep_signing_keys: bool,
}

impl Restore {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let settings = self.place.settings()?;
        refuse_running(&settings).await?;
        check_owner(&settings)?;
        let archive = self.read().await?;
        let key = settings.key_path();
        let root = RootKey::open(&key).map_err(|error| {
            Failure::from(error)
                .hint("the key is not in the backup: put the key file in its place first, or name it with --key-file")
        })?;
        check_opens(&root, archive.signing_keys()).map_err(|error| match error.kind() {
            Kind::FailedPrecondition => Failure::new(Exit::Conflict, format!("{} is not the key of this backup", key.display()))
                .hint("put the key file of the server that was backed up in its place, or name it with --key-file"),
            _ => Failure::from(error).hint("somebody has put a key of his own into this backup: restore another one"),
        })?;
        let keys = root.keys()?;
        if !self.trust_unsigned {
            archive.check_code(&keys).map_err(|error| {
                Failure::from(error).hint(
                    "restore a backup of before a change of the key with the key file of that time (--key-file); believe one that was never \
                     out of your hands with --trust-unsigned",
                )
            })?;
        }
        if self.replace {
            confirm(global, "replace everything in the database")?;
        }
        let ctx = Ctx::system("admin restore", SystemClock.now(), Arc::new(SystemEntropy::default()));
        let ctx = operator::at_the_machine(&sts::Settings::new(""), &ctx, &env::system_user())?;
        let bar = Progress::of("restoring rows");
        let (replace, trust, keep_signing_keys) = (self.replace, self.trust_unsigned, self.keep_signing_keys);
        let how = How { replace, trust, keep_signing_keys, keys: Some(keys) };
        let restored = backup::restore(&settings.store_config(), &archive, &ctx, how, Arc::new(bar.handle())).await;
        drop(bar);
        let findings = restored.map_err(|error| {
            let holds_something = error.rule() == Rule::NotEmpty;
            let failure = Failure::from(error);
            if holds_something {
                failure.hint("--replace deletes what it holds and puts the backup in its place")
            } else {
                failure
            }
        })?;
        for Finding { check, place, problem } in &findings {
            output::remark(&format!("restored all the same: {check}: {place}: {problem}"));
        }
        let told = json!({ "file": self.file, "contents": Contents::from(archive.header()), "replaced": self.replace });
        output::report(global.output, &self.file.display().to_string(), &told, None)
    }

    async fn read(&self) -> Result<Archive, Failure> {
        let (path, bar) = (self.file.clone(), Progress::of("checking rows"));
        let progress = bar.handle();
        let read = spawn_blocking(move || Archive::check(&path, progress));
        Ok(read.await.map_err(|error| Failure::failed(error.to_string()))??)
    }
}
