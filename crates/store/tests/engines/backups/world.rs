//! A store with something of everything, and everything that is in one.

use domain::{
    Ctx, Error, Kind, Noun, Op, Revision, Rule, Timestamp, Uidp,
    ctx::IdempotencyClaim,
    events::Subscription,
    iam::{
        AccessRequest, AccountAssociation, ExternalGroupRoleMapping, Group, GroupInvite, Identity, IdentityMetadata,
        IdentityProvider, Role, RoleBinding, TermsAcceptance,
    },
    ports::Replay,
    registry::{Deployment, Digest, Overlay, OverlayBinding, RegistrySettings, Repo, Tag},
    vulnerabilities::{Advisory, Vulnerability},
};
use store::{
    AuditEntry, Filter, Later, Store,
    changes::{self, Change},
    events::subscriptions::SubscriptionFilter,
    iam::{
        access_requests::AccessRequestFilter, account_associations::AccountAssociationFilter,
        external_group_role_mappings::ExternalGroupRoleMappingFilter, group_invites::GroupInviteFilter, groups::GroupFilter,
        identities::IdentityFilter, identity_providers::IdentityProviderFilter, role_bindings::RoleBindingFilter,
        roles::RoleFilter, terms::TermsAcceptanceFilter,
    },
    idempotency,
    outbox::{self, Event},
    registry::{
        overlay_bindings::OverlayBindingFilter,
        overlays::OverlayFilter,
        repos::RepoFilter,
        tags::{self, TagFilter},
    },
    rows,
    signing_keys::{self, SigningKey},
    vulnerabilities::{advisories::AdvisoryFilter, known::VulnerabilityFilter},
};

use super::{audit_log, kit};

/// Everything that the store's functions tell, totals included.
#[derive(Debug, PartialEq)]
pub(crate) struct Everything {
    groups: (Vec<Group>, u64),
    identities: (Vec<Identity>, u64),
    roles: (Vec<Role>, u64),
    bindings: (Vec<RoleBinding>, u64),
    providers: (Vec<IdentityProvider>, u64),
    mappings: (Vec<ExternalGroupRoleMapping>, u64),
    associations: (Vec<AccountAssociation>, u64),
    repos: (Vec<Repo>, u64),
    tags: (Vec<Tag>, u64),
    invites: (Vec<GroupInvite>, u64),
    requests: (Vec<AccessRequest>, u64),
    terms: (Vec<TermsAcceptance>, u64),
    metadata: Option<IdentityMetadata>,
    overlays: (Vec<Overlay>, u64),
    overlay_bindings: (Vec<OverlayBinding>, u64),
    deployment: Option<Deployment>,
    settings: Option<RegistrySettings>,
    subscriptions: (Vec<Subscription>, u64),
    advisories: (Vec<Advisory>, u64),
    found: (Vec<Advisory>, u64),
    vulnerabilities: (Vec<Vulnerability>, u64),
    history: Vec<(Timestamp, Digest)>,
    keys: Vec<SigningKey>,
    changes: Vec<Change>,
    events: Vec<Event>,
    replay: Option<Replay>,
    /// The newest first.
    pub(crate) audit: Vec<AuditEntry>,
}

impl Everything {
    /// Takes out what a restore has added, which is its newest, and answers its revision.
    pub(crate) fn take_restore(&mut self) -> Revision {
        let (change, entry) = (self.changes.pop().expect("a change"), self.audit.remove(0));
        assert_eq!((change.noun, change.uid.as_str(), change.op), (Noun::Store, "/", Op::Updated));
        assert_eq!((entry.method.as_str(), entry.revision), (kit::METHOD, Some(change.revision)), "the restore is audited");
        // Tokens of before are refused, by a number that each identity of these tests has had from the start.
        for identity in &mut self.identities.0 {
            assert_ne!(std::mem::replace(&mut identity.relationship_revision, 1), 1, "its tokens have ended");
        }
        change.revision
    }
}

const CLAIM: IdempotencyClaim = IdempotencyClaim { key: [1; 32], request: [2; 32] };

/// All rows of a noun, page by page, and their total.
async fn all<F: Filter + Default>(store: &Store) -> (Vec<F::Row>, u64) {
    let mut query = kit::everything(F::default());
    query.include_roots = true;
    let (mut items, mut total) = (Vec::new(), None);
    loop {
        let mut reader = store.reader().await.expect("reads");
        let page = rows::list(&mut reader, &query).await.expect("a page");
        items.extend(page.items);
        total.get_or_insert(page.total);
        query.cursor = page.next;
        if query.cursor.is_none() {
            break (items, total.unwrap_or_default());
        }
    }
}

/// The advisories that an alias finds: by a table of its own.
async fn found(store: &Store) -> (Vec<Advisory>, u64) {
    let filter = AdvisoryFilter { aliases: vec!["CVE-2024-0001".to_owned()], ..AdvisoryFilter::default() };
    let mut reader = store.reader().await.expect("reads");
    let page = rows::list(&mut reader, &kit::everything(filter)).await.expect("a page");
    (page.items, page.total)
}

pub(crate) async fn everything(store: &Store) -> Everything {
    store.flush().await.expect("written");
    let mut reader = store.reader().await.expect("reads");
    let found = Everything {
        groups: all::<GroupFilter>(store).await,
        identities: all::<IdentityFilter>(store).await,
        roles: all::<RoleFilter>(store).await,
        bindings: all::<RoleBindingFilter>(store).await,
        providers: all::<IdentityProviderFilter>(store).await,
        mappings: all::<ExternalGroupRoleMappingFilter>(store).await,
        associations: all::<AccountAssociationFilter>(store).await,
        repos: all::<RepoFilter>(store).await,
        tags: all::<TagFilter>(store).await,
        invites: all::<GroupInviteFilter>(store).await,
        requests: all::<AccessRequestFilter>(store).await,
        terms: all::<TermsAcceptanceFilter>(store).await,
        metadata: rows::get(&mut reader, &kit::root(55)).await.expect("reads"),
        overlays: all::<OverlayFilter>(store).await,
        overlay_bindings: all::<OverlayBindingFilter>(store).await,
        deployment: rows::get(&mut reader, &first_repo()).await.expect("reads"),
        settings: rows::get(&mut reader, &kit::root(2)).await.expect("reads"),
        subscriptions: all::<SubscriptionFilter>(store).await,
        advisories: all::<AdvisoryFilter>(store).await,
        found: found(store).await,
        vulnerabilities: all::<VulnerabilityFilter>(store).await,
        history: tags::history(&mut reader, &first_tag()).await.expect("a history"),
        keys: signing_keys::list(&mut reader).await.expect("keys"),
        changes: changes::since(&mut reader, Revision(0), 100_000).await.expect("the feed"),
        events: outbox::pending(&mut reader, Revision(0), 100_000).await.expect("events"),
        replay: idempotency::find(&mut reader, &CLAIM, kit::NOW).await.expect("a claim"),
        audit: audit_log(store).await,
    };
    assert_eq!(found.groups.0.len() as u64, found.groups.1, "the total is the number of rows");
    found
}

/// A tag that was made.
fn first_tag() -> Uidp {
    kit::child(&first_repo(), 1)
}

/// A repository that was made.
fn first_repo() -> Uidp {
    kit::child(&kit::child(&kit::root(2), 3), 0)
}

/// The last millisecond that can be told.
const LAST: Timestamp = Timestamp(253_402_300_799_999);

fn key(kid: &str, at: i64) -> SigningKey {
    SigningKey {
        kid: kid.to_owned(),
        algorithm: "ES256".to_owned(),
        private_key: (0..=255).collect(),
        public_jwk: "{}".to_owned(),
        created_at: Timestamp(at),
        not_before_at: Timestamp(at),
        retired_at: (at > 1).then_some(LAST),
        revision: Revision(0),
        code: Vec::new(),
    }
}

pub(crate) async fn add_key(store: &Store, kid: &'static str, at: i64) {
    kit::write(store, move |tx| Box::pin(async move { signing_keys::insert(tx, &key(kid, at)).await })).await.expect("a key");
}

/// Writes something into every table, with more rows than a page of a backup has and gaps between revisions.
pub(crate) async fn fill(store: &Store) -> Everything {
    let bound = kit::bound(store).await;
    let other = kit::org(store, 2).await;
    let provider = kit::identity_provider(kit::child(&bound.org.uid, 20), "login", &bound.role.uid);
    let provider = kit::add(store, provider).await;
    kit::add(store, kit::external_group_role_mapping(kit::child(&provider.uid, 1), "developers", &bound.role.uid)).await;
    for n in 0..700 {
        kit::add(store, kit::group(kit::child(&other.uid, n), &format!("f{}", n % 7))).await;
    }
    let folder = kit::child(&other.uid, 3);
    for n in 0..20 {
        kit::add(store, kit::repo(kit::child(&folder, n), &format!("r{n}"))).await;
        kit::add(store, kit::tag(kit::child(&kit::child(&folder, n), 1), "latest")).await;
        kit::add(store, kit::identity(kit::child(&folder, 100 + n), "robot")).await;
    }
    for group in [&other.uid, &folder] {
        kit::add(store, kit::account_association(group.clone(), "accounts")).await;
    }
    kit::add(store, kit::group_invite(kit::child(&other.uid, 1001), &kit::root(56))).await;
    let overlay = kit::add(store, kit::overlay(kit::child(&other.uid, 1001), "tools")).await;
    kit::add(store, kit::overlay_binding(kit::child(&first_repo(), 2), &overlay.uid)).await;
    kit::add(store, kit::deployment(first_repo())).await;
    kit::add(store, kit::registry_settings(other.uid.clone())).await;
    kit::add_subscription(store, &other, kit::subscription(kit::child(&other.uid, 1000), "https://hooks.example.com")).await;
    kit::add(store, kit::advisory(kit::child(&folder, 2000), "openssl")).await;
    kit::add(store, kit::advisory(kit::child(&other.uid, 2000), "zlib")).await;
    kit::add(store, kit::vulnerability(kit::child(&other.uid, 2001), "CVE-2024-0001")).await;
    let user = kit::add(store, kit::identity(kit::root(55), "user")).await;
    kit::add(store, kit::identity_metadata(user.uid.clone())).await;
    kit::add(store, kit::terms_acceptance(kit::child(&other.uid, 1003), "tos.v1")).await;
    kit::add(store, kit::terms_acceptance(kit::child(&folder, 1003), "tos.v1")).await;
    let asked = kit::access_request(kit::child(&other.uid, 1002), &user.uid);
    kit::add(store, AccessRequest { refused_at: Some(kit::NOW), ..asked }).await;
    kit::add(store, kit::role(kit::root(56), "built-in", &["groups.list"])).await;
    let gone = kit::child(&folder, 7);
    kit::write(store, move |tx| Box::pin(async move { rows::delete::<Repo>(tx, &gone).await })).await.expect("deleted");
    for (kid, at) in [("first", 1), ("second", 2)] {
        add_key(store, kid, at).await;
    }
    let failed = kit::write(store, |_| Box::pin(async { Err::<(), _>(Error::invalid(Rule::Field, "no")) })).await;
    assert_eq!(failed.expect_err("refused").kind(), Kind::InvalidArgument);
    awkward(store, bound.org.uid.clone()).await;
    let refused = AuditEntry::refused(&kit::ctx(), Some("nowhere"), &Error::invalid(Rule::Field, "no"));
    store.later(Later::Audit(Box::new(refused)));
    store.later(Later::Seen { identity: bound.identity.uid, at: kit::at(60).now });
    everything(store).await
}

/// Texts that are hard to write down, an event, and a kept answer.
async fn awkward(store: &Store, org: Uidp) {
    let mut ctx: Ctx = kit::ctx();
    ctx.event = Some(kit::EVENT);
    ctx.idempotency = Some(CLAIM);
    let uid = kit::child(&org, 9);
    let work = store.write(&ctx, move |tx| {
        Box::pin(async move {
            let mut group = kit::group(uid, "a");
            group.spec.description = domain::Description::trusted("\"quoted\"\n\\ \u{1f980} \u{7f} \u{2028} 'x', NULL); --");
            let group = rows::insert(tx, &group).await?;
            tx.announce(Noun::Group, &group.uid, Op::Created, &group).await
        })
    });
    work.await.expect("written");
    let answer = Replay { message: vec![0, 1, 255], etag: Some("\"1\"".to_owned()) };
    store.save_answer(&ctx, &CLAIM, answer).await.expect("kept");
}
