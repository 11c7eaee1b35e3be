//! Lists that are long: their first pages, their totals, and pages in the middle of them.

use domain::Uidp;

use super::Pace;
use crate::{
    Result,
    host::Server,
    load::http::{self, Connection},
    measure::{Medians, in_turn, median, millis},
    plot::{self, Series},
    report::{Budget, Row},
    world,
};

/// How long a page in the middle may take where nothing is promised against the first page, in milliseconds.
const ANYWHERE: f64 = 150.0;
/// How many times the first page's cost any other page may cost where that is promised, and the first page of a long list that
/// of a short one.
const TIMES: f64 = 2.0;

/// Repositories in folders of 1,000, 10,000 and so on up to `rows`, all in one organization.
#[derive(Debug)]
pub(crate) struct Folders {
    /// By size, the smallest first: how many repositories, and where.
    by_size: Vec<(u64, Uidp)>,
    organization: Uidp,
}

impl Folders {
    /// Makes them; `told` hears how many repositories there are so far, and how many there will be.
    pub(crate) async fn fill(server: &Server, rows: u64, told: impl Fn(u64, u64)) -> Result<Self> {
        let sizes: Vec<u64> = (3..=6).map(|power| 10u64.pow(power)).filter(|size| *size <= rows).collect();
        let (mut by_size, mut done, total) = (Vec::new(), 0, sizes.iter().sum());
        for size in sizes {
            let folder = world::folder(&server.organization, size, server.clock.now());
            let (ctx, uid) = (server.ctx("fill"), folder.uid.clone());
            server.store.write(&ctx, move |tx| Box::pin(async move { world::add_folder(tx, &folder).await })).await?;
            world::repositories(server, &uid, done, done + size, |so_far| told(so_far, total)).await?;
            by_size.push((size, uid));
            done += size;
        }
        Ok(Self { by_size, organization: server.organization.clone() })
    }

    fn smallest(&self) -> Option<&(u64, Uidp)> {
        self.by_size.first()
    }

    fn largest(&self) -> Option<&(u64, Uidp)> {
        self.by_size.last()
    }
}

/// Measures first pages and totals of every size beside those of the smallest; the plot shows the first pages.
pub(crate) async fn growth(server: &Server, folders: &Folders, pace: Pace) -> Result<(Vec<Row>, String)> {
    let Some((least, smallest)) = folders.smallest() else { return Ok((Vec::new(), String::new())) };
    let mut asker = Asker::open(server).await?;
    let (mut rows, mut points) = (Vec::new(), Vec::new());
    let path = |of: &Uidp, size: u32| format!("/registry/v2beta1/repos?uidp.descendantsOf={of}&pageSize={size}");
    for (size, folder) in &folders.by_size {
        let first = asker.compare(&path(folder, 50), &path(smallest, 50), pace).await?;
        points.push((as_float(*size), first.ours));
        if size > least {
            let case = format!("first page of {size} rows beside {least} (ms)");
            rows.push(Row::beside(case, first.ours, first.reference, Budget::Times(TIMES)));
        }
    }
    if let Some((size, largest)) = folders.largest().filter(|(size, _)| size > least) {
        let totals = asker.compare(&path(largest, 1), &path(smallest, 1), pace).await?;
        let case = format!("exact total of {size} rows beside {least} (ms)");
        rows.push(Row::beside(case, totals.ours, totals.reference, Budget::Times(TIMES)));
    }
    let series = [Series { name: "first page of 50".to_owned(), points }];
    Ok((rows, plot::lines("First page, by the length of the list", "rows", "ms", true, &series)))
}

/// Measures the page in the middle of the longest list, in every order and at every kind of place, beside the first page.
pub(crate) async fn depth(server: &Server, folders: &Folders, pace: Pace) -> Result<Vec<Row>> {
    let Some((size, folder)) = folders.largest() else { return Ok(Vec::new()) };
    let (mut asker, mut rows) = (Asker::open(server).await?, Vec::new());
    for order in ["uid", "name", "created_at"] {
        for (place, filter, promised) in [
            ("everywhere", String::new(), order == "uid"),
            ("below an organization", format!("uidp.descendantsOf={}&", folders.organization), true),
            ("below a folder", format!("uidp.descendantsOf={folder}&"), order == "uid"),
            ("among children", format!("uidp.childrenOf={folder}&"), true),
        ] {
            let path = |skip: u64| format!("/registry/v2beta1/repos?{filter}orderBy={order}&skip={skip}");
            let pages = asker.compare(&path(size / 2), &path(0), pace).await?;
            let case = format!("page at {} of {size} rows by {order} {place} (ms)", size / 2);
            let budget = if promised { Budget::Times(TIMES) } else { Budget::Below(ANYWHERE) };
            rows.push(Row::beside(case, pages.ours, pages.reference, budget));
        }
    }
    Ok(rows)
}

/// A plot of what a page of the longest list costs, by its depth.
pub(crate) async fn plot_depth(server: &Server, folders: &Folders, pace: Pace) -> Result<String> {
    let Some((size, _)) = folders.largest() else { return Ok(String::new()) };
    let (mut asker, mut series) = (Asker::open(server).await?, Vec::new());
    for order in ["uid", "name", "created_at"] {
        let mut points = Vec::new();
        for eighth in 0..8 {
            let skip = size * eighth / 8;
            let filter = format!("uidp.descendantsOf={}", folders.organization);
            let path = format!("/registry/v2beta1/repos?{filter}&orderBy={order}&skip={skip}");
            let mut figures = Vec::with_capacity(pace.rounds);
            for _ in 0..pace.rounds {
                figures.push(asker.millis(&path).await?);
            }
            points.push((as_float(skip), median(figures)));
        }
        series.push(Series { name: format!("by {order}"), points });
    }
    Ok(plot::lines("Page of 50, by its depth", "rows passed over", "ms", false, &series))
}

/// One operator's connection, on which one page is asked for after the other.
struct Asker {
    connection: Connection,
    token: String,
}

impl Asker {
    async fn open(server: &Server) -> Result<Self> {
        Ok(Self { connection: Connection::open(server.address, Vec::new()).await?, token: server.operator.clone() })
    }

    async fn millis(&mut self, path: &str) -> Result<f64> {
        self.connection.set(http::get(path, &self.token));
        millis(async { self.connection.body().await.map(drop) }).await
    }

    async fn compare(&mut self, ours: &str, reference: &str, pace: Pace) -> Result<Medians> {
        let this = tokio::sync::Mutex::new(self);
        in_turn(pace.rounds, async || this.lock().await.millis(ours).await, async || this.lock().await.millis(reference).await)
            .await
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of rows fit in 52 bits")]
fn as_float(rows: u64) -> f64 {
    rows as f64
}
