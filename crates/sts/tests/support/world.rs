//! A whole token service over an empty store, and identities to exchange for.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use domain::{
    Caller, CapabilitySet, Clock, Ctx, Description, Entropy, Error, Grants, LentSecret, Name, Revision, Secret, Timestamp, Uidp,
    iam::{
        Group, GroupSpec, Identity, IdentitySpec, OrgKind, OrgStatus, Relationship, ResourceLimits, Role, RoleBinding,
        RoleBindingSpec, RoleSpec,
        identity::{ClaimMatch, Matcher},
    },
    ports::Authenticate,
};
use serde_json::Value;
use store::{Store, StoreConfig, rows};
use sts::{
    Authenticator, Exchange, ExchangeRequest, IssuedToken, Issuers, Operators, RootKey, Sessions, Settings, SigningKeys, Tokens,
    Workers,
};

pub(crate) const NOW: Timestamp = Timestamp(1_800_000_000_000);
pub(crate) const US: &str = "https://us.example.com";
const METHOD: &str = "/chainguard.platform.oidc.SecurityTokenService/Exchange";

#[derive(Debug)]
pub(crate) struct Standing;

impl Clock for Standing {
    fn now(&self) -> Timestamp {
        NOW
    }
}

#[derive(Debug, Default)]
pub(crate) struct Counting(AtomicU64);

impl Entropy for Counting {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), Error> {
        let next = self.0.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        bytes.iter_mut().rev().zip(next.iter().rev()).for_each(|(to, from)| *to = *from);
        Ok(())
    }
}

pub(crate) struct World {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) store: Store,
    pub(crate) keys: SigningKeys,
    pub(crate) exchange: Exchange,
    pub(crate) authenticator: Authenticator,
    pub(crate) operators: Operators,
    pub(crate) organization: Uidp,
}

pub(crate) async fn open(folder: &Path, entropy: &Arc<dyn Entropy>) -> Store {
    Store::open(&StoreConfig::sqlite(folder), Arc::new(Standing), entropy.clone()).await.expect("a store")
}

impl World {
    pub(crate) async fn new(settings: Settings) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let entropy: Arc<dyn Entropy> = Arc::new(Counting::default());
        let store = open(folder.path(), &entropy).await;
        let root = Arc::new(RootKey::open_or_create(&folder.path().join("key"), &*entropy).expect("a key"));
        let settings = Arc::new(settings);
        let ctx = Ctx::system("sts.keys", NOW, entropy.clone());
        let keys = SigningKeys::open(store.clone(), root.clone(), &settings, Arc::new(Standing), &ctx).await.expect("keys");
        let tokens = Tokens::new(settings.clone(), keys.clone());
        let sessions = Sessions::new(store.clone(), &root, settings.clone()).expect("keys");
        let (issuers, workers) = (Issuers::new(&settings), Workers::new(&settings));
        let exchange = Exchange::new(store.clone(), tokens.clone(), sessions, issuers, settings.clone(), workers);
        let authenticator = Authenticator::new(tokens.clone(), &settings.base_url);
        let operators = Operators::new(store.clone(), tokens, settings.clone());
        let organization = Uidp::root_from([0xaa; 20]);
        let world = Self { folder, entropy, settings, store, keys, exchange, authenticator, operators, organization };
        let group = Group {
            uid: world.organization.clone(),
            spec: GroupSpec {
                name: Name::trusted("acme"),
                description: Description::default(),
                verified: false,
                kind: OrgKind::Unspecified,
            },
            status: OrgStatus::Ready,
            resource_limits: ResourceLimits::default(),
            public: false,
            created_at: NOW,
            updated_at: NOW,
            revision: Revision(0),
        };
        world.store.write(&ctx, move |tx| Box::pin(async move { rows::insert(tx, &group).await })).await.expect("a group");
        world
    }

    pub(crate) fn ctx(&self, bearer: &str, now: Timestamp) -> Ctx {
        Ctx { bearer: Some(Secret::new(bearer.to_owned())), ..Ctx::system(METHOD, now, self.entropy.clone()) }
    }

    pub(crate) async fn identity(&self, relationship: Relationship) -> Uidp {
        let uid = self.entropy.child_uidp(&self.organization).expect("a uid");
        self.identity_at(uid, relationship).await
    }

    pub(crate) async fn identity_at(&self, uid: Uidp, relationship: Relationship) -> Uidp {
        let spec = IdentitySpec {
            name: Name::trusted("robot"),
            description: Description::default(),
            company: String::new(),
            relationship,
        };
        let identity = Identity {
            uid: uid.clone(),
            spec,
            email: None,
            email_unverified: None,
            last_seen_at: NOW,
            created_at: NOW,
            updated_at: NOW,
            relationship_revision: 1,
            revision: Revision(0),
        };
        let ctx = self.ctx("", NOW);
        self.store.write(&ctx, move |tx| Box::pin(async move { rows::insert(tx, &identity).await })).await.expect("an identity");
        uid
    }

    /// Gives the identity another relationship.
    pub(crate) async fn rewrite(&self, uid: &Uidp, relationship: Relationship) {
        let (ctx, uid) = (self.ctx("", NOW), uid.clone());
        let work = self.store.write(&ctx, move |tx| {
            Box::pin(async move {
                let from = rows::get::<Identity>(tx, &uid).await?.expect("an identity");
                let mut to = from.clone();
                to.spec.relationship = relationship;
                rows::update(tx, &from, &to).await
            })
        });
        work.await.expect("written");
    }

    pub(crate) async fn remove(&self, uid: &Uidp) {
        let (ctx, uid) = (self.ctx("", NOW), uid.clone());
        self.store.write(&ctx, move |tx| Box::pin(async move { rows::delete::<Identity>(tx, &uid).await })).await.expect("gone");
    }

    /// Lets the identity do these things in the organization.
    pub(crate) async fn bind(&self, identity: &Uidp, capabilities: &[&str]) {
        let role = Role {
            uid: self.entropy.child_uidp(&self.organization).expect("a uid"),
            spec: RoleSpec {
                name: Name::trusted("some"),
                description: Description::default(),
                capabilities: CapabilitySet::from_names(capabilities.iter().copied()),
            },
            created_at: NOW,
            updated_at: NOW,
            revision: Revision(0),
        };
        let binding = RoleBinding {
            uid: self.entropy.child_uidp(&self.organization).expect("a uid"),
            spec: RoleBindingSpec { identity: identity.clone(), role: role.uid.clone() },
            created_at: NOW,
            updated_at: NOW,
            revision: Revision(0),
        };
        let ctx = self.ctx("", NOW);
        let work = self.store.write(&ctx, move |tx| {
            Box::pin(async move {
                rows::insert(tx, &role).await?;
                rows::insert(tx, &binding).await
            })
        });
        work.await.expect("bound");
    }

    pub(crate) async fn exchange_at(&self, bearer: &str, request: ExchangeRequest, now: Timestamp) -> Result<IssuedToken, Error> {
        self.exchange.exchange(&self.ctx(bearer, now), request).await.map(|granted| granted.token)
    }

    pub(crate) async fn exchange(&self, bearer: &str, request: ExchangeRequest) -> Result<IssuedToken, Error> {
        self.exchange_at(bearer, request, NOW).await
    }

    pub(crate) async fn authenticate(&self, token: &str, now: Timestamp) -> Result<(Arc<Caller>, Arc<Grants>), Error> {
        self.authenticator.authenticate(LentSecret::new(token), now).await
    }
}

/// A request for this identity.
pub(crate) fn target(identity: &Uidp) -> ExchangeRequest {
    ExchangeRequest { identity: identity.to_string(), ..ExchangeRequest::default() }
}

pub(crate) fn rule(issuer: &str, subject: &str) -> ClaimMatch {
    ClaimMatch {
        issuer: Matcher::Literal(issuer.to_owned()),
        subject: Matcher::Literal(subject.to_owned()),
        audience: None,
        claims: [].into(),
        claim_patterns: [].into(),
    }
}

pub(crate) fn claim_match(issuer: &str, subject: &str) -> Relationship {
    Relationship::ClaimMatch(rule(issuer, subject))
}

/// The claims of a token, unverified.
pub(crate) fn claims(token: &IssuedToken) -> Value {
    let payload = token.token.expose().split('.').nth(1).expect("a payload").to_owned();
    let bytes = base64::Engine::decode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, payload).expect("base64url");
    serde_json::from_slice(&bytes).expect("JSON")
}
