//! A real server per test: on a loopback port, on a fresh database, with time and identifiers under control.

use std::{sync::Arc, time::Duration};

use client::{
    Token,
    http::{Http, Request},
};
use contract::{
    METHODS, Rpc as _,
    chainguard::platform::{
        iam::{
            GroupInviteRequest,
            rpc::CreateWithGroup,
            v2beta1::{
                CreateGroupRequest, CreateIdentityRequest, CreateRoleBindingRequest, Group, Identity, RoleBinding,
                identity::{
                    ClaimMatch, Relationship,
                    claim_match::{Iss, Sub},
                },
                rpc::{CreateGroup, CreateIdentity, CreateRoleBinding},
            },
        },
        oidc::{ExchangeRequest, rpc::Exchange},
    },
};
use domain::{
    Uidp,
    iam::{TermsDocument, role::built_in_uid},
};
use http::{Method, StatusCode};
use serde_json::{Value, json};
use server::{
    Running, Settings, assemble,
    settings::{Events, Outbound, Retention},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::UnixStream,
};

use crate::{
    Actor, CountedEntropy, Doors, Exposition, FixedClock, Transport,
    place::{self, Place},
};

/// A server in development mode that only this test knows.
#[derive(Debug)]
pub struct TestServer {
    running: Box<Running>,
    clock: Arc<FixedClock>,
    entropy: Arc<CountedEntropy>,
    doors: Doors,
    // The server whose identity provider signs: of several nodes the first.
    provider: Doors,
    admin: Token,
    organization: Uidp,
    admin_uid: Uidp,
    terms: Vec<TermsDocument>,
    events: Events,
    // Dropped last: the data goes when the server is gone.
    place: Place,
}

/// What is special about a server. By default nothing is.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Its database, instead of an empty one on the engine of the test run.
    pub database: Option<pgcluster::Database>,
    /// Another URL for that database: through a proxy, or with several hosts.
    pub url: Option<String>,
    /// Where its random bytes begin: servers with the same have the same keys.
    pub entropy: u64,
    /// How it asks others. By default no cloud answers.
    pub outbound: Outbound,
    /// The documents that it knows beside that of the samples.
    pub terms: Vec<TermsDocument>,
    /// The setting `advisories.self-approval`.
    pub self_approval: bool,
    /// How it delivers events. By default it does not: sinks of most tests are nowhere.
    pub events: Events,
    /// How long it keeps what is old.
    pub retention: Retention,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            database: None,
            url: None,
            entropy: 0,
            outbound: place::nowhere(),
            terms: Vec::new(),
            self_approval: false,
            events: Events { at_once: 0, ..Events::default() },
            retention: Retention::default(),
        }
    }
}

impl Setup {
    /// A server that delivers events.
    #[must_use]
    pub fn delivering() -> Self {
        Self { events: Events::default(), ..Self::default() }
    }
}

impl TestServer {
    /// Starts a server with an organization and a user, `admin`, who owns it. Its engine is the one that
    /// `PROVOST_TEST_DATABASE` names: SQLite without it, or `postgres`.
    pub async fn start() -> Self {
        Self::start_with(Setup::default()).await
    }

    /// Starts a server that is special in some way.
    pub async fn start_with(setup: Setup) -> Self {
        let place = match setup.database {
            Some(database) => Place::new(Some(database)),
            None => Place::fresh().await,
        };
        let place = setup.url.map(|url| place.clone().at(url)).unwrap_or(place);
        let (clock, entropy) = (Arc::new(FixedClock::default()), Arc::new(CountedEntropy::from(setup.entropy)));
        let mut settings = Settings { outbound: setup.outbound, ..place.settings() };
        settings.terms.extend(setup.terms);
        settings.self_approval = setup.self_approval;
        settings.events = setup.events;
        settings.retention = setup.retention;
        Self::assemble(place, settings, clock, entropy, None).await
    }

    /// Starts a second node on the database and the key of this one, with a port and a data folder of its own. Both have the
    /// same base URL, and this one's identity provider signs for both.
    ///
    /// Panics on SQLite, whose database is that of one server.
    pub async fn second_node(&self) -> Self {
        self.beside(self.place.beside()).await
    }

    /// A second node that reaches the database by another URL.
    pub async fn second_node_at(&self, url: String) -> Self {
        self.beside(self.place.beside().at(url)).await
    }

    async fn beside(&self, place: Place) -> Self {
        let (base_url, terms, events) = (Some(self.base_url().to_owned()), self.terms.clone(), self.events);
        let settings = Settings { base_url, terms, events, ..place.settings() };
        Self::assemble(place, settings, self.clock.clone(), self.entropy.clone(), Some(self.provider.clone())).await
    }

    async fn assemble(
        place: Place,
        settings: Settings,
        clock: Arc<FixedClock>,
        entropy: Arc<CountedEntropy>,
        provider: Option<Doors>,
    ) -> Self {
        let (terms, events) = (settings.terms.clone(), settings.events);
        let running = Box::new(assemble(settings, clock.clone(), entropy.clone()).await.expect("the server starts"));
        let doors = Doors::open(&format!("http://{}", running.addr), None).await;
        let account = running.dev.clone().expect("development mode knows its owner");
        let mut server = Self {
            running,
            clock,
            entropy,
            provider: provider.unwrap_or_else(|| doors.clone()),
            doors,
            admin: Token::new(""),
            organization: account.organization,
            admin_uid: account.identity,
            terms,
            events,
            place,
        };
        server.admin = server.admin_token().await;
        server
    }

    /// The same server after a restart outside development mode, under its old URL: nobody new can log in, and who has a token
    /// goes on. `self_service` is the setting `organizations.self-service`.
    pub async fn restarted_outside_dev_mode(self, self_service: bool) -> Self {
        let base_url = Some(self.base_url().to_owned());
        self.running.stop().await;
        // Without development mode no cloud may be on this machine.
        let outbound = Outbound::default();
        let settings = Settings {
            dev: false,
            base_url,
            self_service_organizations: self_service,
            outbound,
            events: self.events,
            ..self.place.settings()
        };
        let running = Box::new(assemble(settings, self.clock.clone(), self.entropy.clone()).await.expect("the server starts"));
        let doors = Doors::open(&format!("http://{}", running.addr), None).await;
        Self { running, doors, ..self }
    }

    /// Stops the server; everything that was acknowledged is on disk then.
    pub async fn stop(self) {
        self.running.stop().await;
    }

    /// The server's URL, audience and issuer.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.running.base_url
    }

    /// Where the server tells its metrics.
    #[must_use]
    pub fn metrics_url(&self) -> String {
        format!("http://{}", self.running.metrics_addr.expect("test servers tell their metrics"))
    }

    /// What the server counts, as a scraper reads it.
    ///
    /// # Panics
    /// When it does not tell, or something that no scraper could read.
    pub async fn metrics(&self) -> Exposition {
        let answer = Http::new(&self.metrics_url(), None).expect("a client").send(Request::get("/metrics")).await;
        let answer = answer.expect("an answer");
        assert_eq!(answer.status, StatusCode::OK);
        assert_eq!(answer.headers["content-type"], "application/openmetrics-text; version=1.0.0; charset=utf-8");
        Exposition::parse(&answer.text()).unwrap_or_else(|why| panic!("{why}\n{}", answer.text()))
    }

    /// Host and port.
    #[must_use]
    pub fn host(&self) -> String {
        self.running.addr.to_string()
    }

    /// The organization that is there from the start.
    #[must_use]
    pub fn organization(&self) -> &Uidp {
        &self.organization
    }

    /// The user who owns it.
    #[must_use]
    pub fn admin_uid(&self) -> &Uidp {
        &self.admin_uid
    }

    /// The server's clock.
    #[must_use]
    pub fn clock(&self) -> &FixedClock {
        &self.clock
    }

    /// Asks on the admin socket, as `provost admin` does: one request, and the result of the work.
    pub async fn ask_admin(&self, request: &Value) -> Value {
        let mut socket = UnixStream::connect(self.place.admin_socket()).await.expect("the server has an admin socket");
        socket.write_all(format!("{request}\n").as_bytes()).await.expect("the server listens");
        let mut lines = BufReader::new(socket).lines();
        while let Some(line) = lines.next_line().await.expect("an answer") {
            let line: Value = serde_json::from_str(&line).expect("JSON");
            assert_eq!(line.get("failed"), None, "{request} failed");
            if let Some(done) = line.get("done") {
                return done.clone();
            }
        }
        panic!("the server ends its answer to {request} early");
    }

    /// The store, for what cannot be seen from outside.
    #[must_use]
    pub fn store(&self) -> &store::Store {
        self.running.store()
    }

    /// The development identity provider's issuer URL.
    #[must_use]
    pub fn issuer(&self) -> String {
        format!("{}/dev/idp", self.base_url())
    }

    /// Somebody with this bearer token, whatever it is worth.
    #[must_use]
    pub fn bearer(&self, token: &str) -> Actor {
        let token = Token::new(token);
        Actor { identity: None, token: Some(token.clone()), doors: self.doors.with_token(Some(token)) }
    }

    /// Somebody without a token.
    #[must_use]
    pub fn nobody(&self) -> Actor {
        Actor { identity: None, token: None, doors: self.doors.clone() }
    }

    /// The owner of the organization.
    #[must_use]
    pub fn admin(&self) -> Actor {
        Actor { identity: Some(self.admin_uid.clone()), ..self.bearer(self.admin.expose()) }
    }

    /// The owner with a fresh token, for after the clock was moved.
    pub async fn admin_again(&self) -> Actor {
        Actor { identity: Some(self.admin_uid.clone()), ..self.bearer(self.admin_token().await.expose()) }
    }

    /// An operator of the server.
    pub async fn operator(&self) -> Actor {
        let token = self.running.operators.token(Duration::from_mins(10), "test").await.expect("an operator's token");
        self.bearer(token.expose())
    }

    /// A workload that owns another organization.
    pub async fn stranger(&self) -> Actor {
        let group = Group { name: "strangers".into(), ..Group::default() };
        let elsewhere = CreateGroupRequest { parent: String::new(), group: Some(group) };
        let elsewhere = self.admin().must::<CreateGroup>(elsewhere).await;
        self.workload(&elsewhere.uid.parse().expect("a UIDP"), "stranger", Some("owner")).await
    }

    /// A new workload identity below `parent`, proven by the subject `name` of the development issuer, with a built-in
    /// role there, and an API token.
    pub async fn workload(&self, parent: &Uidp, name: &str, role: Option<&str>) -> Actor {
        let admin = self.admin();
        let accepted =
            ClaimMatch { iss: Some(Iss::Issuer(self.issuer())), sub: Some(Sub::Subject(name.into())), ..ClaimMatch::default() };
        let identity =
            Identity { name: name.into(), relationship: Some(Relationship::ClaimMatch(accepted)), ..Identity::default() };
        let create = CreateIdentityRequest { parent: parent.to_string(), identity: Some(identity) };
        let uid: Uidp = admin.must::<CreateIdentity>(create).await.uid.parse().expect("a UIDP");
        if let Some(role) = role {
            let binding =
                RoleBinding { identity_uid: uid.to_string(), role_uid: built_in_uid(role).to_string(), ..RoleBinding::default() };
            let request = CreateRoleBindingRequest { parent: parent.to_string(), role_binding: Some(binding) };
            admin.must::<CreateRoleBinding>(request).await;
        }
        let upstream = self.mint(name, self.base_url(), json!({})).await;
        let token = self.exchange(&upstream, Some(&uid)).await.expect("the workload gets a token");
        Actor { identity: Some(uid), ..self.bearer(token.expose()) }
    }

    /// A token of the development issuer.
    pub async fn mint(&self, subject: &str, audience: &str, claims: Value) -> String {
        let wish = json!({"sub": subject, "aud": audience, "claims": claims});
        let answer =
            self.provider.http().send(Request::post("/dev/idp/mint", &wish)).await.expect("the identity provider answers");
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["token"].as_str().expect("a token").to_owned()
    }

    /// Exchanges an upstream token, for an identity or for the user that it stands for.
    ///
    /// # Errors
    /// Whatever the server answers.
    pub async fn exchange(&self, upstream: &str, identity: Option<&Uidp>) -> Result<Token, client::Error> {
        let request = ExchangeRequest { identity: identity.map(ToString::to_string).unwrap_or_default(), ..Default::default() };
        let caller = self.bearer(upstream);
        Ok(Token::new(caller.doors.grpc().call::<Exchange>(request).await?.token))
    }

    /// The gRPC paths of the methods that this server serves: those that do not answer UNIMPLEMENTED.
    pub async fn implemented(&self) -> Vec<&'static str> {
        let operator = self.operator().await;
        let mut served = Vec::new();
        for method in METHODS {
            let Some(rule) = method.http.first() else {
                assert_eq!(method.path, CreateWithGroup::METHOD.path, "ask for it here over gRPC, as it has no HTTP binding");
                let asked = operator.call::<CreateWithGroup>(Transport::Grpc, GroupInviteRequest::default()).await;
                if asked.code != "UNIMPLEMENTED" {
                    served.push(method.path);
                }
                continue;
            };
            // Nothing is named that exists, and writes are only rehearsed.
            let path = rule.template.split('{').enumerate().fold(String::new(), |path, (at, part)| {
                path + &if at == 0 {
                    part.to_owned()
                } else {
                    part.split_once('}').map_or("", |(_, rest)| rest).replacen("", "x", 1)
                }
            });
            let verb = Method::from_bytes(rule.verb.as_str().as_bytes()).expect("an HTTP method");
            let request = Request::new(verb, path).header("x-provost-validate-only", "true").json(&json!({}));
            let answer = operator.http(request).await;
            if answer.status == StatusCode::NOT_IMPLEMENTED {
                assert!(answer.text().contains(method.path), "{} leads elsewhere: {}", method.path, answer.text());
            } else {
                served.push(method.path);
            }
        }
        served
    }

    async fn admin_token(&self) -> Token {
        let upstream = self.mint("admin", self.base_url(), json!({})).await;
        self.exchange(&upstream, None).await.expect("the owner gets a token")
    }
}
