//! The data that is measured.

use domain::{
    Description, Name, Noun, Op, Result as Stored, Revision, Timestamp, Uidp,
    iam::{Group, GroupSpec, OrgKind, OrgStatus, ResourceLimits},
    registry::{CatalogTier, Readme, Repo, RepoSpec},
};
use store::{Store, Writer, rows};

use crate::{Result, served::Server};

/// What everything is called that needs no name of its own.
pub(crate) const NAME: &str = "a folder of ordinary length";
/// What everything says about itself.
pub(crate) const DESCRIPTION: &str = "Made to be measured: what it holds, and why anybody would want it, in one line.";

/// Rows that one write adds: many, because names and UIDs come in no order and a page of an index is seldom written for one
/// row alone, and no more than a database on a busy machine takes before the store gives it up.
const BATCH: u64 = 2_000;

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
        resource_limits: ResourceLimits::default(),
        public: false,
        created_at: now,
        updated_at: now,
        revision: Revision::default(),
    }
}

/// Adds a folder with everything that a request for it would leave behind.
pub(crate) async fn add_folder(tx: &mut Writer, folder: &Group) -> Stored<Group> {
    let folder = rows::insert(tx, folder).await?;
    tx.announce(Noun::Group, &folder.uid, Op::Created, &folder).await?;
    Ok(folder)
}

/// Adds `count` folders below the server's organization; answers the first one.
pub(crate) async fn folders(server: &Server, count: u64) -> Result<Uidp> {
    let (ctx, organization) = (server.ctx("fill"), server.organization.clone());
    let work = server.store.write(&ctx, move |tx| {
        Box::pin(async move {
            let now = tx.now();
            for number in 0..count {
                rows::insert(tx, &folder(&organization, spread(number), now)).await?;
            }
            Ok(organization.child(spread(0).to_be_bytes()))
        })
    });
    Ok(work.await?)
}

/// A server with repositories: so many, all in one folder.
#[derive(Debug)]
pub(crate) struct Filled {
    pub(crate) server: Server,
    pub(crate) rows: u64,
    pub(crate) folder: Uidp,
}

impl Filled {
    /// Adds a folder with `rows` repositories; `told` hears how many there are so far.
    pub(crate) async fn fill(server: Server, rows: u64, told: impl Fn(u64)) -> Result<Self> {
        let folder = folder(&server.organization, rows, server.clock.now());
        let (ctx, uid) = (server.ctx("fill"), folder.uid.clone());
        server.store.write(&ctx, move |tx| Box::pin(async move { add_folder(tx, &folder).await })).await?;
        let mut next = 0;
        while next < rows {
            let (begin, end) = (next, rows.min(next + BATCH));
            add(&server.store, &server, uid.clone(), begin, end).await?;
            next = end;
            told(next);
        }
        Ok(Self { server, rows, folder: uid })
    }

    /// The repository with this number, which is less than that of the rows.
    pub(crate) fn repository(&self, number: u64) -> Uidp {
        repository_uid(&self.folder, number)
    }
}

/// The name of one repository in every scattered folder.
pub(crate) const SHARED: &str = "shared";
/// Scattered folders: twice as many as the most places of a caller.
const SCATTERED: u64 = 2000;

/// Many folders beside a long one, with a few repositories each.
#[derive(Debug)]
pub(crate) struct Scattered {
    /// In the order of their identifiers.
    pub(crate) folders: Vec<Uidp>,
    /// Repositories in each.
    pub(crate) each: u64,
}

impl Scattered {
    /// Adds the folders; all together hold a fifth as many repositories as the long one.
    pub(crate) async fn fill(filled: &Filled) -> Result<Self> {
        let (server, each) = (&filled.server, filled.rows.div_ceil(5 * SCATTERED));
        let (ctx, organization) = (server.ctx("fill"), &server.organization);
        let mut folders = Vec::new();
        for number in 0..SCATTERED {
            let (folder, first) = (folder(organization, spread(number + (1 << 40)), ctx.now), filled.rows + number * each);
            folders.push(folder.uid.clone());
            server.store.write(&ctx, move |tx| Box::pin(async move { hold(tx, &folder, first, each).await })).await?;
        }
        folders.sort();
        Ok(Self { folders, each })
    }
}

/// Adds a folder with repositories from the number `first` on, one of which has the shared name.
async fn hold(tx: &mut Writer, folder: &Group, first: u64, count: u64) -> Stored<()> {
    rows::insert(tx, folder).await?;
    for number in first..first + count {
        let mut repository = repository(&folder.uid, number);
        if number == first {
            repository.spec.name = Name::trusted(SHARED);
        }
        rows::insert(tx, &repository).await?;
    }
    Ok(())
}

async fn add(store: &Store, server: &Server, parent: Uidp, begin: u64, end: u64) -> Result<()> {
    let ctx = server.ctx("fill");
    let work = store.write(&ctx, move |tx| {
        Box::pin(async move {
            for number in begin..end {
                rows::insert(tx, &repository(&parent, number)).await?;
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
        uid: repository_uid(parent, number),
        spec: RepoSpec {
            name: Name::trusted(format!("repo-{:016x}", spread(!number))),
            description: Description::trusted(DESCRIPTION),
            catalog_tier: CatalogTier::Unspecified,
            bundles: Vec::new(),
            aliases: Vec::new(),
            active_tags: Vec::new(),
            sync_config: None,
            custom_overlay: None,
            readme: Readme::default(),
        },
        public: false,
        synced_by: None,
        created_at: at,
        updated_at: at,
        revision: Revision::default(),
    }
}

fn repository_uid(parent: &Uidp, number: u64) -> Uidp {
    parent.child(spread(number).to_be_bytes())
}

/// A bijection that spreads numbers over all of their bits (`SplitMix64`'s finalizer): UIDs are random in life.
pub(crate) fn spread(number: u64) -> u64 {
    let mut word = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// A number of rows as a figure.
#[expect(clippy::cast_precision_loss, reason = "numbers of rows fit in 52 bits")]
pub(crate) fn as_float(rows: u64) -> f64 {
    rows as f64
}
