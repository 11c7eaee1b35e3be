//! What tests get: servers that work, and databases that go.

use pgcluster::{Cluster, Options, Shutdown};

#[test]
fn databases_are_separate_and_go_when_dropped() {
    let Some(cluster) = pgcluster::shared() else { return };
    let (one, other) = (cluster.database(), cluster.database());
    one.sql("CREATE TABLE t (x TEXT); INSERT INTO t VALUES ('here')");
    other.sql("CREATE TABLE t (x TEXT)");
    assert_eq!(one.copy().sql("SELECT x FROM t"), "here");
    assert_eq!(other.sql("SELECT x FROM t"), "");
    let name = one.name().to_owned();
    assert_eq!(one.clone().sql("SELECT current_database()"), name);
    let there = || cluster.sql("postgres", &format!("SELECT count(*) FROM pg_database WHERE datname = '{name}'"));
    assert_eq!(there(), "1");
    drop(one);
    assert_eq!(there(), "0");
}

/// Queries that sort without saying how come out wrong in these databases, as they may on a customer's.
#[test]
fn the_order_of_texts_is_not_that_of_their_bytes() {
    let Some(cluster) = pgcluster::shared() else { return };
    let order = |how: &str| {
        cluster.sql("postgres", &format!("SELECT string_agg(x, '' ORDER BY x {how}) FROM (VALUES ('B'), ('a')) t(x)"))
    };
    assert_eq!(order(""), "aB");
    assert_eq!(order("COLLATE \"C\""), "Ba");
}

#[test]
fn a_server_keeps_what_it_acknowledged() {
    let Some(cluster) = Cluster::start(&Options::default().set("max_connections", 20)) else { return };
    assert_eq!(cluster.sql("postgres", "SHOW max_connections"), "20");
    let database = cluster.database();
    database.sql("CREATE TABLE t (x INT)");
    for stop in [|it: &Cluster| it.stop(Shutdown::Fast), |it: &Cluster| it.stop(Shutdown::Immediate), Cluster::kill] {
        database.sql("INSERT INTO t VALUES (1)");
        stop(&cluster);
        cluster.try_sql("postgres", "SELECT 1").expect_err("nobody answers");
        cluster.start_again();
    }
    assert_eq!(database.sql("SELECT count(*) FROM t"), "3");

    cluster.set("default_transaction_read_only", "on");
    database.sql("INSERT INTO t VALUES (1)"); // the superuser may
    assert_eq!(
        cluster.sql("postgres", "SELECT setting FROM pg_file_settings WHERE name = 'default_transaction_read_only'"),
        "on"
    );

    let crowd = cluster.crowd();
    let taken = || cluster.sql("postgres", "SELECT count(*) FROM pg_stat_activity WHERE usename = 'provost'");
    assert_eq!(taken(), "17", "all but those for superusers");
    drop(crowd);
    // A server notices by itself that its clients are gone, each of its processes in its own time.
    let patience = std::time::Instant::now() + std::time::Duration::from_mins(1);
    while taken() != "0" {
        assert!(std::time::Instant::now() < patience, "{} are left", taken());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn a_standby_takes_over_with_everything() {
    let Some(primary) = Cluster::start(&Options::default()) else { return };
    let database = primary.database();
    let standby = primary.synchronous_standby();
    assert_eq!(standby.sql("postgres", "SELECT pg_is_in_recovery()"), "t");
    database.sql("CREATE TABLE t (x INT); SET synchronous_commit = on; INSERT INTO t VALUES (7)");
    primary.kill();
    standby.promote();
    assert_eq!(standby.sql(database.name(), "SELECT x FROM t"), "7");
    standby.sql(database.name(), "INSERT INTO t VALUES (8)");
    let url = pgcluster::url_of_all(&[&primary, &standby], database.name());
    assert!(url.contains(&format!("@{},{}/{}", primary.address(), standby.address(), database.name())), "{url}");
}
