//! Who may call a method, compiled from its annotation.

use access::Decision;
use contract::{Access, Method};
use domain::{Capability, CapabilitySet, Error, Grants, Rule, Uidp, error::Violation};

/// Who may call a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// Anybody; no token is asked for.
    Public,
    /// Any authenticated caller.
    Anyone,
    /// Who holds all of these where the request acts.
    Scoped {
        /// The capabilities.
        needed: CapabilitySet,
        /// The name of the field that says where.
        field: Box<str>,
    },
    /// Any authenticated caller; what it sees or touches is limited to where it holds all of these.
    Unscoped(CapabilitySet),
}

impl Admission {
    /// Compiles the annotation.
    ///
    /// # Errors
    /// What the annotation lacks. An undeclared method is refused here; whoever may serve it does not ask.
    pub(crate) fn of(method: &Method) -> Result<Self, String> {
        match method.access {
            Access::Undeclared => Err("says nothing about who may call it and is not on the public list".to_owned()),
            Access::Public => Ok(Self::Public),
            Access::Scoped([]) | Access::Unscoped([]) => Ok(Self::Anyone),
            Access::Scoped(numbers) => {
                let field = scope_field(method.request).ok_or("is scoped, but its request has no scope field")?;
                Ok(Self::Scoped { needed: capabilities(numbers)?, field })
            }
            Access::Unscoped(numbers) => Ok(Self::Unscoped(capabilities(numbers)?)),
        }
    }
}

fn capabilities(numbers: &[i32]) -> Result<CapabilitySet, String> {
    let known =
        |number: &i32| Capability::from_number(*number).ok_or_else(|| format!("asks for the unknown capability {number}"));
    numbers.iter().map(known).collect()
}

/// The name of the field whose value says where the request acts: the field itself, or that of the embedded resource, as
/// violations name it.
fn scope_field(message: &str) -> Option<Box<str>> {
    let scope = contract::pool().get_extension_by_name("chainguard.annotations.iam_scope")?;
    let message = contract::message_descriptor(message)?;
    let field = message.fields().find(|field| field.options().has_extension(&scope))?;
    match field.kind() {
        prost_reflect::Kind::Message(resource) => scope_field(resource.full_name()),
        _ => Some(field.name().into()),
    }
}

/// The place that a request names in its scope field.
///
/// # Errors
/// Invalid argument when the field is empty or no UIDP.
pub(crate) fn place(field: &str, text: Option<&str>) -> Result<Uidp, Error> {
    let text = text.unwrap_or_default();
    if text.is_empty() {
        let violation = Violation { field: field.to_owned(), description: format!("{field} is required") };
        return Err(Error::fields(Rule::Required, vec![violation]));
    }
    text.parse().map_err(|problem| Error::field(field, format!("{field} {problem}")))
}

/// Refuses unless all of `needed` is held at the place. The answer is the same whether or not anything is there.
///
/// # Errors
/// Permission denied, naming what is missing and where.
pub(crate) fn decide(grants: &Grants, needed: &CapabilitySet, at: &Uidp) -> Result<(), Error> {
    match access::decide(grants, needed, at) {
        Decision::Allow => Ok(()),
        Decision::Deny { missing } => {
            let message = format!("permission denied: this needs {} at {at}", missing.names().join(", "));
            Err(Error::denied(Rule::CapabilityMissing, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admission(path: &str) -> Result<Admission, String> {
        Admission::of(contract::find_method(path).unwrap())
    }

    #[test]
    fn annotations_become_admissions() {
        let groups = |name: &str| admission(&format!("/chainguard.platform.iam.v2beta1.GroupsService/{name}"));
        let set = |name| CapabilitySet::from_names([name]);
        let scoped = |name| Ok(Admission::Scoped { needed: set(name), field: "uid".into() });
        assert_eq!(groups("GetGroup"), scoped("groups.list"));
        assert_eq!(groups("UpdateGroup"), scoped("groups.update"));
        assert_eq!(groups("ListGroups"), Ok(Admission::Unscoped(set("groups.list"))));
        assert_eq!(groups("CheckEligibility"), Ok(Admission::Anyone));
        assert_eq!(admission("/chainguard.platform.ping.v2beta1.PingService/Ping"), Ok(Admission::Public));
        assert!(admission("/chainguard.platform.oidc.SecurityTokenService/Exchange").is_err());
        let create = admission("/chainguard.platform.iam.v2beta1.RolesService/CreateRole");
        assert_eq!(create, Ok(Admission::Scoped { needed: set("roles.create"), field: "parent".into() }));
    }

    #[test]
    fn places_must_be_uidps() {
        let problem = |text| place("uid", text).map_err(|error| (error.rule(), error.message().to_owned())).unwrap_err();
        assert_eq!(problem(None), (Rule::Required, "Invalid argument: uid: uid is required".to_owned()));
        assert_eq!(problem(Some("")).0, Rule::Required);
        assert!(problem(Some("ab")).1.starts_with("Invalid argument: uid: uid must be a UIDP: "));
        assert!(place("uid", Some(&"a".repeat(40))).is_ok());
    }
}
