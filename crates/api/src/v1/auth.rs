//! Accounts and sessions.

use std::sync::Arc;

use contract::chainguard::platform::auth::{DeletionRequest, RegistrationRequest, Session, WhoAmI as Answer, rpc, who_am_i};
use domain::{Caller, Ctx, Result, Violations};
use services::{
    Identities, Registrations, UseCases, WhoAmI,
    iam::{Access, Account},
};
use sts::Exchange;

use super::{groups, roles};
use crate::{
    endpoint::{Endpoint, on},
    time, uidp,
};

/// The RPCs of accounts. Logging in without a browser is not among them yet.
pub(crate) fn endpoints(use_cases: &UseCases, exchange: &Exchange) -> Vec<Endpoint> {
    vec![
        on(rpc::Validate, &use_cases.who_am_i, validate),
        on(rpc::Register, &(exchange.clone(), use_cases.registrations.clone()), register),
        on(rpc::Delete, &use_cases.identities, delete),
    ]
}

/// Everything that can be wrong with the request is told before its token is looked at.
async fn register(services: Arc<(Exchange, Registrations)>, ctx: Arc<Ctx>, request: RegistrationRequest) -> Result<Session> {
    let (exchange, registrations) = &*services;
    let mut violations = Violations::default();
    let identity = uidp::optional("identity_id", &request.identity_id, &mut violations);
    violations.check()?;
    let who = exchange.registrant(&ctx).await?;
    let session = registrations.register(&ctx, who, &request.code, identity.as_ref()).await?;
    let group = session.group.map(|group| group.to_string()).unwrap_or_default();
    Ok(Session { identity: session.identity.to_string(), group })
}

async fn delete(identities: Arc<Identities>, ctx: Arc<Ctx>, request: DeletionRequest) -> Result<()> {
    identities.delete_own(&ctx, &uidp::one("id", &request.id)?).await
}

async fn validate(who_am_i: Arc<WhoAmI>, ctx: Arc<Ctx>, (): ()) -> Result<Answer> {
    let account = who_am_i.get(&ctx).await?;
    Ok(to_wire(ctx.caller()?, &account))
}

/// The token and what it allows, for an answer. There is no profile as long as no login provider gives one.
fn to_wire(caller: &Caller, account: &Account) -> Answer {
    let told = account.identity.as_ref().and_then(|identity| identity.email.as_ref().or(identity.email_unverified.as_ref()));
    Answer {
        issuer: caller.issuer.clone(),
        subject: caller.identity.to_string(),
        audience: caller.audience.clone(),
        expiry: Some(time::to_wire(caller.expires_at)),
        issued_at: Some(time::to_wire(caller.issued_at)),
        capabilities: account.access.iter().map(access_to_wire).collect(),
        email: told.or(caller.email.as_ref()).cloned().unwrap_or_default(),
        profile: None,
    }
}

/// The capabilities are only spelled out where no role stands for them.
fn access_to_wire(access: &Access) -> who_am_i::Capability {
    let spelled_out = access.role.is_none().then(|| roles::capabilities_to_wire(&access.capabilities));
    who_am_i::Capability {
        group: Some(groups::to_wire(&access.group)),
        role: access.role.as_ref().map(roles::to_wire),
        capabilities: spelled_out.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        CapabilitySet, Description, Name, Narrowing, Revision, Timestamp, Uidp,
        iam::{Group, GroupSpec, OrgKind, OrgStatus, ResourceLimits, Role, RoleSpec},
    };

    use super::*;

    fn caller() -> Caller {
        Caller {
            identity: Uidp::root_from([1; 20]),
            operator: false,
            issuer: "https://issuer.example".into(),
            audience: vec!["https://api.example".into()],
            issued_at: Timestamp::from_seconds(10),
            expires_at: Timestamp::from_seconds(20),
            token_id: "t".into(),
            upstream: None,
            email: Some("a@example.com".into()),
            narrowing: Narrowing::default(),
        }
    }

    fn access(role: bool) -> Access {
        let capabilities = CapabilitySet::from_names(["groups.list"]);
        let (created_at, updated_at, revision) = (Timestamp(0), Timestamp(0), Revision(1));
        let spec = RoleSpec { name: Name::trusted("r"), description: Description::default(), capabilities };
        let role = role.then(|| Role { uid: Uidp::root_from([2; 20]), spec, created_at, updated_at, revision });
        let spec =
            GroupSpec { name: Name::trusted("g"), description: Description::trusted("text"), verified: true, kind: OrgKind::Dev };
        let (uid, resource_limits) = (Uidp::root_from([3; 20]), ResourceLimits::default());
        let group =
            Group { uid, spec, status: OrgStatus::Ready, resource_limits, public: false, created_at, updated_at, revision };
        Access { group, role, capabilities }
    }

    #[test]
    fn the_token_is_explained() {
        let answer = to_wire(&caller(), &Account { identity: None, access: vec![access(true), access(false)] });
        assert_eq!(answer.subject, "01".repeat(20));
        assert_eq!((answer.issuer.as_str(), answer.email.as_str()), ("https://issuer.example", "a@example.com"));
        assert_eq!(answer.audience, ["https://api.example"]);
        assert_eq!(answer.issued_at.map(|time| time.seconds), Some(10));
        assert_eq!(answer.expiry.map(|time| time.seconds), Some(20));
        let [with, without] = answer.capabilities.as_slice() else { panic!("{answer:?}") };
        let group = with.group.as_ref().expect("a group");
        assert_eq!((group.id.as_str(), group.name.as_str(), group.kind, group.status), ("03".repeat(20).as_str(), "g", 3, 2));
        let role = with.role.as_ref().expect("a role");
        assert_eq!((role.name.as_str(), role.capabilities.as_slice()), ("r", &["groups.list".to_owned()][..]));
        assert_eq!(with.capabilities, Vec::<String>::new());
        assert_eq!((without.role.as_ref(), without.capabilities.as_slice()), (None, &["groups.list".to_owned()][..]));
    }
}
