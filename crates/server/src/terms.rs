//! Which terms a server may be told.

use std::collections::BTreeSet;

use contract::{Access, METHODS, Method};
use domain::iam::TermsDocument;
use url::Url;

use super::StartError;

/// Methods by which documents are read about and accepted: they need none.
const OF_TERMS: [&str; 2] = ["chainguard.platform.iam.Terms", "chainguard.platform.iam.v2beta1.TermsService"];

/// Refuses documents that could not be told apart, read, or asked for.
///
/// # Errors
/// Says which document is wrong, and what to write instead.
pub(crate) fn check(documents: &[TermsDocument]) -> Result<(), StartError> {
    if documents.len() > TermsDocument::MAX {
        return refuse(format!("terms has {} documents; at most {} can be named", documents.len(), TermsDocument::MAX));
    }
    let mut ids = BTreeSet::new();
    for document in documents {
        check_texts(document)?;
        if !ids.insert(&document.id) {
            return refuse(format!("terms names the document {:?} twice; write it once, with all of its methods", document.id));
        }
        document.methods.iter().try_for_each(|method| check_method(&document.id, method))?;
    }
    Ok(())
}

fn check_texts(TermsDocument { id, label, url, .. }: &TermsDocument) -> Result<(), StartError> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if id.is_empty() || id.len() > TermsDocument::MAX_ID || !id.chars().all(is_letter) {
        let most = TermsDocument::MAX_ID;
        return refuse(format!("the id {id:?} in terms must be 1 to {most} letters, digits, `.`, `_` or `-`, such as tos.v1"));
    }
    if label.trim().is_empty() || label.len() > TermsDocument::MAX_LABEL || label.chars().any(char::is_control) {
        let most = TermsDocument::MAX_LABEL;
        return refuse(format!("the label of the document {id} in terms must be its title, in one line of 1 to {most} bytes"));
    }
    let is_good = url.len() <= TermsDocument::MAX_URL
        && Url::parse(url).is_ok_and(|url| url.scheme() == "https" && url.username().is_empty() && url.password().is_none());
    if is_good {
        return Ok(());
    }
    let most = TermsDocument::MAX_URL;
    refuse(format!(
        "the url {url:?} of the document {id} in terms must be an https URL without a user, of at most {most} bytes, where \
         people can read it"
    ))
}

fn check_method(id: &str, name: &str) -> Result<(), StartError> {
    let Some(method) = METHODS.iter().find(|method| full_name(method) == name) else {
        return refuse(unknown(id, name));
    };
    if OF_TERMS.contains(&method.service) {
        return refuse(format!("the document {id} in terms cannot be needed by {name}, by which it is accepted; leave that out"));
    }
    match method.access {
        Access::Scoped(capabilities) if !capabilities.is_empty() => Ok(()),
        _ => refuse(format!(
            "the document {id} in terms cannot be needed by {name}, whose requests name no group in which it could be accepted; \
             name methods that are `scoped` in docs/api/methods.txt"
        )),
    }
}

/// The method's name without the slash before it.
fn full_name(method: &Method) -> &'static str {
    method.path.trim_start_matches('/')
}

/// Says what was probably meant: the same method with a slash or as an HTTP path writes it, or one of another service.
fn unknown(id: &str, name: &str) -> String {
    let last = name.rsplit(['/', '.']).next().unwrap_or(name);
    let mut meant: Vec<_> = METHODS.iter().filter(|method| method.name == last).map(full_name).take(4).collect();
    if meant.is_empty() {
        meant.push("chainguard.platform.registry.v2beta1.ReposService/CreateRepo");
    }
    format!(
        "there is no method {name:?}, which needs the document {id} in terms; write package.Service/Method, such as {}",
        meant.join(" or ")
    )
}

fn refuse(why: String) -> Result<(), StartError> {
    Err(StartError::setting(why))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> TermsDocument {
        TermsDocument {
            id: "tos.v1".into(),
            label: "Terms of service".into(),
            url: "https://example.com/tos".into(),
            methods: vec!["chainguard.platform.registry.v2beta1.ReposService/CreateRepo".into()],
        }
    }

    fn refused(change: impl Fn(&mut TermsDocument)) -> String {
        let mut document = document();
        change(&mut document);
        check(&[document]).map_or_else(|error| error.to_string(), |()| "fine".to_owned())
    }

    #[test]
    fn what_is_wrong_is_told_with_what_would_be_right() {
        assert_eq!(refused(|_| {}), "fine");
        assert_eq!(refused(|document| document.methods.clear()), "fine");
        for id in ["", "a b", "a|b", "ä", &"a".repeat(101)] {
            assert!(refused(|document| document.id = id.into()).ends_with("such as tos.v1"), "{id}");
        }
        for label in ["", " ", "a\nb"] {
            assert!(refused(|document| document.label = label.into()).contains("the label of the document tos.v1"), "{label:?}");
        }
        for url in ["", "example.com", "http://example.com", "https://", "https://u@example.com", "ftp://example.com"] {
            assert!(refused(|document| document.url = url.into()).contains("must be an https URL"), "{url}");
        }
    }

    #[test]
    fn methods_are_those_that_act_in_a_group() {
        let method = |name: &str| refused(|document| document.methods = vec![name.into()]);
        let suggested = "such as chainguard.platform.iam.v2beta1.GroupsService/UpdateGroup";
        assert!(method("/chainguard.platform.iam.v2beta1.GroupsService/UpdateGroup").ends_with(suggested));
        assert!(method("UpdateGroup").ends_with(suggested), "{}", method("UpdateGroup"));
        assert!(method("nonsense").contains("write package.Service/Method"));
        for name in [
            "chainguard.platform.iam.v2beta1.GroupsService/ListGroups",
            "chainguard.platform.iam.v2beta1.GroupsService/LookupGroup",
            "chainguard.platform.ping.v2beta1.PingService/Ping",
            "chainguard.platform.oidc.SecurityTokenService/Exchange",
        ] {
            assert!(method(name).contains("name no group"), "{name}: {}", method(name));
        }
        assert!(method("chainguard.platform.iam.v2beta1.TermsService/AcceptTerms").contains("by which it is accepted"));
    }

    #[test]
    fn documents_are_few_and_each_has_its_own_id() {
        let told = |documents: &[TermsDocument]| check(documents).expect_err("too many").to_string();
        assert!(told(&[document(), document()]).contains("\"tos.v1\" twice"));
        assert!(told(&vec![document(); 33]).contains("33 documents"));
    }
}
