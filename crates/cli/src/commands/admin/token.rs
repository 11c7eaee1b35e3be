//! `provost admin token`

use std::{path::PathBuf, sync::Arc, time::Duration};

use clap::Args;
use store::Database;

use crate::{
    clock::SystemClock,
    config::env,
    entropy::SystemEntropy,
    exit::{Exit, Failure},
    output,
    serve::{
        Core,
        admin_socket::{self, Answer, Request},
        record::Record,
    },
};

#[derive(Debug, Args)]
pub(crate) struct Token {
    /// The server's data folder; a server may be running on it
    #[arg(long, env = "PROVOST_DATA", value_name = "FOLDER", default_value = "./provost-data")]
    data: PathBuf,
    /// How long the token lives: 90s, 10m, 1h
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = duration)]
    ttl: Duration,
    /// The file with the key-encryption key, when no server is running; `key` in the data folder by default
    #[arg(long, env = "PROVOST_KEY_FILE", value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// The server's URL, when no server is running; what the last server had by default
    #[arg(long, env = "PROVOST_BASE_URL", value_name = "URL")]
    base_url: Option<String>,
}

impl Token {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let request = Request::Token { ttl_seconds: self.ttl.as_secs() };
        let socket = admin_socket::path_in(&self.data);
        let answer = admin_socket::ask(&self.data, &request)
            .await
            .map_err(|error| Failure::failed(format!("cannot talk to the server through {}: {error}", socket.display())))?;
        match answer {
            Some(Answer::Token(token)) => output::text(&token),
            Some(Answer::Error(message)) => Err(Failure::failed(message)),
            None => self.alone().await,
        }
    }

    /// Without a server: takes the folder's lock for a moment.
    async fn alone(self) -> Result<(), Failure> {
        let known = Record::read(&self.data)?;
        let Some(last) = known else {
            let message = format!("no server has ever run on {}", self.data.display());
            return Err(Failure::new(Exit::NotFound, message).hint("name its data folder with --data"));
        };
        let sts = sts::Settings::new(self.base_url.unwrap_or(last.base_url));
        let key = self.key_file.unwrap_or_else(|| self.data.join("key"));
        if !key.exists() {
            let message = format!("there is no key file {}", key.display());
            return Err(Failure::new(Exit::NotFound, message).hint("name it with --key-file, as for the server"));
        }
        let core =
            Core::open(&self.data, &Database::Sqlite, &key, sts, Arc::new(SystemClock), Arc::new(SystemEntropy::default()))
                .await?;
        let token = core.operators().token(self.ttl, &env::system_user()).await;
        core.store.close().await;
        output::text(token.map_err(|error| Failure::failed(error.message()))?.expose())
    }
}

/// Reads a whole number with its unit.
fn duration(text: &str) -> Result<Duration, String> {
    let units = [('s', 1), ('m', 60), ('h', 3600)];
    let parsed = units.iter().find_map(|(unit, seconds)| text.strip_suffix(*unit)?.parse::<u64>().ok()?.checked_mul(*seconds));
    parsed.map(Duration::from_secs).ok_or_else(|| "must be a number with its unit, such as 90s, 10m or 1h".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        let seconds = |text| duration(text).map(|duration| duration.as_secs()).ok();
        assert_eq!([seconds("90s"), seconds("10m"), seconds("1h"), seconds("0s")], [Some(90), Some(600), Some(3600), Some(0)]);
        for bad in ["", "1", "h", "1d", "-1s", "1.5h", "99999999999999999999h", "9999999999999999h"] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }
}
