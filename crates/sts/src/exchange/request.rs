//! What a caller asks the exchange for.

use domain::{Capability, CapabilitySet, Error, Kind, Rule, Uidp, Violations};

use crate::Settings;

/// Most groups that a token can be narrowed to.
const MAX_SCOPES: usize = 100;
/// Most audiences that can be asked for.
const MAX_AUDIENCES: usize = 8;
/// Most entries of a list that are looked at, repetitions included. There are fewer capabilities than that.
const MAX_ENTRIES: usize = 1000;

/// The request as it came. Empty texts and lists ask for nothing in particular.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExchangeRequest {
    /// `aud`: for whom the new token is; empty for the API.
    pub audiences: Vec<String>,
    /// `identity`: the UIDP of the identity to assume; empty for the caller's own.
    pub identity: String,
    /// `identity_provider`: the UIDP of an organization's identity provider.
    pub identity_provider: String,
    /// `scopes`: keep only what holds at or below these groups.
    pub scopes: Vec<String>,
    /// `scope`: the older form of one of these.
    pub scope: String,
    /// `cap`: keep only these capabilities, by their dotted names.
    pub capabilities: Vec<String>,
}

/// The request, understood.
#[derive(Clone, Debug)]
pub(super) struct Wish {
    pub(super) audiences: Option<Vec<String>>,
    pub(super) identity: Option<Uidp>,
    pub(super) scopes: Option<Vec<Uidp>>,
    pub(super) capabilities: Option<CapabilitySet>,
}

impl Wish {
    /// Understands a request.
    ///
    /// # Errors
    /// Invalid argument naming every field that asks for what does not exist; unimplemented for identity providers of
    /// organizations.
    pub(super) fn read(request: ExchangeRequest, settings: &Settings) -> Result<Self, Error> {
        let mut violations = Violations::default();
        let lists = [("aud", request.audiences.len()), ("scopes", request.scopes.len()), ("cap", request.capabilities.len())];
        for (field, entries) in lists {
            if entries > MAX_ENTRIES {
                violations.add(field, format!("{field} may have at most {MAX_ENTRIES} entries"));
            }
        }
        if !violations.is_empty() {
            return violations.finish(None);
        }
        let identity = optional_uidp("identity", &request.identity, &mut violations);
        let provider = optional_uidp("identity_provider", &request.identity_provider, &mut violations);
        let audiences = audiences(request.audiences, settings, &mut violations);
        let scopes = scopes(request.scopes, request.scope, &mut violations);
        let capabilities = capabilities(&request.capabilities, &mut violations);
        violations.check()?;
        if provider.is_some() {
            let message = "identity providers of organizations come with a later version; leave identity_provider empty, and name the \
                           identity to assume in `identity`";
            return Err(Error::new(Kind::Unimplemented, Rule::NotImplemented, message));
        }
        Ok(Self { audiences, identity, scopes, capabilities })
    }
}

fn optional_uidp(field: &str, text: &str, violations: &mut Violations) -> Option<Uidp> {
    if text.is_empty() {
        return None;
    }
    text.parse().map_err(|error: domain::uidp::NotAUidp| violations.add(field, format!("{field} {error}"))).ok()
}

/// Our API, or the registry.
fn audiences(mut wished: Vec<String>, settings: &Settings, violations: &mut Violations) -> Option<Vec<String>> {
    dedup(&mut wished);
    let is_ours = |audience: &String| *audience == settings.base_url || Some(audience) == settings.registry_host.as_ref();
    if wished.len() > MAX_AUDIENCES || !wished.iter().all(is_ours) {
        let registry = settings.registry_host.as_ref().map(|host| format!(" or {host}")).unwrap_or_default();
        violations.add("aud", format!("aud must be {}{registry}", settings.base_url));
    }
    (!wished.is_empty()).then_some(wished)
}

fn scopes(mut wished: Vec<String>, older: String, violations: &mut Violations) -> Option<Vec<Uidp>> {
    wished.push(older);
    wished.retain(|scope| !scope.is_empty());
    dedup(&mut wished);
    if wished.len() > MAX_SCOPES {
        violations.add("scopes", format!("scopes may name at most {MAX_SCOPES} groups"));
        return None;
    }
    let scopes: Vec<_> = wished.iter().filter_map(|scope| optional_uidp("scopes", scope, violations)).collect();
    (!wished.is_empty()).then_some(scopes)
}

fn capabilities(wished: &[String], violations: &mut Violations) -> Option<CapabilitySet> {
    let mut set = CapabilitySet::EMPTY;
    for name in wished {
        match Capability::from_name(name) {
            Some(capability) => set.insert(capability),
            None => violations
                .add("cap", format!("cap {:?} is no capability; write their dotted names, such as groups.list", shorten(name))),
        }
    }
    (!wished.is_empty()).then_some(set)
}

fn dedup(texts: &mut Vec<String>) {
    let mut seen = std::collections::HashSet::new();
    texts.retain(|text| seen.insert(text.clone()));
}

fn shorten(text: &str) -> &str {
    text.char_indices().nth(64).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(request: ExchangeRequest) -> Result<Wish, String> {
        let settings = Settings { registry_host: Some("registry.example.com".into()), ..Settings::new("https://us.example.com") };
        Wish::read(request, &settings).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn an_empty_request_asks_for_nothing_in_particular() {
        let wish = read(ExchangeRequest::default()).expect("valid");
        assert!(wish.audiences.is_none() && wish.identity.is_none() && wish.scopes.is_none() && wish.capabilities.is_none());
    }

    #[test]
    fn scope_and_scopes_are_one_list() {
        let (a, b) = ("a".repeat(40), "b".repeat(40));
        let request =
            ExchangeRequest { scopes: vec![a.clone(), b.clone(), a.clone()], scope: b.clone(), ..ExchangeRequest::default() };
        let scopes: Vec<_> = read(request).expect("valid").scopes.expect("scopes").iter().map(ToString::to_string).collect();
        assert_eq!(scopes, [a, b]);
    }

    #[test]
    fn lists_have_an_end() {
        let long = || vec!["groups.list".to_owned(); MAX_ENTRIES + 1];
        let request = ExchangeRequest { audiences: long(), scopes: long(), capabilities: long(), ..ExchangeRequest::default() };
        let message = read(request).expect_err("too long");
        assert_eq!(message.matches("may have at most 1000 entries").count(), 3, "{message}");
    }

    #[test]
    fn every_wrong_field_is_named() {
        let request = ExchangeRequest {
            audiences: vec!["https://us.example.com".into(), "https://us.example.com/".into()],
            identity: "x".into(),
            identity_provider: "y".into(),
            scopes: vec!["z".into()],
            scope: String::new(),
            capabilities: vec!["groups.list".into(), "groups.fly".into()],
        };
        let message = read(request).expect_err("refused");
        for field in [
            "identity: identity must be a UIDP",
            "identity_provider: identity_provider must be",
            "scopes: scopes must be a UIDP",
            "aud: aud must be https://us.example.com or registry.example.com",
            "cap: cap \"groups.fly\" is no capability",
        ] {
            assert!(message.contains(field), "{field} in {message}");
        }
    }

    #[test]
    fn identity_providers_of_organizations_are_not_there_yet() {
        let request =
            ExchangeRequest { identity_provider: format!("{}/{}", "a".repeat(40), "b".repeat(16)), ..ExchangeRequest::default() };
        assert!(read(request).expect_err("refused").contains("leave identity_provider empty"));
    }
}
