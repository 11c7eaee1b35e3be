//! Section `[database]`.

use server::private;
use store::{Database, Postgres};

use super::super::{
    Default, Key, Kind,
    parse::{count, one, path},
};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "database.url",
        flag: "database",
        variable: "PROVOST_DATABASE",
        value: "URL",
        default: Default::None("SQLite, in the data folder"),
        summary: "PostgreSQL instead of SQLite: postgres://user:password@host/database; it needs --key-file",
        more: "Of several hosts the first one that takes writes is used. `sslmode` and `sslrootcert` mean what they mean to libpq. On \
               the command line every user of the machine can read it: prefer the file.",
        secret: true,
        data: true,
        apply: |settings, texts| one(texts, postgres).map(|database| settings.database = database),
        ..Key::BASE
    },
    Key {
        path: "database.url-file",
        flag: "database-url-file",
        variable: "PROVOST_DATABASE_URL_FILE",
        value: "FILE",
        default: Default::None("none"),
        summary: "A file that holds the URL of the database",
        more: "It must not be readable by others; a line end after the URL does not count. It and the URL itself cannot both be given \
               in the same place.",
        instead_of: Some("database.url"),
        credential: Some("database-url"),
        data: true,
        apply: |settings, texts| {
            let url = one(texts, path).and_then(|file| private::read(&file))?;
            postgres(&url).map(|database| settings.database = database)
        },
        ..Key::BASE
    },
    Key {
        path: "database.max-connections",
        flag: "database-max-connections",
        variable: "PROVOST_DATABASE_MAX_CONNECTIONS",
        kind: Kind::Count,
        value: "COUNT",
        default: Default::Is("20"),
        summary: "Maximum number of connections to PostgreSQL",
        more: "One of them writes, the others read. All servers of a database together must stay below its `max_connections`.",
        apply: |settings, texts| {
            let max = one(texts, |text| count(text, Postgres::MIN_CONNECTIONS..=10_000))?;
            if let Database::Postgres(database) = &mut settings.database {
                *database = database.clone().with_max_connections(max);
            }
            Ok(())
        },
        ..Key::BASE
    },
];

fn postgres(url: &str) -> Result<Database, String> {
    Postgres::parse(url).map(Database::Postgres).map_err(|error| error.to_string())
}
