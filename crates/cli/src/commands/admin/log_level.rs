//! `provost admin log-level`

use std::time::Duration;

use clap::Args;
use server::{admin::protocol::Request, logging::Filters};

use super::{place::Place, token::duration};
use crate::{config::server::log_filter, exit::Failure, output};

#[derive(Debug, Args)]
pub(crate) struct LogLevel {
    #[command(flatten)]
    place: Place,
    /// The new filter: a level, or target=level pairs such as info,store=debug; without it, show the current one
    filter: Option<String>,
    /// Restore the previous filter after this time: 90s, 10m, 1h
    #[arg(long = "for", value_name = "TIME", value_parser = duration, requires = "filter")]
    time: Option<Duration>,
}

impl LogLevel {
    pub(super) async fn run(self) -> Result<(), Failure> {
        if let Some(filter) = &self.filter {
            log_filter::check(filter).map_err(Failure::usage)?;
        }
        let seconds = self.time.map(|time| time.as_secs());
        let request = Request::LogLevel { filter: self.filter, seconds };
        let Filters { before, now } = self.place.ask_server(request).await?;
        output::text(&match seconds {
            _ if before == now => now,
            None => format!("{before} -> {now}"),
            Some(seconds) => format!("{before} -> {now} for {seconds} s"),
        })
    }
}
