//! Exchanging one of our own tokens: it can only become less.

use domain::{Error, Narrowing, Rule};

use super::request::Wish;
use crate::token::OwnToken;

/// The token with less: the same identity, and at most the audiences, groups and capabilities that it has.
///
/// # Errors
/// Permission denied when the wish goes beyond the token.
pub(super) fn narrow(mut token: OwnToken, wish: Wish) -> Result<OwnToken, Error> {
    let beyond = |what: &str| {
        let message = format!(
            "one of this server's own tokens can only be narrowed: {what}; exchange the token of your identity provider instead"
        );
        Err(Error::denied(Rule::Escalation, message))
    };
    let Narrowing { scopes, capabilities } = token.caller.narrowing;
    if wish.identity.is_some_and(|identity| identity != token.caller.identity) {
        return beyond("identity must be its own");
    }
    if let Some(wished) = wish.audiences {
        if !wished.iter().all(|audience| token.caller.audience.contains(audience)) {
            return beyond("aud must be among its audiences");
        }
        token.caller.audience = wished;
    }
    let scopes = match (wish.scopes, scopes) {
        (Some(wished), Some(kept)) if !wished.iter().all(|scope| kept.iter().any(|kept| kept.contains(scope))) => {
            return beyond("scopes must be at or below its own");
        }
        (wished, kept) => wished.or(kept),
    };
    let capabilities = match (wish.capabilities, capabilities) {
        (Some(wished), Some(kept)) if !kept.has_all(&wished) => return beyond("cap must be among its own"),
        (wished, kept) => wished.or(kept),
    };
    token.caller.narrowing = Narrowing { scopes, capabilities };
    Ok(token)
}

#[cfg(test)]
mod tests {
    use domain::{Caller, CapabilitySet, Timestamp, Uidp};

    use super::*;

    fn uid(byte: u8) -> Uidp {
        Uidp::root_from([byte; 20])
    }

    fn token(scopes: Option<Vec<Uidp>>, caps: Option<&[&str]>) -> OwnToken {
        let capabilities = caps.map(|caps| CapabilitySet::from_names(caps.iter().copied()));
        let caller = Caller {
            identity: uid(1),
            operator: false,
            issuer: String::new(),
            audience: vec!["api".into(), "registry".into()],
            issued_at: Timestamp(0),
            expires_at: Timestamp(0),
            token_id: String::new(),
            upstream: None,
            email: None,
            narrowing: Narrowing { scopes, capabilities },
        };
        OwnToken { caller, key_id: String::new(), relationship_revision: 0 }
    }

    fn wish(scopes: Option<Vec<Uidp>>, caps: Option<&[&str]>) -> Wish {
        let capabilities = caps.map(|caps| CapabilitySet::from_names(caps.iter().copied()));
        Wish { audiences: None, identity: None, scopes, capabilities }
    }

    #[test]
    fn less_is_given() {
        let below = uid(2).child([1; 8]);
        let own = token(Some(vec![uid(2), uid(3)]), Some(&["groups.list", "roles.list"]));
        let less = narrow(own.clone(), wish(Some(vec![below.clone()]), Some(&["roles.list"]))).expect("less");
        assert_eq!(less.caller.narrowing.scopes, Some(vec![below]));
        assert_eq!(less.caller.narrowing.capabilities.map(|set| set.names()), Some(vec!["roles.list"]));
        let same = narrow(own.clone(), Wish { identity: Some(uid(1)), ..wish(None, None) }).expect("the same");
        assert_eq!(same.caller, own.caller);
        let api = narrow(own, Wish { audiences: Some(vec!["api".into()]), ..wish(None, None) }).expect("one audience");
        assert_eq!(api.caller.audience, ["api"]);
        let first = narrow(token(None, None), wish(Some(vec![uid(9)]), Some(&["roles.list"]))).expect("the first narrowing");
        assert!(first.caller.narrowing.scopes.is_some() && first.caller.narrowing.capabilities.is_some());
    }

    #[test]
    fn more_is_refused() {
        let own = token(Some(vec![uid(2).child([1; 8])]), Some(&["groups.list"]));
        for (wish, what) in [
            (wish(Some(vec![uid(2)]), None), "scopes must be"),
            (wish(None, Some(&["groups.list", "roles.list"])), "cap must be"),
            (Wish { identity: Some(uid(4)), ..wish(None, None) }, "identity must be"),
            (Wish { audiences: Some(vec!["else".into()]), ..wish(None, None) }, "aud must be"),
        ] {
            let error = narrow(own.clone(), wish).expect_err("refused");
            assert!(error.message().contains(what), "{error}");
            assert_eq!(error.rule(), Rule::Escalation);
        }
    }
}
