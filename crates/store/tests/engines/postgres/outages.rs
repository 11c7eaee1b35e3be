//! What a store does when its server or its connections fail.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use domain::{Error, Kind, Rule, iam::Group};
use pgcluster::{Cluster, Options, Shutdown};
use store::{Database, Postgres, Store, StoreConfig, iam::groups, rows};

use super::{
    Server,
    conformance::{BoxFuture, Engine},
    engine, kit, open,
    proxy::{Mood, Proxy},
};

pub(crate) fn cut(server: &Server) {
    let name = server.database.name();
    let cut = format!("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '{name}'");
    server.database.cluster().sql("postgres", &cut);
}

fn insert(store: &Store, n: u64) -> BoxFuture<'static, domain::Result<groups::GroupFilter>> {
    let (store, group) = (store.clone(), kit::group(kit::root(n), &format!("org-{n}")));
    Box::pin(async move {
        kit::write(&store, |tx| Box::pin(async move { rows::insert(tx, &group).await.map(|_| groups::GroupFilter::default()) }))
            .await
    })
}

/// How many rows a table has.
fn count(server: &Server, table: &str) -> u64 {
    server.database.sql(&format!("SELECT count(*) FROM {table}")).parse().expect("a number")
}

fn passes(error: &Error) -> bool {
    error.kind() == Kind::Unavailable && error.rule() == Rule::Unavailable
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cut_connections_lose_nothing_and_repeat_nothing() {
    const WRITERS: u64 = 8;
    const WRITES: u64 = 30;
    let Some(server) = engine() else { return };
    let store = server.open().await.expect("opens");
    let tasks: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut kept = 0;
                for n in 0..WRITES {
                    match insert(&store, writer * WRITES + n).await {
                        Ok(_) => kept += 1,
                        Err(error) => assert!(passes(&error), "{error:?}"),
                    }
                }
                kept
            })
        })
        .collect();
    for _ in 0..4 {
        tokio::time::sleep(Duration::from_millis(60)).await;
        tokio::task::block_in_place(|| cut(&server));
    }
    let mut kept = 0;
    for task in tasks {
        kept += task.await.expect("writes");
    }
    // The patience of a request is longer than the cuts, so that it never has to be told.
    assert_eq!(kept, WRITERS * WRITES);
    assert_eq!((count(&server, "groups"), count(&server, "audit"), count(&server, "changes")), (kept, kept, kept));
    store.ping().await.expect("is well again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_passes_is_tried_again() {
    let Some(server) = engine() else { return };
    let store = server.open().await.expect("opens");
    for (n, code) in (1..).zip(["40001", "40P01"]) {
        server.database.sql(&format!(
            "CREATE SEQUENCE tries_{n}; GRANT ALL ON SEQUENCE tries_{n} TO PUBLIC; \
             CREATE FUNCTION fail_{n}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             IF nextval('tries_{n}') < 3 THEN RAISE EXCEPTION 'again' USING ERRCODE = '{code}'; END IF; RETURN NEW; END $$; \
             CREATE TRIGGER fail_{n} BEFORE INSERT ON groups FOR EACH ROW EXECUTE FUNCTION fail_{n}()"
        ));
        insert(&store, n).await.expect("goes well the third time");
        assert_eq!(server.database.sql(&format!("DROP TRIGGER fail_{n} ON groups; SELECT last_value FROM tries_{n}")), "3");
    }
    assert_eq!((count(&server, "groups"), count(&server, "audit")), (2, 2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_commit_is_asked_for() {
    let Some(server) = engine() else { return };
    let proxy = Proxy::start(server.database.cluster().address()).await;
    let store = open(server.database.cluster().url_at(proxy.address, server.database.name())).await.expect("opens");
    for (n, mood) in (1..).zip([Mood::LoseRequest, Mood::LoseAnswer, Mood::LoseRequest, Mood::LoseAnswer]) {
        proxy.set(mood);
        insert(&store, n).await.expect("is applied");
        assert_eq!(proxy.mood(), Mood::Calm, "the commit was lost");
        assert_eq!((count(&server, "groups"), count(&server, "audit")), (n, n), "{mood:?}: once");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn once_a_lost_commit_is_found_writes_wait_no_more() {
    let Some(server) = engine() else { return };
    let server = Arc::new(server);
    let proxy = Proxy::start(server.database.cluster().address()).await;
    let store = open(server.database.cluster().url_at(proxy.address, server.database.name())).await.expect("opens");
    let (behind, lose) = (Arc::clone(&server), proxy.clone());
    let write = kit::write(&store, |_| {
        Box::pin(async move {
            // Somebody waits for the write lock, and has it for a while before it can be asked whether the commit was made.
            let holder = Arc::clone(&behind);
            let hold = "BEGIN; SELECT n FROM revision FOR UPDATE; SELECT pg_sleep(1.5); COMMIT";
            std::thread::spawn(move || holder.database.sql(hold));
            let waits = format!(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = '{}' AND wait_event_type = 'Lock'",
                behind.database.name()
            );
            while behind.database.sql(&waits) == "0" {
                std::thread::sleep(Duration::from_millis(5));
            }
            lose.set(Mood::LoseAnswer);
            Ok(())
        })
    });
    write.await.expect("is applied");
    assert_eq!(proxy.mood(), Mood::Calm, "the commit was lost");
    assert_eq!(store.ping().await.expect("reads"), None);
}

/// A transaction takes up requests for a tenth of a second; what comes after that is not part of a commit that is lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_commit_is_not_that_of_who_waits_behind_it() {
    let Some(server) = engine() else { return };
    let proxy = Proxy::start(server.database.cluster().address()).await;
    let store = open(server.database.cluster().url_at(proxy.address, server.database.name())).await.expect("opens");
    let slow = |lose: Option<Proxy>| {
        let store = store.clone();
        tokio::spawn(async move {
            kit::write(&store, |_| {
                Box::pin(async move {
                    std::thread::sleep(Duration::from_millis(200));
                    if let Some(proxy) = lose {
                        proxy.set(Mood::LoseAnswer);
                    }
                    Ok(())
                })
            })
            .await
        })
    };
    let first = slow(None);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let lost = slow(Some(proxy.clone()));
    tokio::time::sleep(Duration::from_millis(50)).await;
    insert(&store, 1).await.expect("is applied after it");
    first.await.expect("runs").expect("is applied");
    lost.await.expect("runs").expect("is applied");
    assert_eq!((count(&server, "groups"), count(&server, "audit")), (1, 3));
}

/// The savepoint that stays must not take the work of the request before it along when the next one is rolled back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_savepoint_that_cannot_be_released_makes_all_run_again() {
    let Some(server) = engine() else { return };
    let proxy = Proxy::start(server.database.cluster().address()).await;
    let store = open(server.database.cluster().url_at(proxy.address, server.database.name())).await.expect("opens");
    let holds_up = kit::write(&store, |_| {
        Box::pin(async {
            std::thread::sleep(Duration::from_millis(300));
            Ok(())
        })
    });
    let (group, line, once) = (kit::group(kit::root(1), "org-1"), proxy.clone(), Arc::new(AtomicBool::new(true)));
    let spoilt = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        kit::write(&store, |tx| {
            Box::pin(async move {
                rows::insert(tx, &group).await?;
                if once.swap(false, Ordering::SeqCst) {
                    line.set(Mood::SpoilRelease);
                }
                Ok(())
            })
        })
        .await
    };
    let next = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        insert(&store, 2).await
    };
    let (holds_up, spoilt, next) = tokio::join!(holds_up, spoilt, next);
    holds_up.expect("is applied");
    spoilt.expect("is applied");
    next.expect("is applied");
    assert_eq!(proxy.mood(), Mood::Calm, "a release was spoilt");
    assert_eq!((count(&server, "groups"), count(&server, "audit")), (2, 3));
}

/// Each statement is within its limits; together they take longer than a request may.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_server_is_no_defect_of_a_write() {
    let Some(server) = engine() else { return };
    let store = server.open().await.expect("opens");
    server.database.sql(
        "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN PERFORM pg_sleep(CASE TG_TABLE_NAME WHEN 'groups' THEN 4.5 ELSE 6 END); RETURN NEW; END $$; \
         CREATE TRIGGER wait BEFORE INSERT ON groups FOR EACH ROW EXECUTE FUNCTION wait(); \
         CREATE TRIGGER wait BEFORE INSERT ON changes FOR EACH ROW EXECUTE FUNCTION wait(); \
         CREATE TRIGGER wait BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION wait()",
    );
    let refused = insert(&store, 1).await.expect_err("takes too long");
    assert!(passes(&refused), "{refused:?}");
    assert_eq!(count(&server, "audit"), 0);
}

/// A snapshot that is held keeps the database from tidying up, so that of a node which hangs is ended.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_that_nobody_uses_is_ended() {
    let Some(server) = engine() else { return };
    let store = server.open().await.expect("opens");
    let org = kit::org(&store, 1).await;
    let mut forgotten = store.reader().await.expect("reads");
    assert!(rows::get::<Group>(&mut forgotten, &org.uid).await.expect("reads").is_some());
    let idle = "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()";
    let begin = Instant::now();
    while server.database.sql(idle) != "0" {
        assert!(begin.elapsed() < Duration::from_secs(15), "it holds its snapshot for ever");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let ended = rows::get::<Group>(&mut forgotten, &org.uid).await.expect_err("it has no snapshot");
    assert!(passes(&ended), "{ended:?}");
    drop(forgotten);
    for _ in 0..8 {
        rows::get::<Group>(&mut store.reader().await.expect("reads"), &org.uid).await.expect("others go on");
    }
}

/// A migration may take longer than a statement of a running server.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_starts_waits_for_a_migration_under_way() {
    let Some(server) = engine() else { return };
    let (cluster, name) = (server.database.cluster().clone(), server.database.name().to_owned());
    let migrates = std::thread::spawn(move || cluster.sql(&name, "SELECT pg_advisory_lock(31654368886485876), pg_sleep(13)"));
    tokio::time::sleep(Duration::from_millis(500)).await;
    server.open().await.expect("opens when the other one is done");
    migrates.join().expect("has ended");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_cannot_be_asked_for_is_said_to_be_unknown() {
    let Some(server) = engine() else { return };
    let proxy = Proxy::start(server.database.cluster().address()).await;
    let store = open(server.database.cluster().url_at(proxy.address, server.database.name())).await.expect("opens");
    proxy.set(Mood::LoseAll);
    let unknown = insert(&store, 1).await.expect_err("nobody knows");
    assert!(passes(&unknown) && unknown.message().contains("retry with the same Idempotency-Key is safe"), "{unknown:?}");
    assert!(passes(&store.ping().await.expect_err("is not well")));
    proxy.set(Mood::Calm);
    insert(&store, 2).await.expect("goes on");
    store.ping().await.expect("is well again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_takes_no_writes_is_not_ready() {
    let Some(server) = engine() else { return };
    let store = server.open().await.expect("opens");
    store.ping().await.expect("is well");
    let name = server.database.name().to_owned();
    server.database.sql(&format!("ALTER DATABASE {name} SET default_transaction_read_only = on"));
    cut(&server);
    assert!(passes(&store.ping().await.expect_err("is not well")));
    let refused = insert(&store, 1).await.expect_err("is refused");
    assert!(passes(&refused), "{refused:?}");
    server.database.cluster().sql("postgres", &format!("ALTER DATABASE {name} RESET default_transaction_read_only"));
    insert(&store, 1).await.expect("goes on");
    store.ping().await.expect("is well again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_many_reads_are_refused() {
    let Some(server) = engine() else { return };
    let database = Postgres::parse(&server.database.url()).expect("a URL").with_max_connections(2);
    let config = StoreConfig { data: "unused".into(), database: Database::Postgres(database) };
    let entropy = Arc::new(kit::Counting::default());
    let store = Store::open(&config, Arc::new(kit::Standing), entropy).await.expect("opens");
    let reader = store.reader().await.expect("the only one");
    let refused = store.reader().await.map(drop).expect_err("there is no other");
    assert_eq!((refused.kind(), refused.rule()), (Kind::ResourceExhausted, Rule::Overloaded));
    insert(&store, 1).await.expect("writes have a connection of their own");
    drop(reader);
    store.reader().await.map(drop).expect("is free again");
}

/// One that accepts connections and never says anything, first in the list.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_host_does_not_use_up_the_time_of_the_next() {
    let Some(server) = engine() else { return };
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = silent.local_addr().expect("an address").port();
    let place = format!("@127.0.0.1:{port},");
    let store = open(server.database.url().replacen('@', &place, 1)).await.expect("the next one answers");
    // Whoever has answered is asked first from now on.
    let begun = Instant::now();
    for _ in 0..3 {
        cut(&server);
        insert(&store, begun.elapsed().subsec_nanos().into()).await.expect("is applied");
    }
    assert_eq!(count(&server, "groups"), 3);
    silent.set_nonblocking(true).expect("looks");
    // Once, and again when a cut meets a connection that another task has just begun to make. Whoever asks it first each time
    // asks it for each of the four connections of the writer.
    let asked = std::iter::from_fn(|| silent.accept().ok()).count();
    assert!((1..4).contains(&asked), "it was asked {asked} times");
}

#[tokio::test]
async fn who_cannot_be_reached_is_named_without_the_password() {
    let refused =
        open("postgres://provost:hunter2@127.0.0.1:1/nothing?sslmode=disable".to_owned()).await.expect_err("is not there");
    assert!(passes(&refused) && refused.message().contains("127.0.0.1:1/nothing"), "{}", refused.message());
    assert!(!format!("{refused:?}").contains("hunter2"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_crashes_loses_nothing_that_was_acknowledged() {
    const WRITERS: u64 = 12;
    let Some(cluster) = Cluster::start(&Options::default()) else { return };
    let server = Server { database: cluster.database() };
    let stores = [server.open().await.expect("opens"), server.open().await.expect("opens")];
    let (stop, written) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let tasks: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (store, stop, written) = (stores[usize::from(writer % 2 == 0)].clone(), Arc::clone(&stop), Arc::clone(&written));
            tokio::spawn(async move {
                let mut kept = Vec::new();
                for n in (0..).take_while(|_| !stop.load(Ordering::Relaxed)) {
                    match insert(&store, writer * 100_000 + n).await {
                        Ok(_) => {
                            kept.push(kit::root(writer * 100_000 + n).to_string());
                            written.fetch_add(1, Ordering::Relaxed);
                        }
                        Err(error) => assert!(passes(&error), "{error:?}"),
                    }
                }
                kept
            })
        })
        .collect();
    let get_on = async || {
        let (begun, enough) = (Instant::now(), written.load(Ordering::Relaxed) + 3 * WRITERS);
        while written.load(Ordering::Relaxed) < enough {
            assert!(begun.elapsed() < Duration::from_mins(1), "the writers do not get on");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    for how in [Shutdown::Immediate, Shutdown::Fast, Shutdown::Immediate] {
        get_on().await;
        tokio::task::block_in_place(|| cluster.restart(how));
    }
    get_on().await;
    stop.store(true, Ordering::Relaxed);
    let mut acknowledged = HashSet::new();
    for task in tasks {
        acknowledged.extend(task.await.expect("writes"));
    }
    let there: HashSet<_> = server.database.sql("SELECT uid FROM groups").lines().map(str::to_owned).collect();
    assert!(acknowledged.is_subset(&there), "lost: {:?}", acknowledged.difference(&there).collect::<Vec<_>>());
    let rows = there.len() as u64;
    assert_eq!((count(&server, "audit"), count(&server, "changes")), (rows, rows), "nothing was applied twice or in part");
    for store in stores {
        store.ping().await.expect("is well again");
    }
}
