//! What holds for every identity provider.

use domain::{
    Ctx, Error, Result, Rule, Uidp, Violations,
    error::Violation,
    iam::{IdentityProviderSpec, Oidc},
    ports::CheckRelationship,
};
use store::Reader;

use crate::{grants::require_grantable, iam::role_bindings::role_for, texts};

/// Longest accepted scope in bytes, and most of them.
const SCOPE: usize = 255;
const SCOPES: usize = 32;

/// Judges how the provider is reached, as far as that differs from what it was; all of it when it is new.
pub(super) fn check(before: Option<&Oidc>, wish: &Oidc, issuers: &dyn CheckRelationship, violations: &mut Violations) {
    if before.is_none_or(|before| before.issuer != wish.issuer) {
        check_issuer(&wish.issuer, issuers, violations);
    }
    texts::required("oidc.client_id", &wish.client_id, texts::SHORT, violations);
    if wish.client_secret.is_none() && !wish.pkce_enabled {
        violations.add("oidc.client_secret", "client_secret is required unless pkce_enabled");
    }
    texts::each("oidc.additional_scopes", &wish.additional_scopes, SCOPES, violations, |field, scope, violations| {
        check_scope(field, scope, violations);
    });
    check_each_once(&wish.additional_scopes, violations);
    texts::optional("oidc.groups_claim", &wish.groups_claim, texts::SHORT, violations);
}

fn check_issuer(issuer: &str, issuers: &dyn CheckRelationship, violations: &mut Violations) {
    const FIELD: &str = "oidc.issuer";
    if issuer.is_empty() || issuer.len() > texts::LONG {
        texts::required(FIELD, issuer, texts::LONG, violations);
    } else if let Err(why) = issuers.check_issuer(issuer) {
        violations.add(FIELD, format!("issuer {why}"));
    }
}

/// One `scope-token` of RFC 6749 section 3.3.
fn check_scope(field: &str, scope: &str, violations: &mut Violations) {
    let is_token = |byte: u8| matches!(byte, b'!' | b'#'..=b'[' | b']'..=b'~');
    if !(1..=SCOPE).contains(&scope.len()) || !scope.bytes().all(is_token) {
        violations.add(
            field,
            format!("additional_scopes must be of 1 to {SCOPE} visible ASCII characters without quotes and backslashes"),
        );
    }
}

fn check_each_once(scopes: &[String], violations: &mut Violations) {
    let is_repeated = |(at, scope): &(usize, &String)| scopes.iter().take((*at).min(SCOPES)).any(|before| before == *scope);
    for (at, _) in scopes.iter().take(SCOPES).enumerate().filter(is_repeated) {
        violations.add(format!("oidc.additional_scopes[{at}]"), "additional_scopes must not hold an entry twice");
    }
}

/// Refuses another correlation rule than the one of creation.
///
/// # Errors
/// Invalid argument.
pub(super) fn check_kept(before: &Oidc, wish: &Oidc) -> Result<()> {
    const FIELD: &str = "oidc.correlation_rule";
    if wish.correlation_rule.means(before.correlation_rule) {
        return Ok(());
    }
    let description = format!("{FIELD} cannot be changed after creation");
    Err(Error::fields(Rule::Immutable, vec![Violation { field: FIELD.to_owned(), description }]))
}

/// Judges the role that everybody gets at `organization` who logs in: it is handed out as by a binding.
///
/// # Errors
/// Invalid argument for a role that is neither built in nor of the organization; permission denied when it has a capability that the
/// caller does not hold there.
pub(super) async fn check_role(ctx: &Ctx, reader: &mut Reader, organization: &Uidp, spec: &IdentityProviderSpec) -> Result<()> {
    if let Some(role) = role_for(reader, organization, &spec.default_role).await? {
        return require_grantable(ctx, &role.spec.capabilities, organization);
    }
    let description = "default_role must name a built-in role, or a role of the organization".to_owned();
    Err(Error::fields(Rule::OtherOrganization, vec![Violation { field: "default_role".to_owned(), description }]))
}
