//! What the cases are written with: contexts, nouns and a store to put them in.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use domain::{
    CapabilitySet, Clock, Ctx, Description, Entropy, EventRule, Name, Narrowing, Result, Revision, Scopes, Sealed, Timestamp,
    Uidp, UidpFilter, Upstream,
    events::{Subscription, SubscriptionSpec},
    iam::{
        AccessRequest, AccountAssociation, AccountAssociationSpec, ClaimMatch, CorrelationRule, ExternalGroupRoleMapping,
        ExternalGroupRoleMappingSpec, Group, GroupInvite, GroupInviteSpec, GroupSpec, Identity, IdentityMetadata,
        IdentityMetadataSpec, IdentityProvider, IdentityProviderSpec, IdentitySpec, InviteCheck, Matcher, Oidc, OrgKind,
        OrgStatus, Relationship, ResourceLimits, Role, RoleBinding, RoleBindingSpec, RoleSpec, TermsAcceptance,
    },
    list::Order,
    registry::{
        CatalogTier, Deployment, Digest, HelmChart, Overlay, OverlayBinding, OverlayBindingSpec, OverlaySpec, Readme,
        RegistrySettings, RegistrySettingsSpec, Repo, RepoSpec, Tag, TagName, TagSpec,
    },
    vulnerabilities::{
        Advisory, AdvisoryEvent, AdvisorySpec, EventKind, Fixed, Reference, ReferenceKind, ReviewState, Severity, SeveritySystem,
        Vulnerability, VulnerabilitySpec, advisory_event::Findings,
    },
};
use store::{BoxFuture, ListQuery, Store, Stored, Writer, rows, sessions::Session};

/// A clock that stands still.
#[derive(Debug)]
pub(crate) struct Standing;

impl Clock for Standing {
    fn now(&self) -> Timestamp {
        NOW
    }
}

pub(crate) const NOW: Timestamp = Timestamp(1_700_000_000_000);

/// Counts instead of drawing.
#[derive(Debug, Default)]
pub(crate) struct Counting(AtomicU64);

impl Entropy for Counting {
    fn fill(&self, bytes: &mut [u8]) -> Result<()> {
        let next = self.0.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        bytes.iter_mut().rev().zip(next.iter().rev()).for_each(|(to, from)| *to = *from);
        Ok(())
    }
}

pub(crate) const METHOD: &str = "/test.Service/Method";
pub(crate) const EVENT: EventRule = EventRule { kind: "test.created.v1", customer: true };

/// The context of a request.
pub(crate) fn ctx() -> Ctx {
    let mut ctx = Ctx::system(METHOD, NOW, Arc::new(Counting::default()));
    ctx.api_version = "v2beta1";
    ctx
}

pub(crate) fn at(seconds: i64) -> Ctx {
    let mut ctx = ctx();
    ctx.now = NOW.plus_seconds(seconds);
    ctx
}

/// Writes with a plain context.
pub(crate) async fn write<T, F>(store: &Store, work: F) -> Result<T>
where
    T: Send + 'static,
    F: for<'a> FnOnce(&'a mut Writer) -> BoxFuture<'a, Result<T>> + Clone + Send + 'static,
{
    store.write(&ctx(), work).await
}

/// The root whose 20 bytes are this number.
pub(crate) fn root(n: u64) -> Uidp {
    let mut bytes = [0; 20];
    bytes[12..].copy_from_slice(&n.to_be_bytes());
    Uidp::root_from(bytes)
}

/// The child whose 8 bytes are this number.
pub(crate) fn child(parent: &Uidp, n: u64) -> Uidp {
    parent.child(n.to_be_bytes())
}

pub(crate) fn group(uid: Uidp, name: &str) -> Group {
    Group {
        uid,
        spec: GroupSpec {
            name: Name::trusted(name),
            description: Description::trusted("a group"),
            verified: false,
            kind: OrgKind::Unspecified,
        },
        status: OrgStatus::Ready,
        resource_limits: ResourceLimits::default(),
        public: false,
        created_at: NOW,
        updated_at: NOW,
        revision: Revision(0),
    }
}

pub(crate) fn identity(uid: Uidp, name: &str) -> Identity {
    Identity {
        uid,
        spec: IdentitySpec {
            name: Name::trusted(name),
            description: Description::default(),
            company: "example".to_owned(),
            relationship: claim_match("https://issuer.example", "subject"),
        },
        email: Some("a@example.com".to_owned()),
        email_unverified: None,
        last_seen_at: NOW,
        created_at: NOW,
        updated_at: NOW,
        relationship_revision: 1,
        revision: Revision(0),
    }
}

/// A session of the user that nothing narrows, whose refresh token has this digest.
pub(crate) fn session(n: u64, user: &Identity, digest: u8) -> Session {
    Session {
        uid: format!("{n:032x}"),
        identity: user.uid.clone(),
        relationship_revision: user.relationship_revision,
        provider: None,
        client: "https://us.example".to_owned(),
        upstream: Upstream::new("https://issuer.example".into(), "ann".into(), "https://us.example".into()),
        email: None,
        audiences: vec!["https://us.example".to_owned()],
        narrowing: Narrowing::default(),
        digest: [digest; 32],
        created_at: NOW,
        used_at: NOW,
    }
}

pub(crate) fn claim_match(issuer: &str, subject: &str) -> Relationship {
    Relationship::ClaimMatch(ClaimMatch {
        issuer: Matcher::Literal(issuer.to_owned()),
        subject: Matcher::Pattern(subject.to_owned()),
        audience: None,
        claims: [("repository".to_owned(), "a/b".to_owned())].into(),
        claim_patterns: [].into(),
    })
}

pub(crate) fn role(uid: Uidp, name: &str, capabilities: &[&str]) -> Role {
    Role {
        uid,
        spec: RoleSpec {
            name: Name::trusted(name),
            description: Description::trusted("a role"),
            capabilities: CapabilitySet::from_names(capabilities.iter().copied()),
        },
        created_at: NOW,
        updated_at: NOW,
        revision: Revision(0),
    }
}

pub(crate) fn binding(uid: Uidp, identity: &Uidp, role: &Uidp) -> RoleBinding {
    RoleBinding {
        uid,
        spec: RoleBindingSpec { identity: identity.clone(), role: role.clone() },
        created_at: NOW,
        updated_at: NOW,
        revision: Revision(0),
    }
}

pub(crate) fn identity_provider(uid: Uidp, name: &str, role: &Uidp) -> IdentityProvider {
    let oidc = Oidc {
        issuer: "https://login.example.com".to_owned(),
        client_id: "provost".to_owned(),
        client_secret: Some(Sealed::trusted("c2VhbGVk")),
        additional_scopes: vec!["groups".to_owned(), "email".to_owned()],
        groups_claim: "groups".to_owned(),
        correlation_rule: CorrelationRule::OidEqualsExternalId,
        pkce_enabled: true,
    };
    IdentityProvider {
        uid,
        spec: IdentityProviderSpec {
            name: Name::trusted(name),
            description: Description::trusted("an identity provider"),
            default_role: role.clone(),
            oidc,
        },
        scim: None,
        created_at: NOW,
        updated_at: NOW,
        revision: Revision(0),
    }
}

pub(crate) fn external_group_role_mapping(uid: Uidp, group: &str, role: &Uidp) -> ExternalGroupRoleMapping {
    let spec = ExternalGroupRoleMappingSpec { external_group_id: group.to_owned(), role: role.clone() };
    ExternalGroupRoleMapping { uid, spec, created_at: NOW, updated_at: NOW, revision: Revision(0) }
}

pub(crate) fn account_association(group: Uidp, name: &str) -> AccountAssociation {
    let spec = AccountAssociationSpec {
        name: Name::trusted(name),
        description: Description::trusted("accounts"),
        amazon: Some("123456789012".to_owned()),
        google: None,
        azure: None,
        service_bindings: None,
        github: Some([(1, vec![])].into()),
    };
    AccountAssociation { uid: group, spec, created_at: NOW, updated_at: NOW, revision: Revision(0) }
}

pub(crate) fn repo(uid: Uidp, name: &str) -> Repo {
    Repo {
        uid,
        spec: RepoSpec {
            name: Name::trusted(name),
            description: Description::trusted("a repo"),
            catalog_tier: CatalogTier::Base,
            bundles: vec!["base".to_owned(), "ai".to_owned()],
            aliases: vec!["nginx:latest".to_owned()],
            active_tags: vec![],
            sync_config: None,
            custom_overlay: None,
            readme: Readme::trusted("# A repo\n"),
        },
        public: false,
        synced_by: None,
        created_at: NOW,
        updated_at: NOW,
        revision: Revision(0),
    }
}

pub(crate) fn tag(uid: Uidp, name: &str) -> Tag {
    let spec = TagSpec {
        name: TagName::trusted(name),
        digest: Some(digest(1)),
        deprecated: true,
        bundles: vec!["base".to_owned(), "ai".to_owned()],
    };
    Tag { uid, spec, created_at: NOW, updated_at: NOW, revision: Revision(0) }
}

pub(crate) fn group_invite(uid: Uidp, role: &Uidp) -> GroupInvite {
    let spec = GroupInviteSpec { role: role.clone(), email: "ana@example.com".to_owned(), single_use: true };
    let key_id = uid.as_str().rsplit('/').next().unwrap_or_default().to_owned();
    let check = InviteCheck { key_id, digest: "0a".repeat(32) };
    let expires_at = NOW.plus_seconds(60);
    GroupInvite { uid, spec, expires_at, check, created_at: NOW, updated_at: NOW, revision: Revision(0) }
}

pub(crate) fn access_request(uid: Uidp, identity: &Uidp) -> AccessRequest {
    let (identity, email) = (identity.clone(), "ana@example.com".to_owned());
    AccessRequest { uid, identity, email, refused_at: None, created_at: NOW, updated_at: NOW, revision: Revision(0) }
}

pub(crate) fn terms_acceptance(uid: Uidp, document: &str) -> TermsAcceptance {
    let (document, accepted_by) = (document.to_owned(), root(77));
    TermsAcceptance { uid, document, accepted_by, created_at: NOW, updated_at: NOW, revision: Revision(0) }
}

pub(crate) fn identity_metadata(user: Uidp) -> IdentityMetadata {
    let spec = IdentityMetadataSpec {
        company: "Acme".to_owned(),
        updates_opt_in: true,
        providers: vec!["aws".to_owned()],
        ..IdentityMetadataSpec::default()
    };
    IdentityMetadata { uid: user, spec, created_at: NOW, updated_at: NOW, revision: Revision(0) }
}

pub(crate) fn overlay(uid: Uidp, name: &str) -> Overlay {
    let spec = OverlaySpec { name: Name::trusted(name), packages: vec!["curl".to_owned(), "bash".to_owned()] };
    Overlay { uid, spec, created_at: NOW, updated_at: NOW, revision: Revision(0) }
}

pub(crate) fn overlay_binding(uid: Uidp, overlay: &Uidp) -> OverlayBinding {
    let spec = OverlayBindingSpec { overlay: overlay.clone(), tags: vec![TagName::trusted("latest")] };
    OverlayBinding { uid, spec, created_at: NOW, updated_at: NOW, revision: Revision(0) }
}

pub(crate) fn deployment(repo: Uidp) -> Deployment {
    let repo_of_charts = "oci://charts.example.com".to_owned();
    let charts = vec![HelmChart { source: Some(String::new()), repo: repo_of_charts, chart: None }];
    Deployment { uid: repo, charts, created_at: NOW, updated_at: NOW, revision: Revision(0) }
}

pub(crate) fn registry_settings(group: Uidp) -> RegistrySettings {
    let spec = RegistrySettingsSpec { unique_tags: true, eol_grace_period: false };
    RegistrySettings { uid: group, spec, created_at: NOW, updated_at: NOW, revision: Revision(0) }
}

pub(crate) fn subscription(uid: Uidp, sink: &str) -> Subscription {
    let spec = SubscriptionSpec { sink: sink.to_owned() };
    Subscription { uid, spec, created_at: NOW, updated_at: NOW, revision: Revision(0) }
}

/// An advisory with one event, which is approved: what was found was fixed.
pub(crate) fn advisory(uid: Uidp, artifact: &str) -> Advisory {
    let fixed = Fixed { version: "1.2.3-r0".to_owned(), note: "two\nlines".to_owned(), ..Fixed::default() };
    let events = vec![advisory_event(&uid, 1, EventKind::Fixed(fixed), ReviewState::Approved)];
    let spec = AdvisorySpec {
        artifact_name: artifact.to_owned(),
        artifact_type: "apk".to_owned(),
        artifact_architecture: "x86_64".to_owned(),
        component_name: Some("LibCrypto".to_owned()),
        component_location: None,
        component_type: Some("apk".to_owned()),
        aliases: vec!["CVE-2024-0001".to_owned(), "GHSA-aaaa-bbbb-cccc".to_owned()],
        author: "ana".to_owned(),
        legacy_id: Some("LEGACY-1".to_owned()),
    };
    Advisory { uid, spec, events, withdrawn_at: None, created_at: NOW, updated_at: NOW, revision: Revision(0) }
}

pub(crate) fn advisory_event(advisory: &Uidp, n: u64, kind: EventKind, review: ReviewState) -> AdvisoryEvent {
    AdvisoryEvent {
        uid: child(advisory, n),
        at: NOW.plus_seconds(i64::try_from(n).expect("a small number")),
        kind,
        findings: Findings(vec![0, 159, 146, 150]),
        author: "scanner".to_owned(),
        reviewer: if review == ReviewState::Pending { String::new() } else { "ben".to_owned() },
        review,
        issue: Some("https://issues.example/1".to_owned()),
        written_by: root(9),
    }
}

pub(crate) fn vulnerability(uid: Uidp, id: &str) -> Vulnerability {
    let severity = Severity { system: SeveritySystem::CvssV3, score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H".to_owned() };
    let spec = VulnerabilitySpec {
        id: id.to_owned(),
        aliases: vec!["CVE-2024-0001".to_owned()],
        summary: "A use after free".to_owned(),
        details: "# What\n\nIt is bad.".to_owned(),
        references: vec![Reference { kind: ReferenceKind::Fix, url: "https://example.com/fix".to_owned() }],
        severities: vec![severity],
        withdrawn_at: None,
    };
    Vulnerability { uid, spec, created_at: NOW, updated_at: NOW, revision: Revision(0) }
}

/// The digest that ends in this number.
pub(crate) fn digest(n: u64) -> Digest {
    Digest::trusted(format!("sha256:{n:064x}"))
}

/// Adds a row.
pub(crate) async fn add<T: Stored>(store: &Store, row: T) -> T {
    write(store, |tx| Box::pin(async move { rows::insert(tx, &row).await })).await.expect("is added")
}

/// Adds a subscription to a group.
pub(crate) async fn add_subscription(store: &Store, group: &Group, row: Subscription) -> Subscription {
    let group = group.clone();
    write(store, |tx| Box::pin(async move { rows::insert_in(tx, &group, &row).await })).await.expect("is added")
}

/// An organization.
pub(crate) async fn org(store: &Store, n: u64) -> Group {
    add(store, group(root(n), &format!("org-{n}"))).await
}

/// An organization with an identity that holds a role there.
pub(crate) struct Bound {
    pub(crate) org: Group,
    pub(crate) identity: Identity,
    pub(crate) role: Role,
    pub(crate) binding: RoleBinding,
}

pub(crate) async fn bound(store: &Store) -> Bound {
    let org = org(store, 1).await;
    let identity = add(store, identity(child(&org.uid, 1), "robot")).await;
    let role = add(store, role(child(&org.uid, 2), "reader", &["groups.list", "repo.list"])).await;
    let binding = add(store, binding(child(&org.uid, 3), &identity.uid, &role.uid)).await;
    Bound { org, identity, role, binding }
}

/// A query for everything.
pub(crate) fn everything<F>(filter: F) -> ListQuery<F> {
    ListQuery {
        scopes: Arc::new(Scopes::All),
        include_roots: false,
        uidp: UidpFilter::default(),
        order: Order::default(),
        page_size: 200,
        skip: 0,
        cursor: None,
        filter,
    }
}
