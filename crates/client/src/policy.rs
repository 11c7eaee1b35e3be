//! How all calls of a client are made.

use contract::Method;

use crate::{options::Options, retry::Retry};

/// What holds for every call of a client. The default makes each call once and adds nothing to it.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// Whether and for how long calls are made again. Every write that has no idempotency key gets one then.
    pub retry: Option<Retry>,
    /// `if-match` of writes; it goes before that of a call's own options.
    pub if_match: Option<String>,
    /// `x-provost-validate-only` of writes.
    pub validate_only: bool,
}

impl Policy {
    /// The options of a call of `method` that was asked for with `options`.
    pub(crate) fn complete(&self, method: &Method, options: &Options) -> Options {
        let mut options = options.clone();
        if method.read_only {
            return options;
        }
        if self.if_match.is_some() {
            options.if_match.clone_from(&self.if_match);
        }
        options.validate_only |= self.validate_only;
        if let (None, Some(retry)) = (&options.idempotency_key, &self.retry) {
            options.idempotency_key = Some(retry.next_key());
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use contract::{
        Rpc as _,
        chainguard::platform::iam::v2beta1::rpc::{DeleteGroup, GetGroup},
    };

    use super::*;

    #[test]
    fn writes_get_conditions_and_keys_and_reads_do_not() {
        let policy =
            Policy { retry: Some(Retry::new(Duration::ZERO, [1; 16])), if_match: Some("\"1\"".to_owned()), validate_only: true };
        let own = Options { if_match: Some("\"2\"".to_owned()), ..Options::default() };
        assert_eq!(policy.complete(GetGroup::METHOD, &own), own);
        let written = policy.complete(DeleteGroup::METHOD, &own);
        assert_eq!((written.if_match.as_deref(), written.validate_only), (Some("\"1\""), true));
        let keyed = Options { idempotency_key: Some("mine".to_owned()), ..own };
        assert!(written.idempotency_key.is_some_and(|key| key.ends_with("-0")));
        assert_eq!(policy.complete(DeleteGroup::METHOD, &keyed).idempotency_key.as_deref(), Some("mine"));
        assert_eq!(Policy::default().complete(DeleteGroup::METHOD, &keyed), keyed);
    }
}
