//! What a server needs on its machine, and its database.

use std::{
    fs,
    io::ErrorKind,
    path::Path,
    time::{Duration, UNIX_EPOCH},
};

use domain::{Clock as _, Error, Timestamp};
use server::{
    Settings, SystemClock, time,
    tls::{self, TlsFiles},
};
use store::{Database, schema::Schema};
use sts::RootKey;
use tokio::time::timeout;
use url::Url;

use super::Finding;

/// How long the database may take.
const PATIENCE: Duration = Duration::from_secs(15);

/// Before this instant nobody ran this program: 2026-01-01T00:00:00Z.
const EARLIEST: Timestamp = Timestamp(1_767_225_600_000);

pub(super) async fn check(settings: &Settings) -> Vec<Finding> {
    let (database, schema) = database(settings).await;
    let mut findings = vec![clock(settings), data(&settings.data), database, key(settings, schema)];
    findings.extend(settings.tls_files().map(|files| certificate(settings, &files)));
    findings
}

/// A clock that is behind makes expired tokens good, and one that is ahead refuses good ones.
fn clock(settings: &Settings) -> Finding {
    let now = SystemClock.now();
    let newest = fs::metadata(settings.data.join("server.json")).and_then(|file| file.modified()).ok();
    let newest = newest.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).and_then(|at| i64::try_from(at.as_secs()).ok());
    let told = time::text(now);
    if now < EARLIEST {
        Finding::failed("clock", format!("{told} is in the past"))
    } else if newest.is_some_and(|newest| now.seconds() < newest - 60) {
        Finding::failed("clock", format!("{told} is before the last start of the server"))
    } else {
        Finding::ok("clock", told)
    }
}

fn data(folder: &Path) -> Finding {
    let existing = folder.ancestors().map(|at| if at.as_os_str().is_empty() { Path::new(".") } else { at });
    let Some(nearest) = existing.into_iter().find(|at| at.exists()) else {
        return Finding::failed("data", format!("{} is nowhere", folder.display()));
    };
    // Only writing tells: modes, read-only file systems and the sandbox of a service all have a say.
    let probe = nearest.join(format!(".provost-check-{}", std::process::id()));
    let tried = fs::File::create_new(&probe).and_then(|_| fs::remove_file(&probe));
    match tried {
        Err(error) => Finding::failed("data", format!("{} cannot be written: {error}", nearest.display())),
        Ok(()) if nearest == folder => Finding::ok("data", format!("{} can be written", folder.display())),
        Ok(()) => Finding::ok("data", format!("{} will be made", folder.display())),
    }
}

/// The finding, and the schema if it could be read.
async fn database(settings: &Settings) -> (Finding, Option<Schema>) {
    let name = match &settings.database {
        Database::Sqlite => "SQLite in the data folder".to_owned(),
        Database::Postgres(database) => format!("PostgreSQL at {database}"),
    };
    let found = match timeout(PATIENCE, Schema::of(&settings.store_config())).await {
        Ok(found) => found.and_then(|schema| Ok((schema, schema.check()?))),
        Err(_) => return (Finding::failed("database", format!("{name}: no answer within {} s", PATIENCE.as_secs())), None),
    };
    match found {
        Ok((schema, _)) if schema.found == 0 => {
            (Finding::ok("database", format!("{name}: empty, set up at the first start")), Some(schema))
        }
        Ok((schema, true)) => {
            let told = format!("{name}: schema {}, which the next start brings to {}", schema.found, schema.program);
            (Finding::warning("database", told), Some(schema))
        }
        Ok((schema, false)) => (Finding::ok("database", format!("{name}: schema {}", schema.found)), Some(schema)),
        Err(error) if names(&error, &settings.database) => (Finding::failed("database", error.message()), None),
        Err(error) => (Finding::failed("database", format!("{name}: {}", error.message())), None),
    }
}

/// Whether the error says by itself which database it is about.
fn names(error: &Error, database: &Database) -> bool {
    matches!(database, Database::Postgres(database) if error.message().contains(&database.to_string()))
}

fn key(settings: &Settings, schema: Option<Schema>) -> Finding {
    let path = settings.key_path();
    let missing = matches!(fs::symlink_metadata(&path), Err(error) if error.kind() == ErrorKind::NotFound);
    if !missing {
        return match RootKey::open(&path) {
            Ok(_) => Finding::ok("key-file", format!("{} is private and a key", path.display())),
            Err(error) => Finding::failed("key-file", error.message()),
        };
    }
    if schema.is_some_and(|schema| schema.found > 0) {
        return Finding::failed("key-file", format!("{} is missing, but the database is there", path.display()));
    }
    Finding::ok("key-file", format!("{} will be made", path.display()))
}

fn certificate(settings: &Settings, files: &TlsFiles) -> Finding {
    let pair = match files.read() {
        Ok(pair) => pair,
        Err(error) => return Finding::failed("tls", error.to_string()),
    };
    let host = settings.base_url.as_deref().and_then(|url| Url::parse(url).ok()?.host_str().map(str::to_owned));
    let until = time::text(pair.not_after());
    if let Some(host) = host.filter(|host| !pair.names(host)) {
        return Finding::failed("tls", format!("the certificate does not name {host}, the host of the base URL"));
    }
    match tls::problem_with_times(&pair, SystemClock.now()) {
        None => Finding::ok("tls", format!("a pair, good until {until}")),
        Some(problem @ tls::EXPIRES_SOON) => Finding::warning("tls", format!("{problem}: {until}")),
        Some(problem) => Finding::failed("tls", format!("{problem}: {until}")),
    }
}
