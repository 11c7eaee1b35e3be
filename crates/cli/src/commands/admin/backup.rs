//! `provost admin backup`

use std::{
    io::{IsTerminal, Write, stdout},
    path::{Path, PathBuf},
};

use clap::Args;
use serde_json::json;
use server::admin::{
    backup::Contents,
    protocol::{Request, Update},
};

use super::place::Place;
use crate::{
    confirm::confirm,
    draft::Draft,
    exit::Failure,
    global::Global,
    output::{self, remark},
    progress::Progress,
};

#[derive(Debug, Args)]
pub(crate) struct Backup {
    #[command(flatten)]
    place: Place,
    /// The file to write, readable by its owner only; - for standard output
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Backup {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let to_stdout = self.file == Path::new("-");
        if to_stdout && stdout().is_terminal() {
            return Err(Failure::usage("will not write a backup to a terminal").hint("name a file, or redirect the output"));
        }
        if !to_stdout && self.file.exists() {
            confirm(global, &format!("replace {}", self.file.display()))?;
        }
        let name = if to_stdout { "to standard output".to_owned() } else { self.file.display().to_string() };
        let cannot = |error: std::io::Error| Failure::failed(format!("cannot write {name}: {error}"));
        let mut draft = if to_stdout { None } else { Some(Draft::begin(&self.file).map_err(cannot)?) };
        let bar = Progress::of("backing up rows");
        let work = self.place.ask(Request::Backup, |update| match (update, &mut draft) {
            (Update::Piece(bytes), Some(draft)) => draft.write(&bytes).map_err(cannot),
            // A reader that has gone has no whole backup.
            (Update::Piece(bytes), None) => stdout().lock().write_all(&bytes).map_err(cannot),
            (Update::Progress(progress), _) => {
                bar.set(progress.done, progress.total);
                Ok(())
            }
        });
        let contents: Contents = work.await?;
        drop(bar);
        let key = self.place.settings()?.key_path();
        let warning = format!(
            "{} is NOT in the backup, and without it the backup cannot be restored: keep a copy of it apart from here",
            key.display()
        );
        let Some(draft) = draft else {
            stdout().lock().flush().map_err(cannot)?;
            remark(&warning);
            return Ok(());
        };
        let bytes = draft.finish().map_err(cannot)?;
        let told = json!({ "file": self.file, "bytes": bytes, "contents": contents });
        output::report(global.output, &self.file.display().to_string(), &told, None)?;
        remark(&warning);
        Ok(())
    }
}
