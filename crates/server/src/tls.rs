//! The certificate of the port: read from its files, watched, and read again when they change.

use std::{path::PathBuf, sync::Arc, time::Duration};

use domain::{Clock, Timestamp};
use gateway::{Tls, tls::Pair};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::StartError;
use crate::{private, time};

/// Where certificate and key are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// PEM certificates: that of the server first, then those that lead to a trusted authority.
    pub certificate: PathBuf,
    /// The private key of the first certificate, in PEM. Only its user and group may read it.
    pub key: PathBuf,
}

/// Longest file that is read, in bytes: a chain has some kilobytes.
const LONGEST: u64 = 1 << 20;

/// How often the files are compared with what is served.
const PERIOD: Duration = Duration::from_secs(5);

/// How long before a certificate expires that is told.
const NOTICE_SECONDS: i64 = 14 * 24 * 3600;

/// Looks at the files again and again.
#[derive(Debug)]
pub(super) struct Watch {
    files: TlsFiles,
    tls: Tls,
    clock: Arc<dyn Clock>,
    /// From when and until when the pair that is served is valid.
    served: (Timestamp, Timestamp),
    /// When the pair that was last judged becomes valid, if it is not yet.
    comes_later: Option<Timestamp>,
    /// What was seen when it was last judged.
    judged: Seen,
    /// What was seen at the last look, if it could not be used.
    suspect: Option<Seen>,
}

/// What a look at the files finds. Compared, never shown.
#[derive(PartialEq, Eq)]
enum Seen {
    Pair { chain: Vec<u8>, key: Vec<u8> },
    Unreadable(String),
}

impl TlsFiles {
    /// The pair in the files.
    ///
    /// # Errors
    /// When a file cannot be read, others can read the key, or the two are no pair.
    pub fn read(&self) -> Result<Pair, StartError> {
        Seen::of(self).pair(self).map_err(StartError::setting)
    }
}

impl Seen {
    fn of(files: &TlsFiles) -> Self {
        let contents = || {
            let (chain, key) = (private::bounded(&files.certificate, LONGEST)?, private::bounded(&files.key, LONGEST)?);
            private::refuse_shared(&files.key)?;
            Ok(Self::Pair { chain, key })
        };
        contents().unwrap_or_else(Self::Unreadable)
    }

    fn pair(&self, files: &TlsFiles) -> Result<Pair, String> {
        let (certificate, private) = (files.certificate.display(), files.key.display());
        match self {
            Self::Pair { chain, key } => {
                Pair::from_pem(chain, key).map_err(|error| format!("{certificate} and {private} cannot be used for TLS: {error}"))
            }
            Self::Unreadable(why) => Err(why.clone()),
        }
    }
}

/// Begins to show the pair in the files.
///
/// # Errors
/// As [`TlsFiles::read`].
pub(super) async fn start(files: &TlsFiles, clock: Arc<dyn Clock>) -> Result<(Tls, Watch), StartError> {
    let judged = look_at(files.clone()).await;
    let pair = judged.pair(files).map_err(StartError::setting)?;
    warn_about_times(&pair, clock.now());
    let tls = Tls::new(&pair).map_err(|error| StartError::while_doing("TLS cannot be set up", &error))?;
    let watch = Watch {
        files: files.clone(),
        tls: tls.clone(),
        clock,
        served: (pair.not_before(), pair.not_after()),
        comes_later: None,
        judged,
        suspect: None,
    };
    Ok((tls, watch))
}

/// Looks at the files on a thread that may wait: they may be on a disk that is far away.
async fn look_at(files: TlsFiles) -> Seen {
    let looked = tokio::task::spawn_blocking(move || Seen::of(&files)).await;
    looked.unwrap_or_else(|error| Seen::Unreadable(format!("cannot look at the certificate: {error}")))
}

impl Watch {
    /// Looks every few seconds, and at once when `asked`, until `stop`.
    pub(super) async fn run(mut self, asked: Arc<Notify>, stop: CancellationToken) {
        loop {
            let at_once = tokio::select! {
                () = stop.cancelled() => return,
                () = asked.notified() => true,
                () = tokio::time::sleep(PERIOD) => false,
            };
            let seen = look_at(self.files.clone()).await;
            self.judge(seen, at_once);
        }
    }

    /// Takes over what the files hold now. A pair that cannot be used is told once and changes nothing.
    fn judge(&mut self, seen: Seen, at_once: bool) {
        if !at_once && seen == self.judged && self.comes_later.is_none_or(|begin| self.clock.now() < begin) {
            self.suspect = None;
            return;
        }
        match seen.pair(&self.files).and_then(|pair| self.refuse_untimely(pair)) {
            Ok(pair) => {
                self.tls.replace(&pair);
                self.served = (pair.not_before(), pair.not_after());
                tracing::info!(certificate = %self.files.certificate.display(), "certificate read again");
                warn_about_times(&pair, self.clock.now());
            }
            // A pair is replaced one file after the other: what is broken at first sight gets a second look.
            Err(_) if !at_once && self.suspect.as_ref() != Some(&seen) => {
                self.suspect = Some(seen);
                return;
            }
            Err(error) => tracing::warn!(%error, "the new certificate is not used; the old one stays"),
        }
        let now = self.clock.now();
        self.comes_later = seen.pair(&self.files).ok().map(|pair| pair.not_before()).filter(|begin| *begin > now);
        (self.judged, self.suspect) = (seen, None);
    }

    /// A pair that has expired, or is not valid yet, never takes the place of one that is.
    fn refuse_untimely(&self, pair: Pair) -> Result<Pair, String> {
        let now = self.clock.now();
        let serves_a_good_one = (self.served.0..self.served.1).contains(&now);
        let certificate = self.files.certificate.display();
        if serves_a_good_one && pair.not_after() <= now {
            let end = time::text(pair.not_after());
            return Err(format!("the certificate in {certificate} has expired: it was valid until {end}"));
        }
        if serves_a_good_one && pair.not_before() > now {
            let begin = time::text(pair.not_before());
            return Err(format!(
                "the certificate in {certificate} is not valid yet: it will be from {begin}, and is read again then"
            ));
        }
        Ok(pair)
    }
}

fn warn_about_times(pair: &Pair, now: Timestamp) {
    if let Some(problem) = problem_with_times(pair, now) {
        let (not_before, not_after) = (time::text(pair.not_before()), time::text(pair.not_after()));
        tracing::warn!(not_before, not_after, "{problem}");
    }
}

/// The problem that is none yet.
pub const EXPIRES_SOON: &str = "the certificate expires within two weeks";

/// What is wrong with the times of a certificate, or will be soon.
#[must_use]
pub fn problem_with_times(pair: &Pair, now: Timestamp) -> Option<&'static str> {
    if now < pair.not_before() {
        Some("the certificate is not valid yet")
    } else if pair.not_after() <= now {
        Some("the certificate has expired")
    } else if pair.not_after() <= now.plus_seconds(NOTICE_SECONDS) {
        Some(EXPIRES_SOON)
    } else {
        None
    }
}

impl std::fmt::Debug for Seen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seen")
    }
}
