//! What is told about a request that makes too much of its bytes, or that is none.

use contract::{
    Body, Method,
    bounds::{DEPTH, ELEMENTS, FIELDS, TooMany, Undecodable},
};
use domain::{Error, Rule};

/// The error for a request that was not decoded.
pub(super) fn undecodable(method: &Method, error: Undecodable) -> Error {
    match error {
        Undecodable::Malformed(error) => {
            Error::invalid(Rule::Protobuf, format!("the request is not an encoded {}: {error}", method.request))
        }
        Undecodable::TooMany(too_many) => entries(method, &too_many),
        Undecodable::TooLarge => Error::invalid(
            Rule::TooLarge,
            format!("the lists and maps of the request have more than {ELEMENTS} entries together"),
        ),
        Undecodable::TooManyFields => Error::invalid(Rule::TooLarge, format!("the request has more than {FIELDS} fields")),
        Undecodable::TooDeep => Error::invalid(Rule::TooLarge, format!("the request is nested deeper than {DEPTH} levels")),
    }
}

/// As use cases say it of the same field: those of a resource are named without the field of the request that holds it.
fn entries(method: &Method, TooMany { path, most, may_be_empty }: &TooMany) -> Error {
    let resource = method.http.first().and_then(|rule| match rule.body {
        Body::Field(name) => Some(name),
        Body::All | Body::None => None,
    });
    let within = match path.split_first() {
        Some((first, rest)) if Some(first.as_str()) == resource && !rest.is_empty() => rest,
        _ => path,
    };
    let label = within.last().map_or("the request", String::as_str);
    let description = if *may_be_empty {
        format!("{label} must have at most {most} entries")
    } else {
        format!("{label} must have 1 to {most} entries")
    };
    Error::field(within.join("."), description)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(method: &str, path: &[&str], may_be_empty: bool) -> String {
        let method = contract::find_method(&format!("/chainguard.platform.iam.v2beta1.{method}")).unwrap();
        let path = path.iter().map(|segment| (*segment).to_owned()).collect();
        let error = undecodable(method, Undecodable::TooMany(TooMany { path, most: 25, may_be_empty }));
        assert_eq!(error.rule(), Rule::Field);
        error.message().to_owned()
    }

    #[test]
    fn fields_are_named_as_use_cases_name_them() {
        let batch = "RoleBindingsService/BatchCreateRoleBindings";
        assert_eq!(said(batch, &["requests"], false), "Invalid argument: requests: requests must have 1 to 25 entries");
        let claims = "Invalid argument: claim_match.claims: claims must have at most 25 entries";
        assert_eq!(said("IdentitiesService/CreateIdentity", &["identity", "claim_match", "claims"], true), claims);
        assert_eq!(
            said("GroupsService/ListGroups", &["uidp", "ids"], true),
            "Invalid argument: uidp.ids: ids must have at most 25 entries"
        );
    }

    #[test]
    fn what_is_too_much_as_a_whole_is_too_large() {
        let method = contract::find_method("/chainguard.platform.iam.v2beta1.GroupsService/GetGroup").unwrap();
        for error in [Undecodable::TooLarge, Undecodable::TooManyFields, Undecodable::TooDeep] {
            assert_eq!(undecodable(method, error).rule(), Rule::TooLarge);
        }
    }
}
