//! Every method of the contract with its handler and who may call it.

use std::{collections::HashSet, fmt};

use contract::{Access, METHODS, Method};
use domain::{Error, EventRule, ports::Preconditions};

use super::Admission;
use crate::{Endpoint, budget::ORDINARY, router::RouterError, settings::Limits};

/// About how many bytes a page of a list has.
const LIST: usize = 64 << 10;

/// The methods of the contract, in its order.
#[derive(Debug)]
pub(crate) struct Methods(Vec<Entry>);

/// A method of the contract in this server.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) method: &'static Method,
    pub(crate) admission: Admission,
    /// Its handler; none when the server does not have it yet.
    pub(crate) endpoint: Option<Endpoint>,
    pub(crate) event: Option<EventRule>,
    pub(crate) api_version: &'static str,
    /// Whether something has to be so beside rights before it is called.
    pub(crate) has_preconditions: bool,
    /// About how many bytes an answer has: a guess before it is made.
    pub(crate) answer_bytes: usize,
}

impl Entry {
    /// How large a request of this method may be.
    pub(crate) fn body_limit(&self, limits: &Limits) -> usize {
        match self.admission {
            Admission::Public => limits.body_bytes.min(limits.public_body_bytes),
            _ => limits.body_bytes,
        }
    }
}

/// Why the server cannot start. Every one is a defect of the contract or of the program, never of the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartError {
    /// A method's annotation cannot be enforced: default deny.
    Access {
        /// The method's full name.
        method: &'static str,
        /// What the annotation lacks.
        problem: String,
    },
    /// The public list names something that is no method without an annotation.
    PublicList(String),
    /// A method has two handlers.
    TwoHandlers(&'static str),
    /// A method has preconditions, and acts at no place where they could be judged.
    Nowhere(&'static str),
    /// An HTTP rule cannot be routed.
    Route(RouterError),
    /// A part that the server cannot do without was not given.
    Missing(&'static str),
    /// The contract's descriptors cannot be served by the reflection service.
    Reflection(String),
}

impl Methods {
    /// Joins the contract with handlers. `public` are the full names (`/package.Service/Method`) of the methods without
    /// annotation that anybody may call, `preconditions` tell which methods they are about.
    pub(crate) fn new(
        endpoints: &[Endpoint],
        public: &[&str],
        preconditions: Option<&dyn Preconditions>,
    ) -> Result<Self, StartError> {
        let mut given = HashSet::new();
        if let Some(twice) = endpoints.iter().find(|endpoint| !given.insert(endpoint.method.index)) {
            return Err(StartError::TwoHandlers(twice.method.path));
        }
        let declared = |name: &&&str| contract::find_method(name).is_none_or(|method| method.access != Access::Undeclared);
        if let Some(name) = public.iter().find(declared) {
            return Err(StartError::PublicList((*name).to_owned()));
        }
        let entry = |method: &'static Method| {
            let admission = match method.access {
                Access::Undeclared if public.contains(&method.path) => Ok(Admission::Public),
                _ => Admission::of(method),
            };
            let admission = admission.map_err(|problem| StartError::Access { method: method.path, problem })?;
            let has_preconditions = preconditions.is_some_and(|preconditions| preconditions.concern(method.path));
            if has_preconditions && !matches!(admission, Admission::Scoped { .. }) {
                return Err(StartError::Nowhere(method.path));
            }
            Ok(Entry {
                method,
                admission,
                has_preconditions,
                endpoint: endpoints.iter().find(|endpoint| endpoint.method.index == method.index).cloned(),
                event: method.event.map(|event| EventRule { kind: event.kind, customer: event.customer }),
                api_version: api_version(method.service),
                answer_bytes: if answers_many(method) { LIST } else { ORDINARY },
            })
        };
        METHODS.iter().map(entry).collect::<Result<_, _>>().map(Self)
    }

    /// The entry of a method.
    ///
    /// # Errors
    /// Internal when the contract's table and this one differ, which they never do.
    pub(crate) fn entry(&self, method: &Method) -> Result<&Entry, Error> {
        self.0.get(method.index).ok_or_else(|| Error::internal(format!("{} is not in the table", method.path)))
    }
}

/// Whether a method answers many of something.
fn answers_many(method: &Method) -> bool {
    let answer = contract::message_descriptor(method.response);
    answer.is_some_and(|answer| answer.fields().any(|field| field.is_list() && field.kind().as_message().is_some()))
}

/// The version in a service's package; packages without one are `v1`.
fn api_version(service: &'static str) -> &'static str {
    let is_version =
        |segment: &&str| segment.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    service.rsplit('.').skip(1).find(is_version).unwrap_or("v1")
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Access { method, problem } => write!(f, "method {method} {problem}"),
            Self::PublicList(name) => write!(f, "the public list names {name}, which is no method without an access annotation"),
            Self::TwoHandlers(method) => write!(f, "method {method} has two handlers"),
            Self::Nowhere(method) => write!(f, "method {method} has preconditions, but acts at no place"),
            Self::Route(error) => error.fmt(f),
            Self::Missing(part) => write!(f, "the server was built without {part}"),
            Self::Reflection(problem) => write!(f, "the reflection service cannot use the contract: {problem}"),
        }
    }
}

impl std::error::Error for StartError {}

#[cfg(test)]
mod tests {
    use contract::chainguard::platform::ping::v2beta1::rpc::Ping;

    use super::*;

    const PUBLIC: [&str; 3] = [
        "/chainguard.platform.oidc.SecurityTokenService/Exchange",
        "/chainguard.platform.oidc.SecurityTokenService/ExchangeRefreshToken",
        "/chainguard.platform.auth.Auth/GetHeadlessSession",
    ];

    fn ping() -> Endpoint {
        Endpoint::new::<Ping, _, _, _>(|_, _| async { Err::<<Ping as contract::Rpc>::Response, _>(Error::internal("unused")) })
    }

    #[test]
    fn every_method_of_the_contract_can_be_enforced() {
        let methods = Methods::new(&[ping()], &PUBLIC, None).unwrap();
        assert_eq!(methods.0.len(), METHODS.len());
        assert_eq!(methods.0.iter().filter(|entry| entry.endpoint.is_some()).count(), 1);
        let public: Vec<_> = methods.0.iter().filter(|e| e.admission == Admission::Public).map(|e| e.method.name).collect();
        let annotated = METHODS.iter().filter(|method| method.access == Access::Public).count();
        assert_eq!(public.len(), annotated + PUBLIC.len());
        assert!(["Register", "GetHeadlessSession", "Exchange", "Ping"].iter().all(|name| public.contains(name)), "{public:?}");
    }

    #[test]
    fn an_undeclared_method_stops_the_start() {
        let error = Methods::new(&[], &PUBLIC[1..], None).unwrap_err().to_string();
        let expected = "method /chainguard.platform.oidc.SecurityTokenService/Exchange says nothing about who may call it \
                        and is not on the public list";
        assert_eq!(error, expected);
    }

    /// Preconditions of one method.
    struct Of(&'static str);

    #[async_trait::async_trait]
    impl Preconditions for Of {
        fn concern(&self, method: &str) -> bool {
            method == self.0
        }

        async fn check(&self, _: &domain::Ctx, _: &domain::Uidp) -> Result<(), Error> {
            Ok(())
        }
    }

    #[test]
    fn preconditions_are_judged_at_a_place() {
        const CREATE: &str = "/chainguard.platform.iam.v2beta1.GroupsService/CreateGroup";
        const UPDATE: &str = "/chainguard.platform.iam.v2beta1.GroupsService/UpdateGroup";
        let methods = Methods::new(&[], &PUBLIC, Some(&Of(UPDATE))).unwrap();
        let judged: Vec<_> = methods.0.iter().filter(|entry| entry.has_preconditions).map(|entry| entry.method.path).collect();
        assert_eq!(judged, [UPDATE]);
        assert_eq!(Methods::new(&[], &PUBLIC, Some(&Of(CREATE))).unwrap_err(), StartError::Nowhere(CREATE));
    }

    #[test]
    fn the_public_list_holds_undeclared_methods_only() {
        let annotated = "/chainguard.platform.iam.v2beta1.GroupsService/GetGroup";
        for name in [annotated, "/no.such/Method"] {
            let list: Vec<_> = PUBLIC.into_iter().chain([name]).collect();
            assert_eq!(Methods::new(&[], &list, None).unwrap_err(), StartError::PublicList(name.to_owned()));
        }
    }

    #[test]
    fn two_handlers_for_a_method_stop_the_start() {
        let error = Methods::new(&[ping(), ping()], &PUBLIC, None).unwrap_err();
        assert_eq!(error, StartError::TwoHandlers("/chainguard.platform.ping.v2beta1.PingService/Ping"));
    }

    #[test]
    fn versions_come_from_the_package() {
        assert_eq!(api_version("chainguard.platform.iam.v2beta1.GroupsService"), "v2beta1");
        assert_eq!(api_version("chainguard.platform.oidc.SecurityTokenService"), "v1");
    }
}
