//! Dev mode: the first organization and its owner.

use domain::{Name, Uidp};
use services::bootstrap::{Bootstrap, Seed, Seeded};

use super::{Core, record::Record};

/// Whom a server in dev mode knows from the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DevAccount {
    /// The organization `dev`.
    pub organization: Uidp,
    /// The user who owns it: subject `admin` of the development identity provider.
    pub identity: Uidp,
    /// The development identity provider's issuer URL.
    pub issuer: String,
}

/// The owner's subject at the development identity provider.
const SUBJECT: &str = "admin";

/// The development identity provider's issuer URL.
pub(super) fn issuer(base_url: &str) -> String {
    format!("{base_url}{}", devidp::PATH)
}

/// Finds the first organization and its owner, or makes them.
///
/// A user is issuer and subject, and the issuer has the port in its name: on another port the owner is another user,
/// who then becomes an owner of the same organization.
pub(super) async fn account(core: &Core, base_url: &str, last: Option<&Record>) -> domain::Result<DevAccount> {
    let bootstrap = Bootstrap::new(core.store.clone());
    let issuer = issuer(base_url);
    let seed = Seed {
        organization: Name::trusted("dev"),
        owner: Name::trusted(SUBJECT),
        issuer: issuer.clone(),
        subject: SUBJECT.to_owned(),
        email: None,
    };
    let seeded = match bootstrap.owned_by(&issuer, SUBJECT).await? {
        Some(known) => known,
        None => first_time(core, &bootstrap, seed, last).await?,
    };
    Ok(DevAccount { organization: seeded.organization.uid, identity: seeded.owner.uid, issuer })
}

async fn first_time(core: &Core, bootstrap: &Bootstrap, seed: Seed, last: Option<&Record>) -> domain::Result<Seeded> {
    let ctx = core.system("prepare dev mode");
    if let Some(last) = last
        && let Some(known) = bootstrap.owned_by(&self::issuer(&last.base_url), SUBJECT).await?
    {
        tracing::info!(organization = %known.organization.uid, "another port: a further owner for the organization");
        return bootstrap.owner(&ctx, known.organization.uid, seed).await;
    }
    bootstrap.organization(&ctx, seed).await
}
