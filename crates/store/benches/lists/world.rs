//! An organization with very many repositories.

use domain::{Timestamp, Uidp, iam::Group};
use store::{Store, rows};

use crate::kit;

/// Rows of one write.
const WRITE: u64 = 5000;
/// The name of one repository in each of the small folders.
pub(crate) const COMMON: &str = "common";
/// Folders beside the large one.
const FOLDERS: u64 = 1000;
/// Folders in the large one.
const WITHIN: u64 = 50;

/// 60 % of the rows are below one folder, half of those in folders of its own, the others spread over [`FOLDERS`] more. The order of names and the order of times have
/// nothing to do with the order of identifiers.
pub(crate) struct World {
    pub(crate) org: Uidp,
    pub(crate) large: Uidp,
    pub(crate) rows: u64,
}

impl World {
    pub(crate) fn new(rows: u64) -> Self {
        let org = kit::root(1);
        Self { large: kit::child(&org, FOLDERS / 2), org, rows }
    }

    /// `n` of the small folders, spread over all of them.
    pub(crate) fn scattered(&self, n: u64) -> Vec<Uidp> {
        (0..n).map(|at| self.folder(at * FOLDERS / n)).collect()
    }

    fn folder(&self, n: u64) -> Uidp {
        // The large one has the number in the middle.
        kit::child(&self.org, n + u64::from(n >= FOLDERS / 2))
    }

    /// A folder in the large one.
    fn within(&self, n: u64) -> Uidp {
        kit::child(&self.large, n)
    }

    /// Fills the store unless it has been filled before; says whether it did.
    pub(crate) async fn fill(&self, store: &Store) -> bool {
        let there = rows::get::<Group>(&mut store.reader().await.expect("reads"), &self.org).await.expect("reads").is_some();
        if there {
            return false;
        }
        let within = (0..WITHIN).map(|n| self.within(n));
        let folders: Vec<_> = (0..FOLDERS).map(|n| self.folder(n)).chain([self.large.clone()]).chain(within).collect();
        let org = self.org.clone();
        let groups = [org].into_iter().chain(folders).collect::<Vec<_>>();
        kit::write(store, |tx| {
            Box::pin(async move {
                for (n, uid) in groups.into_iter().enumerate() {
                    rows::insert(tx, &kit::group(uid, &format!("folder-{n}"))).await?;
                }
                Ok(())
            })
        })
        .await
        .expect("adds the folders");
        for from in (0..self.rows).step_by(usize::try_from(WRITE).expect("fits")) {
            let rows: Vec<_> = (from..self.rows.min(from + WRITE)).map(|n| self.row(n)).collect();
            kit::write(store, |tx| {
                Box::pin(async move {
                    for row in rows {
                        rows::insert(tx, &row).await?;
                    }
                    Ok(())
                })
            })
            .await
            .expect("adds rows");
        }
        true
    }

    fn row(&self, n: u64) -> domain::registry::Repo {
        let (large, small) = (self.rows * 6 / 10, self.rows * 4 / 10);
        let parent = match n {
            _ if n >= large => self.folder((n - large) * FOLDERS / small.max(1)),
            _ if n.is_multiple_of(2) => self.large.clone(),
            _ => self.within(n / 2 % WITHIN),
        };
        // Multiplying by an odd number and keeping the low bits goes through all of them, in another order.
        let shuffled = n.wrapping_mul(0x9e37_79b1) & 0xff_ffff;
        let is_first = n >= large && (n - large).is_multiple_of((small / FOLDERS).max(1));
        let name = if is_first { COMMON.to_owned() } else { format!("repo-{shuffled:08}") };
        let mut repo = kit::repo(kit::child(&parent, WITHIN + n), &name);
        repo.created_at = Timestamp(i64::try_from(n.wrapping_mul(0x85eb_ca6b) & 0xff_ffff).expect("fits"));
        repo
    }
}
