//! Making a call again when that may help (`docs/api/retries.md`).

use std::{
    fmt::Write as _,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use contract::{Access, Method};
use tokio::time::Instant;
use tonic::Code;

use crate::error::{Error, Origin};

/// How long and in which name calls are made again. Clones share the names that they give to calls.
#[derive(Clone, Debug)]
pub struct Retry {
    within: Duration,
    waits_for_a_server: bool,
    seed: [u8; 16],
    calls: Arc<AtomicU32>,
    notice: fn(&Error),
}

impl Retry {
    /// The pause before the first repetition. Each further one is twice as long.
    const FIRST: Duration = Duration::from_millis(100);
    /// No pause is longer, unless the server asks for it.
    const LONGEST: Duration = Duration::from_secs(5);

    /// Makes a call again until `within` has passed since it was first made. `seed` must be random: the idempotency keys of all
    /// writes begin with it, and pauses vary by it.
    #[must_use]
    pub fn new(within: Duration, seed: [u8; 16]) -> Self {
        Self { within, waits_for_a_server: false, seed, calls: Arc::default(), notice: |_| {} }
    }

    /// Connects again as well while no server answers at all.
    #[must_use]
    pub fn waiting_for_a_server(self, waits: bool) -> Self {
        Self { waits_for_a_server: waits, ..self }
    }

    /// Hands each error after which a call is made again to `notice`.
    #[must_use]
    pub fn noticing(self, notice: fn(&Error)) -> Self {
        Self { notice, ..self }
    }

    /// The idempotency key of the next write, which all its repetitions share.
    pub(crate) fn next_key(&self) -> String {
        let mut key = self.seed.iter().fold(String::new(), |mut key, byte| {
            // Writing to a String cannot fail.
            let _ = write!(key, "{byte:02x}");
            key
        });
        let _ = write!(key, "-{}", self.calls.fetch_add(1, Ordering::Relaxed));
        key
    }

    /// The pause before repetition `number`, which counts from 0: between a half and the whole of what has doubled that often.
    fn backoff(&self, number: u32) -> Duration {
        let whole = Self::FIRST.saturating_mul(1 << number.min(16)).min(Self::LONGEST);
        let byte = self.seed.iter().cycle().nth(number as usize).copied().unwrap_or_default();
        whole / 2 + whole / 2 * u32::from(byte) / 255
    }
}

/// The repetitions of one call.
#[derive(Debug)]
pub(crate) struct Attempts<'a> {
    retry: Option<&'a Retry>,
    begin: Instant,
    repeated: u32,
}

impl<'a> Attempts<'a> {
    /// A call that is about to be made for the first time.
    pub(crate) fn begin(retry: Option<&'a Retry>) -> Self {
        Self { retry, begin: Instant::now(), repeated: 0 }
    }

    /// Waits until the call should be made again after `error`; hands the error back when it should not. `is_repeatable` says
    /// whether it may be sent twice.
    pub(crate) async fn wait(&mut self, error: Error, is_repeatable: bool) -> Result<(), Error> {
        let Some(retry) = self.retry.filter(|retry| is_temporary(&error, is_repeatable, retry.waits_for_a_server)) else {
            return Err(error);
        };
        let pause = retry.backoff(self.repeated).max(error.details().retry_after.unwrap_or_default());
        if self.begin.elapsed() + pause > retry.within {
            return Err(error);
        }
        (retry.notice)(&error);
        self.repeated += 1;
        tokio::time::sleep(pause).await;
        Ok(())
    }
}

/// Whether the method may be sent twice: it changes nothing, its idempotency key counts, or it leaves what one leaves. Strangers have no
/// keys; the exchanges of tokens, which check their caller themselves, leave nothing.
pub(crate) fn is_repeatable(method: &Method) -> bool {
    method.read_only || method.idempotent || !matches!(method.access, Access::Public)
}

/// Whether the same call may succeed in a moment.
fn is_temporary(error: &Error, is_repeatable: bool, waits_for_a_server: bool) -> bool {
    let rule = error.details().metadata.get("rule").map_or("", String::as_str);
    match (error.origin(), error.code()) {
        (Origin::Unreachable, _) => waits_for_a_server,
        // The request may have arrived.
        (Origin::Lost | Origin::Proxy, _) => is_repeatable,
        (Origin::Server, Code::Unavailable) => is_repeatable || rule == "ISSUER_UNAVAILABLE",
        (Origin::Server, Code::Aborted) => !matches!(rule, "ETAG_MISMATCH" | "IDEMPOTENT_ANSWER_LOST"),
        // Without a time to wait, there is something to do first.
        (Origin::Server, Code::ResourceExhausted) => error.details().retry_after.is_some(),
        (Origin::Server | Origin::Stranger | Origin::Untrusted | Origin::Client, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use contract::{
        METHODS, Rpc as _,
        chainguard::platform::{auth::rpc::Register, iam::v2beta1::rpc::CreateGroup, oidc::rpc::Exchange},
        google::rpc,
    };

    use prost::Message as _;
    use prost_types::Any;
    use tonic::Status;

    use super::*;

    #[test]
    fn pauses_double_vary_and_stay_bounded() {
        let (low, high) = (Retry::new(Duration::ZERO, [0; 16]), Retry::new(Duration::ZERO, [255; 16]));
        let pauses = |retry: &Retry| [0, 1, 2, 5, 6, 40].map(|number| retry.backoff(number).as_millis());
        assert_eq!(pauses(&low), [50, 100, 200, 1600, 2500, 2500]);
        assert_eq!(pauses(&high), [100, 200, 400, 3200, 5000, 5000]);
    }

    #[test]
    fn every_write_has_a_key_of_its_own() {
        let retry = Retry::new(Duration::ZERO, [0xab; 16]);
        assert_eq!(
            [retry.next_key(), retry.clone().next_key(), retry.next_key()].map(|key| key.replace("ab", "")),
            ["-0", "-1", "-2"]
        );
    }

    #[test]
    fn only_what_leaves_no_second_trace_is_repeated() {
        for (method, repeatable) in [(CreateGroup::METHOD, true), (Exchange::METHOD, true), (Register::METHOD, false)] {
            assert_eq!(is_repeatable(method), repeatable, "{}", method.name);
        }
        assert!(METHODS.iter().filter(|method| method.read_only).all(is_repeatable));
    }

    #[test]
    fn what_is_said_decides() {
        let answer = |code: Code, rule: &str, retry_after: Option<prost_types::Duration>| {
            let info =
                rpc::ErrorInfo { metadata: [("rule".to_owned(), rule.to_owned())].into_iter().collect(), ..Default::default() };
            let any = |name: &str, value: Vec<u8>| Any { type_url: format!("type.googleapis.com/google.rpc.{name}"), value };
            let mut details = vec![any("ErrorInfo", info.encode_to_vec())];
            details
                .extend(retry_after.map(|delay| any("RetryInfo", rpc::RetryInfo { retry_delay: Some(delay) }.encode_to_vec())));
            let status = rpc::Status { code: code.into(), message: String::new(), details };
            Error::of_call("http://x", &Status::with_details(code, "", status.encode_to_vec().into()))
        };
        let soon = Some(prost_types::Duration { seconds: 1, nanos: 0 });
        for (error, repeatable, temporary) in [
            (answer(Code::Unavailable, "UNAVAILABLE", None), true, true),
            (answer(Code::Unavailable, "UNAVAILABLE", None), false, false),
            (answer(Code::Unavailable, "ISSUER_UNAVAILABLE", None), false, true),
            (answer(Code::Aborted, "CONTENDED", soon), false, true),
            (answer(Code::Aborted, "ETAG_MISMATCH", None), true, false),
            (answer(Code::Aborted, "IDEMPOTENT_ANSWER_LOST", None), true, false),
            (answer(Code::ResourceExhausted, "OVERLOADED", soon), false, true),
            (answer(Code::ResourceExhausted, "ALREADY_ASKED", None), true, false),
            (answer(Code::PermissionDenied, "", soon), true, false),
        ] {
            assert_eq!(is_temporary(&error, repeatable, true), temporary, "{error} {repeatable}");
        }
        let lost = Error::lost("http://x", "reset");
        let nobody = Error::no_server("http://x", &std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
        assert!(is_temporary(&lost, true, false) && !is_temporary(&lost, false, true));
        assert!(is_temporary(&nobody, false, true) && !is_temporary(&nobody, true, false));
    }

    #[tokio::test(start_paused = true)]
    async fn time_runs_out() {
        let retry = Retry::new(Duration::from_secs(1), [255; 16]);
        let mut attempts = Attempts::begin(Some(&retry));
        let mut repeated = 0;
        while attempts.wait(Error::lost("http://x", "reset"), true).await.is_ok() {
            repeated += 1;
        }
        // 100, 200 and 400 ms; another 800 would be too much.
        assert!(repeated == 3 && attempts.begin.elapsed() < Duration::from_millis(720), "{repeated}");
        assert!(Attempts::begin(None).wait(Error::lost("http://x", "reset"), true).await.is_err());
    }
}
