//! `provost admin token`

use std::time::Duration;

use clap::Args;
use server::admin::protocol::Request;

use super::place::Place;
use crate::{exit::Failure, output};

#[derive(Debug, Args)]
pub(crate) struct Token {
    #[command(flatten)]
    place: Place,
    /// Lifetime of the token: 90s, 10m, 1h
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = duration)]
    ttl: Duration,
}

impl Token {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let request = Request::Token { ttl_seconds: self.ttl.as_secs() };
        let token: String = self.place.ask(request, |_| Ok(())).await?;
        output::text(&token)
    }
}

/// Reads a whole number with its unit.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
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
