//! How long pages of long lists take: the first page, and one far behind it, for every shape of scope and every order.
//!
//! ```text
//! cargo bench -p store --bench lists -- --rows 1000000 [--data FOLDER | --database URL] [--only WORD]
//! ```
//!
//! Without a place it fills a temporary SQLite database. A folder or a database that was filled before is used as it is,
//! so that two programs can be compared on the same rows.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a bench tells its figures and fails by panicking")]

#[path = "../tests/conformance/kit.rs"]
#[expect(dead_code, reason = "the bench needs only some of it")]
mod kit;
#[path = "lists/world.rs"]
mod world;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{Order, OrderField, Scopes, UidpFilter, list::ParentFilter, registry::Repo};
use store::{Database, ListQuery, Listed, Postgres, Store, StoreConfig, registry::repos};
use world::World;

/// How often a page is asked for; the median counts.
const ROUNDS: usize = 9;

/// What the command line asks for.
struct Options {
    rows: u64,
    data: Option<String>,
    database: Option<String>,
    only: Option<String>,
}

impl Options {
    fn parse() -> Self {
        let words: Vec<_> = std::env::args().collect();
        let value = |name: &str| words.iter().position(|word| word == name).and_then(|at| words.get(at + 1).cloned());
        Self {
            rows: value("--rows").map_or(100_000, |rows| rows.parse().expect("--rows takes a number")),
            data: value("--data"),
            database: value("--database"),
            only: value("--only"),
        }
    }
}

#[tokio::main(worker_threads = 2)]
async fn main() {
    let options = Options::parse();
    let folder = tempfile::tempdir().expect("a folder");
    let mut config = StoreConfig::sqlite(options.data.as_ref().map_or_else(|| folder.path().into(), std::path::PathBuf::from));
    if let Some(url) = &options.database {
        config.database = Database::Postgres(Postgres::parse(url).expect("a URL"));
    }
    let since = Instant::now();
    let store = Store::open(&config, Arc::new(kit::Standing), Arc::new(kit::Counting::default())).await.expect("opens");
    println!("open after {:.1?}", since.elapsed());
    let world = World::new(options.rows);
    let since = Instant::now();
    if world.fill(&store).await {
        println!("{} rows in {:.1?}", world.rows, since.elapsed());
    }
    println!("{:<34} {:>9} {:>9} {:>11} {:>9} {:>7}", "list", "total", "first", "skip", "deep", "ratio");
    for (name, scopes, uidp) in shapes(&world) {
        if options.only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        for field in [OrderField::Uid, OrderField::Name, OrderField::CreatedAt] {
            for descending in [false, true] {
                measure(&store, name, &scopes, &uidp, Order { field, descending }).await;
            }
        }
    }
    if let Some(memory) = resident() {
        println!("resident: {memory} MB");
    }
    store.close().await;
}

type Shape = (&'static str, Arc<Scopes>, UidpFilter);

/// The lists that callers ask for.
fn shapes(world: &World) -> Vec<Shape> {
    let all = || UidpFilter::default();
    let at = |places: Vec<_>| Arc::new(Scopes::Subtrees(places));
    let (org, folder) = (world.org.clone(), world.large.clone());
    let below = UidpFilter { descendants_of: Some(org.clone()), ..all() };
    let children = UidpFilter { children_of: Some(ParentFilter::At(folder.clone())), ..all() };
    vec![
        ("everything", Arc::new(Scopes::All), all()),
        ("below the organization", at(vec![org.clone()]), below),
        ("below a large folder", at(vec![folder]), all()),
        ("children", at(vec![org]), children),
        ("10 scattered", at(world.scattered(10)), all()),
        ("1000 scattered", at(world.scattered(1000)), all()),
    ]
}

async fn measure(store: &Store, name: &str, scopes: &Arc<Scopes>, uidp: &UidpFilter, order: Order) {
    let query = ListQuery {
        scopes: Arc::clone(scopes),
        uidp: uidp.clone(),
        order,
        page_size: 50,
        ..kit::everything(repos::RepoFilter::default())
    };
    let (first, page) = median(store, &query).await;
    let skip = u32::try_from(page.total / 2).expect("fits");
    let deep = ListQuery { skip, ..query };
    // What is made on demand is there when it has been asked for.
    let (_, _) = median(store, &deep).await;
    tokio::time::sleep(Duration::from_millis(if page.total > 100_000 { 2500 } else { 100 })).await;
    let (there, far) = median(store, &deep).await;
    assert_eq!((far.total, far.items.len()), (page.total, 50));
    let direction = if order.descending { "desc" } else { "asc" };
    println!(
        "{:<34} {:>9} {:>7} µs {:>9} {:>9} µs {:>6.2}",
        format!("{name}, {} {direction}", field(order.field)),
        page.total,
        first.as_micros(),
        skip,
        there.as_micros(),
        there.as_secs_f64() / first.as_secs_f64()
    );
}

/// The median time of a page, and the page.
async fn median(store: &Store, query: &ListQuery<repos::RepoFilter>) -> (Duration, Listed<Repo>) {
    let mut times = Vec::with_capacity(ROUNDS);
    let mut page = None;
    for _ in 0..ROUNDS {
        let since = Instant::now();
        let mut reader = store.reader().await.expect("a snapshot");
        page = Some(repos::list(&mut reader, query).await.expect("lists"));
        times.push(since.elapsed());
    }
    times.sort_unstable();
    (times.get(ROUNDS / 2).copied().unwrap_or_default(), page.expect("a page"))
}

fn field(field: OrderField) -> &'static str {
    match field {
        OrderField::Uid => "uid",
        OrderField::Name => "name",
        OrderField::CreatedAt => "created_at",
    }
}

/// The memory that this process holds, in megabytes, where the system tells.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes / 1024)
}
