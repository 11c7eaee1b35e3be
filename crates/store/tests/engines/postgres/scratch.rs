//! Schemas for a while: apart from everything else in the database, and gone in the end.

use std::sync::Arc;

use domain::Entropy;
use store::{Database, Postgres, Scratch, Store, StoreConfig};

use super::{conformance::kit, engine};

fn entropy() -> Arc<dyn Entropy> {
    Arc::new(kit::Counting::default())
}

async fn open(database: &Postgres) -> Store {
    let config = StoreConfig { data: "unused".into(), database: Database::Postgres(database.clone()) };
    Store::open(&config, Arc::new(kit::Standing), entropy()).await.expect("a store")
}

const SCHEMAS: &str = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'provost_scratch%'";
const TABLES: &str = "SELECT count(*) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')";

#[tokio::test]
async fn a_schema_is_apart_and_goes_with_what_is_in_it_even_while_it_is_used() {
    let Some(server) = engine() else { return };
    let database = Postgres::parse(&server.database.url()).expect("a URL");
    let outside = open(&database).await;
    let before = server.database.sql(TABLES);
    let scratch = Scratch::make(&database, &entropy()).await.expect("a schema");
    let inside = open(scratch.database()).await;
    assert_eq!(
        server.database.sql(TABLES).trim().parse::<u32>().expect("a number"),
        2 * before.trim().parse::<u32>().expect("a number")
    );
    // Nobody has closed the store inside.
    scratch.remove().await.expect("it goes");
    assert_eq!((server.database.sql(SCHEMAS).trim(), server.database.sql(TABLES)), ("0", before));
    outside.ping().await.expect("what is outside works on");
    assert!(inside.ping().await.is_err());
    inside.close().await;
    outside.close().await;
}

#[tokio::test]
async fn schemas_of_others_stay_whatever_they_are_called() {
    let Some(server) = engine() else { return };
    let database = Postgres::parse(&server.database.url()).expect("a URL");
    server.database.sql("CREATE SCHEMA victim; CREATE TABLE victim.t (n int)");
    let somebody = format!("somebody_{}", std::process::id());
    server.database.sql(&format!("CREATE ROLE {somebody}"));
    let named_alike = [
        "provost_scratch_a, victim",
        "provost_scratch_a; DROP SCHEMA victim CASCADE; --",
        "provost_scratch_mine",
        "provost_scratch_0123456789abcdef0",
        "PROVOST_SCRATCH_0123456789ABCDEF",
    ];
    for name in named_alike {
        server.database.sql(&format!("CREATE SCHEMA \"{name}\""));
    }
    server.database.sql(&format!("CREATE SCHEMA provost_scratch_0123456789abcdef AUTHORIZATION {somebody}"));
    let schemas = "SELECT count(*) FROM pg_namespace WHERE nspname ILIKE 'provost%' OR nspname = 'victim'";
    let before = server.database.sql(schemas);
    Scratch::make(&database, &entropy()).await.expect("a schema").remove().await.expect("it goes");
    assert_eq!(server.database.sql(schemas), before);
    assert_eq!(server.database.sql("SELECT count(*) FROM victim.t").trim(), "0");
    server.database.sql(&format!("DROP OWNED BY {somebody}; DROP ROLE {somebody}"));
}

#[tokio::test]
async fn what_a_killed_program_left_is_removed_and_what_is_used_is_not() {
    let Some(server) = engine() else { return };
    let database = Postgres::parse(&server.database.url()).expect("a URL");
    let entropy = entropy();
    let left = Scratch::make(&database, &entropy).await.expect("a schema");
    let used = Scratch::make(&database, &entropy).await.expect("a schema");
    assert_eq!(server.database.sql(SCHEMAS).trim(), "2", "both are in use");
    // A program that is killed loses its connections and nothing else.
    drop(left);
    let sessions = "SELECT count(DISTINCT application_name) FROM pg_stat_activity WHERE application_name LIKE 'provost_scratch%' \
                    AND datname = current_database()";
    while server.database.sql(sessions).trim() != "1" {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let next = Scratch::make(&database, &entropy).await.expect("a schema");
    assert_eq!(server.database.sql(SCHEMAS).trim(), "2", "that in use, and the new one");
    for scratch in [used, next] {
        scratch.remove().await.expect("it goes");
    }
    assert_eq!(server.database.sql(SCHEMAS).trim(), "0");
}
