//! Where things lie, in the names that people gave: `acme/team-a/ci`.

use std::collections::{BTreeSet, HashMap};

use client::Client;
use contract::chainguard::platform::iam::v2beta1::{ListGroupsRequest, rpc::ListGroups};

use crate::{
    exit::{Exit, Failure},
    listing::{all, only},
};

/// The names of groups by UID, as far as the caller may see them.
#[derive(Debug, Default)]
pub(crate) struct Paths(HashMap<String, String>);

impl Paths {
    /// How many UIDs one filter names.
    const BATCH: usize = 100;

    /// The names of every group above `uids`.
    ///
    /// # Errors
    /// When they cannot be listed; a caller who may not see groups gets no names.
    pub(crate) async fn above<'a>(client: &Client, uids: impl IntoIterator<Item = &'a str>) -> Result<Self, Failure> {
        let mut paths = Self::default();
        paths.learn(client, uids).await?;
        Ok(paths)
    }

    /// Adds the names of every group above `uids` that are not known yet.
    ///
    /// # Errors
    /// As [`Paths::above`].
    pub(crate) async fn learn<'a>(&mut self, client: &Client, uids: impl IntoIterator<Item = &'a str>) -> Result<(), Failure> {
        let above: BTreeSet<_> = uids.into_iter().flat_map(ancestors).filter(|uid| !self.0.contains_key(*uid)).collect();
        let above: Vec<_> = above.into_iter().map(str::to_owned).collect();
        for batch in above.chunks(Self::BATCH) {
            let request = ListGroupsRequest { uidp: Some(only(batch.to_vec())), ..ListGroupsRequest::default() };
            match all::<ListGroups>(client, request).await {
                Err(failure) if failure.exit == Exit::Denied => break,
                groups => self.0.extend(groups?.into_iter().map(|group| (group.uid, group.name))),
            }
        }
        Ok(())
    }

    /// Adds the name of a group.
    pub(crate) fn know(&mut self, uid: &str, name: &str) {
        self.0.insert(uid.to_owned(), name.to_owned());
    }

    /// The name of the group that `uid` lies in.
    pub(crate) fn parent(&self, uid: &str) -> Option<&str> {
        self.0.get(uid.rsplit_once('/')?.0).map(String::as_str)
    }

    /// The path of what is called `name` and lies at `uid`. Groups that the caller may not see are `…`.
    pub(crate) fn of(&self, uid: &str, name: &str) -> String {
        let mut above: Vec<_> = ancestors(uid).collect();
        above.reverse();
        let names = above.into_iter().map(|uid| self.0.get(uid).map_or("…", String::as_str));
        names.chain([name]).collect::<Vec<_>>().join("/")
    }

    /// Everything that is known.
    pub(crate) fn into_names(self) -> HashMap<String, String> {
        self.0
    }
}

/// The UIDs above `uid`, the nearest first.
fn ancestors(uid: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(uid), |uid| uid.rsplit_once('/').map(|(parent, _)| parent)).skip(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_at_the_organization() {
        let names = [("a", "acme"), ("a/1", "team")].map(|(uid, name)| (uid.to_owned(), name.to_owned()));
        let paths = Paths(names.into_iter().collect());
        assert_eq!(paths.of("a/1/2", "ci"), "acme/team/ci");
        assert_eq!(paths.of("a/9/2", "ci"), "acme/…/ci");
        assert_eq!((paths.of("u", "user"), paths.parent("a/1/2"), paths.parent("u")), ("user".into(), Some("team"), None));
    }
}
