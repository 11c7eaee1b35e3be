//! The first organization and its owner.

use std::sync::Arc;

use domain::{
    Ctx, Description, Error, Kind, ListRequest, Name, Noun, Op, Result, Rule, Scopes, UidpFilter, Violations,
    iam::{
        ClaimMatch, Group, GroupSpec, Identity, Matcher, OrgKind, Relationship, RoleBinding, RoleBindingView, identity::user_uid,
        role::built_in_uid,
    },
    ports::CheckRelationship,
};
use store::{ListQuery, Reader, Writer, iam::groups::GroupFilter, rows};

use super::Bootstrap;
use crate::{
    iam::{
        groups::{bind_owner, insert},
        identities::{
            KeyLife, check_relationship,
            user::{NewUser, name_of},
        },
        role_bindings::bindings_of,
    },
    texts,
};

/// Longest address of a user in bytes (RFC 5321 section 4.5.3.1: local part, at sign and domain).
const EMAIL: usize = 320;
/// The owner proves itself by claims.
const NO_KEYS: KeyLife = KeyLife { days: 0 };

/// An organization to begin with, and the user that owns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    /// The organization's name.
    pub organization: Name,
    /// The user's name.
    pub owner: Name,
    /// The issuer of the user's tokens.
    pub issuer: String,
    /// The user's subject at that issuer.
    pub subject: String,
    /// The user's address, which whoever plants the seed vouches for.
    pub email: Option<String>,
}

/// What a [`Seed`] became.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeded {
    /// The organization.
    pub organization: Group,
    /// The user that owns it.
    pub owner: Identity,
    /// The binding that says so.
    pub binding: RoleBinding,
}

impl Seed {
    /// A seed that people wrote. The user is called by its address or its subject.
    ///
    /// # Errors
    /// Invalid argument, naming everything that is wrong.
    pub async fn parse(
        organization: &str,
        issuer: String,
        subject: String,
        email: Option<String>,
        now: domain::Timestamp,
        relationships: &dyn CheckRelationship,
    ) -> Result<Self> {
        let mut violations = Violations::default();
        let name = Name::parse("organization", organization, &mut violations);
        let relationship = relationship(&issuer, &subject);
        check_relationship(&relationship, NO_KEYS, now, &mut violations);
        relationships.check(user_uid(&issuer, &subject).root_text(), &relationship, &mut violations).await?;
        if let Some(email) = &email {
            texts::required("email", email, EMAIL, &mut violations);
            if !email.contains('@') || email.contains(char::is_whitespace) {
                violations.add("email", "email must be an address such as ada@example.com");
            }
        }
        violations.check()?;
        let organization = name.ok_or_else(|| Error::internal("a name without violation was not read"))?;
        let owner = name_of(email.as_deref().unwrap_or(&subject));
        Ok(Self { organization, owner, issuer, subject, email })
    }
}

impl Bootstrap {
    /// Makes an organization and its owner, in one transaction. A user that exists already is taken as it is.
    ///
    /// # Errors
    /// What the store answers.
    pub async fn organization(&self, ctx: &Ctx, seed: Seed) -> Result<Seeded> {
        let call = ctx.clone();
        self.store.write(ctx, move |tx| Box::pin(async move { plant(&call, tx, seed).await })).await
    }

    /// As [`Bootstrap::organization`], unless the user owns an organization of that name already. Answers what there is and
    /// whether it is new.
    ///
    /// # Errors
    /// Already exists when there is an organization of that name and it is another's; what the store answers.
    pub async fn organization_once(&self, ctx: &Ctx, seed: Seed) -> Result<(Seeded, bool)> {
        if let Some(known) = planted(&mut self.store.reader().await?, &seed).await? {
            return Ok((known, false));
        }
        let call = ctx.clone();
        let work = self.store.write(ctx, move |tx| {
            Box::pin(async move {
                // Another process may have been faster.
                if let Some(known) = planted(tx, &seed).await? {
                    return Ok((known, false));
                }
                Ok((plant(&call, tx, seed).await?, true))
            })
        });
        work.await
    }
}

async fn plant(ctx: &Ctx, tx: &mut Writer, seed: Seed) -> Result<Seeded> {
    let owner = user(ctx, tx, &seed).await?;
    let spec =
        GroupSpec { name: seed.organization, description: Description::default(), verified: false, kind: OrgKind::Unspecified };
    let organization = insert(ctx, tx, ctx.entropy.root_uidp()?, spec).await?;
    tx.announce(Noun::Group, &organization.uid, Op::Created, &organization).await?;
    let binding = bind_owner(ctx, tx, &organization.uid, &owner.uid).await?;
    Ok(Seeded { organization, owner, binding })
}

/// What the seed has become, if the organization of its name is its user's.
async fn planted(reader: &mut Reader, seed: &Seed) -> Result<Option<Seeded>> {
    let role = built_in_uid("owner");
    let views = bindings_of(reader, &user_uid(&seed.issuer, &seed.subject)).await?;
    let found = views
        .into_iter()
        .find(|view| view.group.uid.is_root() && view.role.uid == role && view.group.spec.name == seed.organization);
    if let Some(RoleBindingView { binding, identity: Some(owner), group: organization, .. }) = found {
        return Ok(Some(Seeded { organization, owner, binding }));
    }
    let request = ListRequest { page_size: 1, ..ListRequest::first(UidpFilter { in_root: true, ..UidpFilter::default() }) };
    let filter = GroupFilter { name: Some(seed.organization.to_string()) };
    let listed = rows::list(reader, &ListQuery::new(Arc::new(Scopes::All), &request, None, filter)).await?;
    let Some(known) = listed.items.first() else { return Ok(None) };
    Err(Error::new(
        Kind::AlreadyExists,
        Rule::NameTaken,
        format!(
            "organization {} exists already ({}), and {} of {} does not own it; choose another name, or let an owner or an operator \
             bind the role owner to the user",
            seed.organization, known.uid, seed.subject, seed.issuer
        ),
    ))
}

fn relationship(issuer: &str, subject: &str) -> Relationship {
    Relationship::ClaimMatch(ClaimMatch {
        issuer: Matcher::Literal(issuer.to_owned()),
        subject: Matcher::Literal(subject.to_owned()),
        audience: None,
        claims: [].into(),
        claim_patterns: [].into(),
    })
}

/// The user of the seed, made if need be.
pub(super) async fn user(ctx: &Ctx, tx: &mut Writer, seed: &Seed) -> Result<Identity> {
    let uid = user_uid(&seed.issuer, &seed.subject);
    if let Some(known) = rows::get::<Identity>(tx, &uid).await? {
        return Ok(known);
    }
    let (name, relationship) = (seed.owner.clone(), relationship(&seed.issuer, &seed.subject));
    let user = NewUser { uid, name, relationship, email: seed.email.clone(), email_unverified: None };
    rows::insert(tx, &user.identity(ctx, tx.revision())?).await
}
