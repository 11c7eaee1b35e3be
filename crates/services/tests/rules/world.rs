//! A server without its wires: a store in a folder of its own, the use cases, and actors that call them as the gate
//! would let them.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
};

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::{
    Actor, Caller, Capability, CapabilitySet, Clock, Ctx, Description, Entropy, Error, Etag, Grants, Kind, ListRequest, Name,
    Narrowing, Result, Rule, Timestamp, Uidp, UidpFilter, Versioned as _, Violations,
    error::Detail,
    iam::{
        AccountAssociationSpec, AccountStatus, ClaimMatch, CloudAccount, Group, GroupSpec, Identity, IdentitySpec, Matcher,
        OrgKind, Relationship, Role, RoleBindingSpec, RoleBindingView, RoleSpec,
        identity::{operator_uid, user_uid},
        role::built_in_uid,
    },
    ports::{CheckRelationship, Seal, TryAccount},
    registry::{CatalogTier, Readme, Repo, RepoSpec},
};
use services::{
    AccountAssociations, Bootstrap, Groups, Identities, Repos, RoleBindings, Roles, Settings, WhoAmI,
    bootstrap::Seed,
    iam::{
        identities::{self, KeyLife},
        lookups::UserLookups,
    },
};
use store::{Store, StoreConfig, iam::role_bindings};

/// Where user tokens come from.
pub(crate) const ISSUER: &str = "https://issuer.example";

/// How long static keys may be accepted.
pub(crate) const KEYS: KeyLife = KeyLife { days: 365 };

pub(crate) struct World {
    pub(crate) store: Store,
    pub(crate) groups: Groups,
    pub(crate) identities: Identities,
    pub(crate) roles: Roles,
    pub(crate) role_bindings: RoleBindings,
    pub(crate) account_associations: AccountAssociations,
    pub(crate) repos: Repos,
    pub(crate) whoami: WhoAmI,
    pub(crate) bootstrap: Bootstrap,
    clock: Arc<Hands>,
    entropy: Arc<dyn Entropy>,
    _data: tempfile::TempDir,
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(Settings { self_service_organizations: true, registry_host: "registry.example".into(), ..Settings::default() })
            .await
    }

    pub(crate) async fn with(settings: Settings) -> Self {
        let data = tempfile::tempdir().unwrap();
        let clock = Arc::new(Hands(AtomicI64::new(1_700_000_000_000)));
        let entropy: Arc<dyn Entropy> = Arc::new(Counted::default());
        let store = Store::open(&StoreConfig::sqlite(data.path()), clock.clone(), entropy.clone()).await.unwrap();
        let seal: Arc<dyn Seal> = Arc::new(TestSeal::new());
        let lookups = UserLookups::new(store.clone());
        let identities = identities::Needs { relationships: Arc::new(RefuseParentheses), lookups: lookups.clone() };
        let world = Self {
            groups: Groups::new(store.clone(), seal.clone(), settings.clone()),
            identities: Identities::new(store.clone(), seal.clone(), identities),
            roles: Roles::new(store.clone(), seal.clone(), ()),
            role_bindings: RoleBindings::new(store.clone(), seal.clone(), lookups),
            account_associations: AccountAssociations::new(store.clone(), seal.clone(), Arc::new(NoClouds)),
            repos: Repos::new(store.clone(), seal, settings),
            whoami: WhoAmI::new(store.clone()),
            bootstrap: Bootstrap::new(store.clone()),
            store,
            clock,
            entropy,
            _data: data,
        };
        world.bootstrap.built_in_roles(&world.system()).await.unwrap();
        world
    }

    /// Lets time pass.
    pub(crate) fn wait(&self, seconds: i64) {
        self.clock.0.fetch_add(seconds * 1000, Ordering::SeqCst);
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn system(&self) -> Ctx {
        Ctx::system("test", self.now(), self.entropy.clone())
    }

    /// A call by an operator.
    pub(crate) fn operator(&self) -> Ctx {
        let grants = Grants::everything();
        self.call(caller(&operator_uid(), true, Narrowing::default(), self.now()), grants, &[])
    }

    /// A call by an identity, for a method that needs these capabilities.
    pub(crate) async fn by(&self, identity: &Uidp, needs: &[&str]) -> Ctx {
        self.narrowed(identity, needs, Narrowing::default()).await
    }

    /// A call by an identity whose token is narrowed.
    pub(crate) async fn narrowed(&self, identity: &Uidp, needs: &[&str], narrowing: Narrowing) -> Ctx {
        let mut reader = self.store.reader().await.unwrap();
        let grants = role_bindings::grants_of(&mut reader, identity).await.unwrap();
        let grants = access::narrow(&grants.into_iter().collect(), &narrowing);
        self.call(caller(identity, false, narrowing, self.now()), grants, needs)
    }

    fn call(&self, caller: Caller, grants: Grants, needs: &[&str]) -> Ctx {
        Ctx {
            method: "/test.Service/Method",
            actor: Actor::Caller(Arc::new(caller)),
            grants: Arc::new(grants),
            needed: Some(capabilities(needs)),
            ..self.system()
        }
    }

    /// A new organization and the user that owns it.
    pub(crate) async fn organization(&self, owner: &str) -> (Uidp, Uidp) {
        let seed = Seed {
            organization: name(&format!("{owner}s")),
            owner: name(owner),
            issuer: ISSUER.into(),
            subject: owner.into(),
            email: None,
        };
        let seeded = self.bootstrap.organization(&self.system(), seed).await.unwrap();
        assert_eq!(seeded.owner.uid, user_uid(ISSUER, owner));
        (seeded.organization.uid, seeded.owner.uid)
    }

    /// The entity tag of a group.
    pub(crate) async fn tag(&self, group: &Uidp) -> Etag {
        let found = self.groups.get(&self.operator(), group).await.unwrap();
        self.operator().etag(found.version())
    }

    pub(crate) async fn folder(&self, parent: &Uidp, called: &str) -> Uidp {
        self.groups.create(&self.operator(), Some(parent), group(called)).await.unwrap().uid
    }

    pub(crate) async fn workload(&self, parent: &Uidp, called: &str) -> Uidp {
        self.identities.create(&self.operator(), parent, workload(called), KEYS).await.unwrap().uid
    }

    pub(crate) async fn role(&self, parent: &Uidp, called: &str, names: &[&str]) -> Uidp {
        self.roles.create(&self.operator(), parent, role(called, names)).await.unwrap().uid
    }

    pub(crate) async fn bind(&self, at: &Uidp, identity: &Uidp, role: &Uidp) -> Uidp {
        self.role_bindings.create(&self.operator(), at, binding(identity, role)).await.unwrap().binding.uid
    }

    pub(crate) async fn repo(&self, parent: &Uidp, called: &str) -> Repo {
        self.repos.create(&self.operator(), parent, repo(called)).await.unwrap()
    }
}

pub(crate) fn caller(identity: &Uidp, operator: bool, narrowing: Narrowing, now: Timestamp) -> Caller {
    Caller {
        identity: identity.clone(),
        operator,
        issuer: "https://provost.example".into(),
        audience: vec!["https://provost.example".into()],
        issued_at: now,
        expires_at: now.plus_seconds(3600),
        token_id: "token".into(),
        upstream: None,
        email: None,
        narrowing,
    }
}

pub(crate) fn name(text: &str) -> Name {
    Name::trusted(text)
}

pub(crate) fn group(called: &str) -> GroupSpec {
    GroupSpec { name: name(called), description: Description::default(), verified: false, kind: OrgKind::Unspecified }
}

pub(crate) fn claim_match(subject: &str) -> ClaimMatch {
    ClaimMatch {
        issuer: Matcher::Literal(ISSUER.into()),
        subject: Matcher::Literal(subject.into()),
        audience: None,
        claims: BTreeMap::new(),
        claim_patterns: BTreeMap::new(),
    }
}

pub(crate) fn workload(called: &str) -> IdentitySpec {
    IdentitySpec {
        name: name(called),
        description: Description::default(),
        company: String::new(),
        relationship: Relationship::ClaimMatch(claim_match(called)),
    }
}

pub(crate) fn capabilities(names: &[&str]) -> CapabilitySet {
    names.iter().map(|name| Capability::from_name(name).unwrap()).collect()
}

pub(crate) fn role(called: &str, names: &[&str]) -> RoleSpec {
    RoleSpec { name: name(called), description: Description::default(), capabilities: capabilities(names) }
}

pub(crate) fn binding(identity: &Uidp, role: &Uidp) -> RoleBindingSpec {
    RoleBindingSpec { identity: identity.clone(), role: role.clone() }
}

pub(crate) fn account_association(text: &str) -> AccountAssociationSpec {
    AccountAssociationSpec {
        name: name(text),
        description: Description::default(),
        amazon: Some("123456789012".to_owned()),
        google: None,
        azure: None,
        service_bindings: None,
        github: None,
    }
}

pub(crate) fn repo(called: &str) -> RepoSpec {
    RepoSpec {
        name: name(called),
        description: Description::default(),
        catalog_tier: CatalogTier::Unspecified,
        bundles: Vec::new(),
        aliases: Vec::new(),
        active_tags: Vec::new(),
        sync_config: None,
        custom_overlay: None,
        readme: Readme::default(),
    }
}

pub(crate) fn built_in(called: &str) -> Uidp {
    built_in_uid(called)
}

pub(crate) fn request() -> ListRequest {
    ListRequest::parse(UidpFilter::default(), 0, "", "", 0).unwrap()
}

macro_rules! edits {
    ($($edit:ident: $spec:ty,)*) => { $(
        /// A patch that edits a copy, and insists that no write waits for it.
        pub(crate) fn $edit(change: impl FnOnce(&mut $spec) + Clone + Send + Sync + 'static) -> domain::Patch<$spec> {
            Arc::new(move |current| {
                assert_off_the_writer();
                let mut wish = current.clone();
                change.clone()(&mut wish);
                Ok(wish)
            })
        }
    )* };
}

edits! {
    edit_group: GroupSpec,
    edit_identity: IdentitySpec,
    edit_role: RoleSpec,
    edit_binding: RoleBindingSpec,
    edit_repo: RepoSpec,
}

/// All writes wait for the writer's thread: nothing that may take long runs there.
pub(crate) fn assert_off_the_writer() {
    assert_ne!(std::thread::current().name(), Some("store-writer"), "this keeps everybody's writes waiting");
}

/// The kind and rule of a refusal.
#[track_caller]
pub(crate) fn refused<T: std::fmt::Debug>(result: Result<T>) -> (Kind, Rule) {
    let error = result.unwrap_err();
    (error.kind(), error.rule())
}

/// The fields that a refusal names.
#[track_caller]
pub(crate) fn violated<T: std::fmt::Debug>(result: Result<T>) -> Vec<String> {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), Kind::InvalidArgument, "{error:?}");
    fields(&error)
}

pub(crate) fn fields(error: &Error) -> Vec<String> {
    let violations = error.details().iter().flat_map(|detail| match detail {
        Detail::Fields(violations) => violations.iter().map(|violation| violation.field.clone()).collect(),
        _ => Vec::new(),
    });
    violations.collect()
}

pub(crate) const DENIED: (Kind, Rule) = (Kind::PermissionDenied, Rule::CapabilityMissing);
pub(crate) const ESCALATION: (Kind, Rule) = (Kind::PermissionDenied, Rule::Escalation);
pub(crate) const NAME_TAKEN: (Kind, Rule) = (Kind::AlreadyExists, Rule::NameTaken);
pub(crate) const STALE: (Kind, Rule) = (Kind::Aborted, Rule::EtagMismatch);

/// Identifiers for asserting on whole answers.
pub(crate) trait Uid {
    fn uid(&self) -> Uidp;
}

macro_rules! uid {
    ($($noun:ty => $path:tt),*) => { $(impl Uid for $noun { fn uid(&self) -> Uidp { uid!(@ self $path) } })* };
    (@ $self:ident binding) => { $self.binding.uid.clone() };
    (@ $self:ident uid) => { $self.uid.clone() };
}

uid!(Group => uid, Identity => uid, Role => uid, Repo => uid, RoleBindingView => binding);

pub(crate) fn uids<T: Uid>(items: &[T]) -> Vec<Uidp> {
    items.iter().map(Uid::uid).collect()
}

/// A clock that tests move.
#[derive(Debug)]
struct Hands(AtomicI64);

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}

/// Bytes that never repeat.
#[derive(Debug, Default)]
struct Counted(AtomicU64);

impl Entropy for Counted {
    fn fill(&self, bytes: &mut [u8]) -> Result<()> {
        let count = self.0.fetch_add(1, Ordering::SeqCst).to_be_bytes();
        bytes.iter_mut().rev().zip(count.iter().rev()).for_each(|(to, from)| *to = *from);
        Ok(())
    }
}

/// Authenticated encryption with a key of its own.
pub(crate) struct TestSeal(RandomizedNonceKey);

impl TestSeal {
    pub(crate) fn new() -> Self {
        Self(RandomizedNonceKey::new(&AES_256_GCM, &[7; 32]).unwrap())
    }
}

impl Seal for TestSeal {
    fn seal(&self, purpose: &'static str, plain: &[u8]) -> Result<String> {
        let mut sealed = plain.to_vec();
        let nonce = self.0.seal_in_place_append_tag(Aad::from(purpose), &mut sealed).unwrap();
        Ok(URL_SAFE_NO_PAD.encode([nonce.as_ref().as_slice(), &sealed].concat()))
    }

    fn open(&self, purpose: &'static str, sealed: &str) -> Option<Vec<u8>> {
        let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let (nonce, sealed) = bytes.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut sealed = sealed.to_vec();
        Some(self.0.open_in_place(nonce, Aad::from(purpose), &mut sealed).ok()?.to_vec())
    }

    fn renew(&self, _: &'static str, _: &str) -> Result<Option<String>> {
        Ok(None)
    }
}

/// Stands for the token exchange's own judgement, whose rules are tested there: a pattern must not open what it does
/// not close.
struct RefuseParentheses;

#[async_trait::async_trait]
impl CheckRelationship for RefuseParentheses {
    async fn check(&self, _: &str, relationship: &Relationship, violations: &mut Violations) -> Result<()> {
        assert_off_the_writer();
        if let Relationship::ClaimMatch(ClaimMatch { subject: Matcher::Pattern(pattern), .. }) = relationship
            && pattern == "("
        {
            violations.add("claim_match.subject_pattern", "subject_pattern does not compile");
        }
        Ok(())
    }

    fn check_issuer(&self, _: &str) -> std::result::Result<(), String> {
        Ok(())
    }

    fn warning(&self, _: &Relationship) -> Option<String> {
        None
    }
}

/// What is told of clouds is told at the front door.
struct NoClouds;

#[async_trait::async_trait]
impl TryAccount for NoClouds {
    async fn try_account(&self, _: &Ctx, _: &Uidp, _: CloudAccount<'_>) -> Result<AccountStatus> {
        assert_off_the_writer();
        Ok(AccountStatus::Ready)
    }
}
