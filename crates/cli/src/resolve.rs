//! From "name or UID", as users write it, to the UID.

use client::Client;
use contract::chainguard::platform::{
    common::UidpFilter,
    iam::v2beta1::{ListGroupsRequest, ListIdentitiesRequest, ListRolesRequest, rpc as iam},
    registry::v2beta1::{ListReposRequest, rpc as registry},
};
use domain::Uidp;

use crate::{
    exit::{Exit, Failure},
    listing::{all, roots},
};

/// An organization.
pub(crate) async fn organization(client: &Client, text: &str) -> Result<String, Failure> {
    group_among(client, text, Some(roots()), "organization", "organizations").await
}

/// An organization or a folder.
pub(crate) async fn group(client: &Client, text: &str) -> Result<String, Failure> {
    group_among(client, text, None, "group", "folders").await
}

async fn group_among(
    client: &Client,
    text: &str,
    uidp: Option<UidpFilter>,
    noun: &str,
    command: &str,
) -> Result<String, Failure> {
    if is_uid(text) {
        return Ok(text.to_owned());
    }
    let named = ListGroupsRequest { name: text.to_owned(), uidp, ..ListGroupsRequest::default() };
    let found = all::<iam::ListGroups>(client, named).await?;
    the_one(noun, &format!("iam {command}"), text, found.into_iter().map(|group| group.uid))
}

/// A group, when one is given.
pub(crate) async fn optional_group(client: &Client, text: Option<&str>) -> Result<Option<String>, Failure> {
    match text {
        Some(text) => Ok(Some(group(client, text).await?)),
        None => Ok(None),
    }
}

/// An identity.
pub(crate) async fn identity(client: &Client, text: &str) -> Result<String, Failure> {
    if is_uid(text) {
        return Ok(text.to_owned());
    }
    let named = ListIdentitiesRequest { name: text.to_owned(), ..ListIdentitiesRequest::default() };
    let found = all::<iam::ListIdentities>(client, named).await?;
    the_one("identity", "iam identities", text, found.into_iter().map(|identity| identity.uid))
}

/// A role, built in or not.
pub(crate) async fn role(client: &Client, text: &str) -> Result<String, Failure> {
    if is_uid(text) {
        return Ok(text.to_owned());
    }
    let named = ListRolesRequest { name: text.to_owned(), ..ListRolesRequest::default() };
    let found = all::<iam::ListRoles>(client, named).await?;
    the_one("role", "iam roles", text, found.into_iter().map(|role| role.uid))
}

/// An image repository.
pub(crate) async fn repo(client: &Client, text: &str) -> Result<String, Failure> {
    if is_uid(text) {
        return Ok(text.to_owned());
    }
    let named = ListReposRequest { name: Some(text.to_owned()), ..ListReposRequest::default() };
    let found = all::<registry::ListRepos>(client, named).await?;
    the_one("repo", "images repos", text, found.into_iter().map(|repo| repo.uid))
}

fn is_uid(text: &str) -> bool {
    text.parse::<Uidp>().is_ok()
}

/// The one UID of `found`, or what is wrong with none or several.
fn the_one(noun: &str, command: &str, name: &str, found: impl Iterator<Item = String>) -> Result<String, Failure> {
    let mut found: Vec<_> = found.collect();
    match (found.pop(), found.as_slice()) {
        (Some(uid), []) => Ok(uid),
        (Some(last), others) => {
            let uids: Vec<_> = others.iter().chain([&last]).take(5).map(String::as_str).collect();
            let more = (others.len() + 1).saturating_sub(uids.len());
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            Err(Failure::usage(format!("the {noun} name {name:?} is ambiguous, it stands for {}{more}", uids.join(", ")))
                .hint("use the UID instead of the name"))
        }
        (None, _) => Err(Failure::new(Exit::NotFound, format!("no {noun} named {name:?} is visible to you"))
            .hint(format!("see which there are: provost {command} list"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(found: &[&str]) -> Result<String, String> {
        let found = found.iter().map(|uid| (*uid).to_owned());
        the_one("role", "iam roles", "x", found).map_err(|failure| failure.to_string())
    }

    #[test]
    fn one_is_taken_none_and_several_are_explained() {
        assert_eq!(told(&["a"]), Ok("a".into()));
        assert_eq!(
            told(&[]),
            Err("error: no role named \"x\" is visible to you\nhint: see which there are: provost iam roles list".into())
        );
        assert_eq!(
            told(&["a", "b", "c", "d", "e", "f", "g"]),
            Err("error: the role name \"x\" is ambiguous, it stands for a, b, c, d, e and 2 more\nhint: use the UID instead of the name"
                .into())
        );
    }
}
