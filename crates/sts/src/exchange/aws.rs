//! AWS principals: a signed request in, one of our tokens out.
//!
//! Whether the request is for this server and this identity, and fresh, is judged before AWS is asked; AWS is asked only for an
//! identity that stands for one of its principals; and patterns are compiled only when it has named one.

use domain::{
    Ctx, Error, Narrowing, Rule, Secret, Uidp, Upstream,
    iam::{Identity, identity::Relationship},
};
use serde_json::{Map, Value};
use store::rows;

use super::{Exchange, facts::Facts, lifetime_end, nobody, request::Wish};
use crate::{
    aws::{Principal, RequestError, SignedRequest},
    claims::{ACCOUNT, ARN, Mismatch, USER_ID},
    jws::JwsError,
    token::{Subject, invalid},
    workers::Party,
};

/// What is wrong with a request to AWS that nobody has signed who can be this identity.
const UNSIGNED: &str = "stands for no principal of AWS, or AWS does not accept the signature of the request; sign it with credentials that \
                        are valid now";

impl Exchange {
    /// For a named identity: the AWS principal that has signed the request which the bearer token is. If the token is something else
    /// altogether, `other` says what is wrong with it, whoever the identity is.
    pub(super) async fn aws(
        &self,
        ctx: &Ctx,
        uid: &Uidp,
        bearer: &Secret<String>,
        other: JwsError,
        wish: &Wish,
        facts: &mut Facts,
    ) -> Result<Subject, Error> {
        let issuer = format!("https://{}", self.aws.host());
        let request = SignedRequest::parse(bearer.expose(), self.aws.host()).map_err(|error| match error {
            RequestError::Other => invalid(other),
            malformed @ RequestError::Malformed(_) => Error::unauthenticated(Rule::TokenInvalid, malformed.to_string()),
        })?;
        facts.asked(&issuer);
        self.judge_request(ctx, uid, &request, facts)?;
        let identity = rows::get::<Identity>(&mut self.store.reader().await?, uid).await?;
        let is_aws = |identity: &Identity| matches!(identity.spec.relationship, Relationship::AwsIdentity(_));
        let identity = identity.filter(is_aws).ok_or_else(|| nobody(uid, UNSIGNED, facts))?;
        facts.keys_from = Some("aws");
        // The answer that there is nobody: who has proved nothing does not learn which identities exist (ADR 23).
        let principal = self.aws.principal(&request, &Party::stranger(ctx.peer), &Party::organization(uid)).await?;
        let principal = principal.ok_or_else(|| nobody(uid, UNSIGNED, facts))?;
        facts.principal(&principal);
        let claims = claims(&issuer, &request, &principal);
        let rule = self.compiled.whole(&identity).await?;
        let accepted = self.compiled.admit(&identity, rule, &claims, &self.default_audiences).await?;
        let accepted = accepted.map_err(|mismatch| refuse(uid, &mismatch, facts))?;
        let Principal { account, arn, .. } = principal;
        Ok(Subject {
            identity: identity.uid,
            relationship_revision: identity.relationship_revision,
            audience: wish.audiences.clone().unwrap_or_else(|| vec![self.settings.base_url.clone()]),
            upstream: Some(Upstream {
                aws_account: Some(account),
                aws_arn: Some(arn),
                ..Upstream::new(issuer, accepted.subject, accepted.audience)
            }),
            email: None,
            narrowing: Narrowing { scopes: wish.scopes.clone(), capabilities: wish.capabilities },
            expires_at: lifetime_end(&self.settings, ctx.now),
        })
    }

    /// Judges what the request says of itself, as if it were signed: whether it is, AWS says.
    fn judge_request(&self, ctx: &Ctx, uid: &Uidp, request: &SignedRequest, facts: &mut Facts) -> Result<(), Error> {
        if request.is_early(ctx.now) {
            let message = "the request to AWS was signed in the future; set the clock of the machine that signs";
            return Err(Error::unauthenticated(Rule::TokenInvalid, message));
        }
        if request.is_late(ctx.now) {
            let message = "the request to AWS was signed more than 15 minutes ago; sign a new one";
            return Err(Error::unauthenticated(Rule::TokenExpired, message));
        }
        if !self.default_audiences.contains(&request.audience()) {
            return Err(refuse(uid, &Mismatch("aud".to_owned()), facts));
        }
        if request.identity() != uid.as_str() {
            return Err(refuse(uid, &Mismatch("chainguard-identity".to_owned()), facts));
        }
        Ok(())
    }
}

/// What AWS says of the principal, as claims of a token.
fn claims(issuer: &str, request: &SignedRequest, principal: &Principal) -> Map<String, Value> {
    let claims = [
        ("iss", issuer.to_owned()),
        ("sub", principal.arn.clone()),
        ("aud", request.audience()),
        (ACCOUNT, principal.account.clone()),
        (ARN, principal.arn.clone()),
        (USER_ID, principal.user_id.clone()),
    ];
    claims.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect()
}

fn refuse(uid: &Uidp, mismatch: &Mismatch, facts: &mut Facts) -> Error {
    facts.mismatch(&mismatch.0);
    Error::denied(Rule::ClaimMismatch, format!("identity {uid} does not accept this token: {mismatch}"))
}
