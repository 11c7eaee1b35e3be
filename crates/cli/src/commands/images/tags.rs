//! `provost images tags`

use clap::{Args, Subcommand};
use client::Client;
use contract::chainguard::platform::{
    common::UidpFilter,
    registry::v2beta1::{
        CreateTagRequest, DeleteTagRequest, GetTagRequest, ListTagsRequest, Tag,
        rpc::{CreateTag, DeleteTag, GetTag, ListTags},
    },
};
use domain::Uidp;

use crate::{
    confirm::confirm,
    describing::describe,
    exit::{Exit, Failure},
    global::Global,
    listing::{self, Paging, by_name},
    plain::plain,
    resolve::{self, Kind},
    session,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Tags {
    /// List the tags of a repo
    #[command(visible_alias = "ls")]
    List(List),
    /// Show the details of a tag
    Describe(Named),
    /// Create a tag, or move it to another digest
    Create {
        /// The repo, by name, path or UID, and the tag: acme/api:1.2
        #[arg(value_name = "REPO:TAG")]
        tag: String,
        /// The digest of the image: sha256 and 64 hexadecimal digits
        #[arg(long, value_name = "sha256:…")]
        digest: String,
    },
    /// Delete a tag, but not the image
    #[command(visible_alias = "rm")]
    Delete(Named),
}

#[derive(Debug, Args)]
pub(crate) struct Named {
    /// Its UID, or its repo and itself: acme/api:1.2
    #[arg(value_name = "UID|REPO:TAG")]
    tag: String,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct List {
    /// The repo, by name, path or UID
    #[arg(required = true)]
    repo: Option<String>,
    /// Only those of this name
    #[arg(long, default_value = "", hide_default_value = true)]
    name: String,
    /// Only those of this digest
    #[arg(long, default_value = "", hide_default_value = true)]
    digest: String,
    /// Include tags that end in a date, such as 1.2-20260131
    #[arg(long)]
    show_dates: bool,
    /// Include tags that end in an epoch, such as 1.2-r3
    #[arg(long)]
    show_epochs: bool,
    /// Include tags of signatures and attestations
    #[arg(long)]
    show_referrers: bool,
    /// Include all of these
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    paging: Paging,
}

impl Tags {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::List(list) => list.run(global, &client).await,
            Self::Describe(Named { tag }) => {
                let uid = find(global, &client, &tag).await?;
                describe::<GetTag>(global, &client, GetTagRequest { uid }).await
            }
            Self::Create { tag, digest } => {
                let (repo, name) = in_repo(&tag)?;
                let parent = resolve::uid(global, &client, Kind::Repo, Some(repo.to_owned())).await?;
                let tag = Tag { name: name.to_owned(), digest, ..Tag::default() };
                global.output.one(&client.call::<CreateTag>(CreateTagRequest { parent, tag: Some(tag) }).await?)
            }
            Self::Delete(Named { tag }) => {
                let uid = find(global, &client, &tag).await?;
                confirm(global, &format!("delete the tag {}", plain(&tag)))?;
                client.call::<DeleteTag>(DeleteTagRequest { uid: uid.clone() }).await?;
                global.deleted(&uid)
            }
        }
    }
}

impl List {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let repo = resolve::uid(global, client, Kind::Repo, self.repo).await?;
        let request = ListTagsRequest {
            uidp: Some(UidpFilter { children_of: repo, ..UidpFilter::default() }),
            name: self.name,
            digest: self.digest,
            include_dates: self.all || self.show_dates,
            include_epochs: self.all || self.show_epochs,
            include_referrers: self.all || self.show_referrers,
            order_by: by_name(),
            ..ListTagsRequest::default()
        };
        listing::print::<ListTags>(global, client, request, self.paging, |_| true).await
    }
}

/// The UID of the tag that `given` means.
async fn find(global: &Global, client: &Client, given: &str) -> Result<String, Failure> {
    if given.parse::<Uidp>().is_ok() {
        return Ok(given.to_owned());
    }
    let (repo, name) = in_repo(given)?;
    let repo = resolve::uid(global, client, Kind::Repo, Some(repo.to_owned())).await?;
    let request = ListTagsRequest {
        uidp: Some(UidpFilter { children_of: repo, ..UidpFilter::default() }),
        name: name.to_owned(),
        include_dates: true,
        include_epochs: true,
        include_referrers: true,
        ..ListTagsRequest::default()
    };
    let found = listing::first::<ListTags>(client, request, 1).await?.pop();
    found.map(|tag| tag.uid).ok_or_else(|| Failure::new(Exit::NotFound, format!("no tag {given:?} is visible to you")))
}

/// The repo and the tag in it.
fn in_repo(given: &str) -> Result<(&str, &str), Failure> {
    given
        .rsplit_once(':')
        .filter(|(repo, tag)| !repo.is_empty() && !tag.is_empty())
        .ok_or_else(|| Failure::usage(format!("{given:?} names no tag")).hint("write the repo and the tag: acme/api:1.2"))
}
