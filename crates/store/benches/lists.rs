//! How long pages of long lists take: the first page, and one far behind it, for every shape of scope and every order.
//!
//! ```text
//! cargo bench -p store --bench lists -- --rows 1000000 [--data FOLDER | --database URL] [--only WORD]
//! ```
//!
//! Without a place it fills a temporary SQLite database. A folder or a database that was filled before is used as it is,
//! so that two programs can be compared on the same rows.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a bench tells its figures and fails by panicking")]

#[path = "../tests/engines/conformance/kit.rs"]
#[expect(dead_code, reason = "the bench needs only some of it")]
mod kit;
#[path = "lists/world.rs"]
mod world;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{Order, OrderField, Scopes, UidpFilter, list::ParentFilter, registry::Repo};
use store::{Database, ListQuery, Listed, Postgres, Store, StoreConfig, registry::repos, rows};
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
    let since = Instant::now();
    while !store.ranks_stand() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    println!("ranks after {:.1?} more", since.elapsed());
    println!("{:<38} {:>9} {:>9} {:>9} {:>11} {:>7} {:>9}", "list", "total", "first", "skip", "deep", "ratio", "+ cursor");
    for (name, scopes, uidp, filter) in shapes(&world) {
        if options.only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        for field in [OrderField::Uid, OrderField::Name, OrderField::CreatedAt] {
            for descending in [false, true] {
                let order = Order { field, descending };
                let uidp = uidp.clone();
                let query =
                    ListQuery { scopes: Arc::clone(&scopes), uidp, order, page_size: 50, ..kit::everything(filter.clone()) };
                measure(&store, name, &query).await;
            }
        }
    }
    if let Some(memory) = resident() {
        println!("resident: {memory} MB");
    }
    store.close().await;
}

type Shape = (&'static str, Arc<Scopes>, UidpFilter, repos::RepoFilter);

/// The lists that callers ask for.
fn shapes(world: &World) -> Vec<Shape> {
    let all = || UidpFilter::default();
    let at = |places: Vec<_>| Arc::new(Scopes::Subtrees(places));
    let (org, folder) = (world.org.clone(), world.large.clone());
    let below = UidpFilter { descendants_of: Some(org.clone()), ..all() };
    let children = UidpFilter { children_of: Some(ParentFilter::At(folder.clone())), ..all() };
    let any = || repos::RepoFilter::default();
    let named = || repos::RepoFilter { name: Some(world::COMMON.to_owned()), source: None };
    vec![
        ("everything", Arc::new(Scopes::All), all(), any()),
        ("below the organization", at(vec![org.clone()]), below.clone(), any()),
        ("below a folder with folders", at(vec![folder.clone()]), all(), any()),
        ("a large folder and a small one", at([vec![folder], world.scattered(1)].concat()), all(), any()),
        ("children", at(vec![org.clone()]), children, any()),
        ("10 scattered", at(world.scattered(10)), all(), any()),
        ("1000 scattered", at(world.scattered(1000)), all(), any()),
        ("one name, below the organization", at(vec![org]), below, named()),
        ("one name, 1000 scattered", at(world.scattered(1000)), all(), named()),
    ]
}

async fn measure(store: &Store, name: &str, query: &ListQuery<repos::RepoFilter>) {
    let (first, page) = median(store, query).await;
    let skip = u32::try_from(page.total / 2).expect("fits");
    let deep = ListQuery { skip, ..query.clone() };
    let (there, far) = median(store, &deep).await;
    assert_eq!((far.total, far.items.len()), (page.total, 50));
    // The same rows, from the end of the first page on.
    let (from, onward) = median(store, &ListQuery { skip: skip - 50, cursor: page.next, ..query.clone() }).await;
    assert_eq!(onward.items, far.items);
    let direction = if query.order.descending { "desc" } else { "asc" };
    println!(
        "{:<38} {:>9} {:>6} µs {:>9} {:>8} µs {:>7.2} {:>6} µs",
        format!("{name}, {} {direction}", field(query.order.field)),
        page.total,
        first.as_micros(),
        skip,
        there.as_micros(),
        there.as_secs_f64() / first.as_secs_f64(),
        from.as_micros()
    );
}

/// The median time of a page, and the page.
async fn median(store: &Store, query: &ListQuery<repos::RepoFilter>) -> (Duration, Listed<Repo>) {
    let mut times = Vec::with_capacity(ROUNDS);
    let mut page = None;
    for _ in 0..ROUNDS {
        let since = Instant::now();
        let mut reader = store.reader().await.expect("a snapshot");
        page = Some(rows::list(&mut reader, query).await.expect("lists"));
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
        OrderField::Own(column) => column,
    }
}

/// The memory that this process holds, in megabytes, where the system tells.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes / 1024)
}
