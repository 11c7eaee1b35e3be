//! Less than what was given: one of our own tokens, or a session, can only be narrowed.

use domain::{Error, Narrowing, Rule, Uidp};

use super::request::Wish;

/// For whom a token may be, and what it may keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Given {
    pub(super) audiences: Vec<String>,
    pub(super) narrowing: Narrowing,
}

/// What of a wish goes beyond what was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Beyond(&'static str);

impl Beyond {
    /// The refusal: what can only be narrowed, and what there is to do instead.
    pub(super) fn of(self, given: &str, advice: &str) -> Error {
        Error::denied(Rule::Escalation, format!("{given} can only be narrowed: {}; {advice}", self.0))
    }
}

/// At most the audiences, groups and capabilities that were given to that identity.
///
/// # Errors
/// Where the wish goes beyond that.
pub(super) fn narrow(identity: &Uidp, given: Given, wish: Wish) -> Result<Given, Beyond> {
    let Given { mut audiences, narrowing: Narrowing { scopes, capabilities } } = given;
    if wish.identity.is_some_and(|wished| wished != *identity) {
        return Err(Beyond("identity must be its own"));
    }
    if let Some(wished) = wish.audiences {
        if !wished.iter().all(|audience| audiences.contains(audience)) {
            return Err(Beyond("aud must be among its audiences"));
        }
        audiences = wished;
    }
    let scopes = match (wish.scopes, scopes) {
        (Some(wished), Some(kept)) if !wished.iter().all(|scope| kept.iter().any(|kept| kept.contains(scope))) => {
            return Err(Beyond("scopes must be at or below its own"));
        }
        (wished, kept) => wished.or(kept),
    };
    let capabilities = match (wish.capabilities, capabilities) {
        (Some(wished), Some(kept)) if !kept.has_all(&wished) => return Err(Beyond("cap must be among its own")),
        (wished, kept) => wished.or(kept),
    };
    Ok(Given { audiences, narrowing: Narrowing { scopes, capabilities } })
}

#[cfg(test)]
mod tests {
    use domain::CapabilitySet;

    use super::*;

    fn uid(byte: u8) -> Uidp {
        Uidp::root_from([byte; 20])
    }

    fn narrowing(scopes: Option<Vec<Uidp>>, caps: Option<&[&str]>) -> Narrowing {
        Narrowing { scopes, capabilities: caps.map(|caps| CapabilitySet::from_names(caps.iter().copied())) }
    }

    fn given(scopes: Option<Vec<Uidp>>, caps: Option<&[&str]>) -> Given {
        Given { audiences: vec!["api".into(), "registry".into()], narrowing: narrowing(scopes, caps) }
    }

    fn wish(scopes: Option<Vec<Uidp>>, caps: Option<&[&str]>) -> Wish {
        let Narrowing { scopes, capabilities } = narrowing(scopes, caps);
        Wish { audiences: None, identity: None, scopes, capabilities }
    }

    #[test]
    fn less_is_given() {
        let below = uid(2).child([1; 8]);
        let own = given(Some(vec![uid(2), uid(3)]), Some(&["groups.list", "roles.list"]));
        let less = narrow(&uid(1), own.clone(), wish(Some(vec![below.clone()]), Some(&["roles.list"]))).expect("less");
        assert_eq!(less.narrowing, narrowing(Some(vec![below]), Some(&["roles.list"])));
        let same = narrow(&uid(1), own.clone(), Wish { identity: Some(uid(1)), ..wish(None, None) }).expect("the same");
        assert_eq!(same, own);
        let api = narrow(&uid(1), own, Wish { audiences: Some(vec!["api".into()]), ..wish(None, None) }).expect("one audience");
        assert_eq!(api.audiences, ["api"]);
        let first = narrow(&uid(1), given(None, None), wish(Some(vec![uid(9)]), Some(&["roles.list"])));
        let first = first.expect("the first narrowing").narrowing;
        assert!(first.scopes.is_some() && first.capabilities.is_some());
    }

    #[test]
    fn more_is_refused() {
        let own = given(Some(vec![uid(2).child([1; 8])]), Some(&["groups.list"]));
        for (wish, what) in [
            (wish(Some(vec![uid(2)]), None), "scopes must be"),
            (wish(None, Some(&["groups.list", "roles.list"])), "cap must be"),
            (Wish { identity: Some(uid(4)), ..wish(None, None) }, "identity must be"),
            (Wish { audiences: Some(vec!["else".into()]), ..wish(None, None) }, "aud must be"),
        ] {
            let error = narrow(&uid(1), own.clone(), wish).expect_err("refused").of("a session", "log in again");
            assert!(error.message().contains(what), "{error}");
            assert_eq!(error.rule(), Rule::Escalation);
        }
    }
}
