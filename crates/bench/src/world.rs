//! The data that is measured.

use domain::{
    Description, Name, Noun, Op, Result as Stored, Revision, Timestamp, Uidp,
    iam::{Group, GroupSpec, OrgKind, OrgStatus},
    registry::{CatalogTier, Repo, RepoSpec},
};
use store::{Store, Writer, iam::groups, registry::repos};

use crate::{Result, host::Server};

/// What everything is called that needs no name of its own.
pub(crate) const NAME: &str = "a folder of ordinary length";
/// What everything says about itself.
pub(crate) const DESCRIPTION: &str = "Made to be measured: what it holds, and why anybody would want it, in one line.";

/// Rows that one write adds. Names and UIDs come in no order, so that a page of an index is rarely written for one row alone.
const BATCH: u64 = 20_000;

/// A folder below `parent`.
pub(crate) fn folder(parent: &Uidp, number: u64, now: Timestamp) -> Group {
    Group {
        uid: parent.child(number.to_be_bytes()),
        spec: GroupSpec {
            name: Name::trusted(NAME),
            description: Description::trusted(DESCRIPTION),
            verified: false,
            kind: OrgKind::Unspecified,
        },
        status: OrgStatus::Ready,
        created_at: now,
        updated_at: now,
        revision: Revision::default(),
    }
}

/// Adds a folder with everything that a request for it would leave behind.
pub(crate) async fn add_folder(tx: &mut Writer, folder: &Group) -> Stored<Group> {
    let folder = groups::insert(tx, folder).await?;
    tx.announce(Noun::Group, folder.uid.as_str(), Op::Created, folder.uid.as_str(), &folder).await?;
    Ok(folder)
}

/// Adds `count` folders below the server's organization; answers the first one.
pub(crate) async fn folders(server: &Server, count: u64) -> Result<Uidp> {
    let (ctx, organization) = (server.ctx("fill"), server.organization.clone());
    let work = server.store.write(&ctx, move |tx| {
        Box::pin(async move {
            let now = tx.now();
            for number in 0..count {
                groups::insert(tx, &folder(&organization, spread(number), now)).await?;
            }
            Ok(organization.child(spread(0).to_be_bytes()))
        })
    });
    Ok(work.await?)
}

/// Adds the repositories with the numbers `from..to` below `parent`, told as they are added.
pub(crate) async fn repositories(server: &Server, parent: &Uidp, from: u64, to: u64, told: impl Fn(u64)) -> Result<()> {
    let mut next = from;
    while next < to {
        let (begin, end) = (next, to.min(next + BATCH));
        add(&server.store, server, parent.clone(), begin, end).await?;
        next = end;
        told(next);
    }
    Ok(())
}

async fn add(store: &Store, server: &Server, parent: Uidp, begin: u64, end: u64) -> Result<()> {
    let ctx = server.ctx("fill");
    let work = store.write(&ctx, move |tx| {
        Box::pin(async move {
            for number in begin..end {
                repos::insert(tx, &repository(&parent, number)).await?;
            }
            Ok(())
        })
    });
    Ok(work.await?)
}

/// A repository whose UID, name and time come in different orders.
fn repository(parent: &Uidp, number: u64) -> Repo {
    // A millisecond each, from the beginning of 2026 on, but not in the order in which they are written.
    let at = Timestamp(1_767_225_600_000 + i64::try_from(number ^ 0x2a5).unwrap_or(i64::MAX));
    Repo {
        uid: parent.child(spread(number).to_be_bytes()),
        spec: RepoSpec {
            name: Name::trusted(format!("repo-{:016x}", spread(!number))),
            description: Description::trusted(DESCRIPTION),
            catalog_tier: CatalogTier::Unspecified,
            bundles: Vec::new(),
            aliases: Vec::new(),
            active_tags: Vec::new(),
            sync_config: None,
            custom_overlay: None,
        },
        created_at: at,
        updated_at: at,
        revision: Revision::default(),
    }
}

/// A bijection that spreads numbers over all of their bits (`SplitMix64`'s finalizer): UIDs are random in life.
pub(crate) fn spread(number: u64) -> u64 {
    let mut word = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
