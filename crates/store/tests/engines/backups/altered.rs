//! Files and databases that are not what they should be.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::Path,
};
use store::rows;

use aws_lc_rs::digest;
use domain::{Kind, registry::Repo};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};

use super::{Place, back_up, begin, check, kit, restored, world};

fn refused(path: &Path, bytes: &[u8]) -> String {
    fs::write(path, bytes).expect("written");
    let error = check(path).expect_err("refused");
    assert_eq!(error.kind(), Kind::InvalidArgument, "{error}");
    error.message().to_owned()
}

/// The file with another first line and a checksum that fits.
pub(crate) fn with_header(bytes: &[u8], change: impl Fn(&mut serde_json::Value)) -> Vec<u8> {
    let end = bytes.iter().position(|byte| *byte == b'\n').expect("a line");
    let mut header = serde_json::from_slice(&bytes[..end]).expect("JSON");
    change(&mut header);
    checksummed([header.to_string().as_bytes(), &bytes[end..bytes.len() - 79]].concat())
}

/// The file with other rows and a checksum that fits.
pub(crate) fn with_rows(bytes: &[u8], change: impl FnOnce(Vec<String>) -> Vec<String>) -> Vec<u8> {
    let end = 1 + bytes.iter().position(|byte| *byte == b'\n').expect("a line");
    let mut text = String::new();
    GzDecoder::new(&bytes[end..]).read_to_string(&mut text).expect("text");
    let mut tables: Vec<String> = Vec::new();
    for line in text.split_inclusive('\n') {
        if line.starts_with('{') {
            tables.push(String::new());
        }
        tables.last_mut().expect("a heading comes first").push_str(line);
    }
    let mut stream = GzEncoder::new(bytes[..end].to_vec(), Compression::fast());
    stream.write_all(change(tables).concat().as_bytes()).expect("compressed");
    checksummed(stream.finish().expect("compressed"))
}

fn checksummed(content: Vec<u8>) -> Vec<u8> {
    let sum = hex::encode(digest::digest(&digest::SHA256, &content));
    [content, format!("\n{{\"sha256\":\"{sum}\"}}\n").into_bytes()].concat()
}

/// Earlier programs wrote repositories behind what they have nothing to do with.
#[tokio::test]
async fn tables_come_in_whatever_order_each_once() {
    let from = Place::sqlite().expect("a folder");
    let source = from.open().await;
    let org = kit::bound(&source).await.org;
    let repo = kit::add(&source, kit::repo(kit::child(&org.uid, 8), "r")).await;
    let path = from.config().data.join("backup");
    back_up(&source, &path).await;
    let good = fs::read(&path).expect("read");
    let is = |table: &str, name: &str| table.lines().next().is_some_and(|line| line.contains(&format!("\"table\":\"{name}\"")));

    let other = with_rows(&good, |mut tables| {
        let repos = tables.iter().position(|table| is(table, "repos")).expect("repositories");
        let repos = tables.remove(repos);
        let bindings = tables.iter().position(|table| is(table, "role_bindings")).expect("bindings");
        tables.insert(bindings + 1, repos);
        tables
    });
    assert_ne!(other, good);
    fs::write(&path, other).expect("written");
    let archive = check(&path).expect("whole");
    for to in [Place::sqlite(), Place::postgres()].into_iter().flatten() {
        restored(&to, &archive, false).await.expect("is restored");
        let store = to.open().await;
        let found = rows::get::<Repo>(&mut store.reader().await.expect("reads"), &repo.uid).await.expect("reads");
        assert_eq!(found, Some(repo.clone()));
    }

    let twice = with_rows(&good, |mut tables| {
        let last = tables.len() - 1;
        tables[last] = tables[0].clone();
        tables
    });
    assert!(refused(&path, &twice).contains("the table counts begins twice"));
}

#[tokio::test]
async fn a_file_that_is_not_whole_and_unaltered_is_refused() {
    let place = Place::sqlite().expect("a folder");
    let store = place.open().await;
    kit::bound(&store).await;
    let Place::Sqlite(folder) = &place else { return };
    let path = folder.path().join("backup");
    back_up(&store, &path).await;
    let good = fs::read(&path).expect("read");

    for length in (0..good.len()).step_by(7).chain([good.len() - 1]) {
        refused(&path, &good[..length]);
    }
    assert!(refused(&path, &good[..good.len() - 1]).contains("cut off"));
    for at in 0..good.len() {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << (at % 8);
        refused(&path, &bytes);
    }
    let mut bytes = good.clone();
    bytes[good.len() / 2] ^= 1;
    assert!(refused(&path, &bytes).contains("its checksum does not fit"));
    assert!(refused(&path, &[&good[..], b"more"].concat()).contains("something was added"));
    assert!(refused(&path, b"SQLite format 3").contains("does not begin like one"));

    let told = |change: &dyn Fn(&mut serde_json::Value)| refused(&path, &with_header(&good, change));
    let newer = told(&|header| header["provost_backup"] = 2.into());
    assert!(newer.contains("format 2") && newer.contains("provost 1.2.3 or later"), "{newer}");
    let newer = told(&|header| header["schema"] = 99.into());
    assert!(newer.contains("schema 99") && newer.contains("provost 1.2.3 or later"), "{newer}");
    let older = told(&|header| header["schema"] = 0.into());
    assert!(older.contains("restore it with provost 1.2.3, which wrote it, then upgrade"), "{older}");
    assert!(told(&|header| header["rows"]["groups"] = 2.into()).contains("a row of groups is not what it should be"));
    assert!(told(&|header| header["rows"]["audit"] = 0.into()).contains("more rows"));
    assert_eq!(fs::write(&path, with_header(&good, |_| ())).map(|()| check(&path).is_ok()).ok(), Some(true));

    let error = check(&folder.path().join("nowhere")).expect_err("refused");
    assert_eq!(error.kind(), Kind::NotFound);
    assert!(check(folder.path()).expect_err("refused").message().contains("no regular file"));
}

fn tamper(place: &Place, sql: &str) {
    let Place::Sqlite(folder) = place else { return };
    let raw = rusqlite::Connection::open(folder.path().join("data/provost.db")).expect("opens");
    raw.execute_batch(sql).expect(sql);
}

#[tokio::test]
async fn what_does_not_agree_with_itself_is_not_restored() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("backup");
    for (sql, why) in [
        ("UPDATE counts SET n = n + 1 WHERE noun = 'group' AND prefix <> '/'", "the counter of groups is"),
        ("DELETE FROM counts WHERE noun = 'identity' AND prefix <> '/'", "there is no counter of identities"),
        ("UPDATE counts SET n = 5 WHERE noun = 'repo' AND prefix = '/'", "counts /: the counter of repos is 5, and there are 1"),
        (
            "UPDATE counts SET children = 0 WHERE noun = 'repo' AND prefix <> '/'",
            "the counter of repos directly in it is 0, and there are 1",
        ),
        ("DELETE FROM audit WHERE id = 1", "the commit has no audit row"),
        (
            "INSERT INTO audit (at, revision, actor, method, request_id, outcome) VALUES (1, 1, 'a', 'm', 'r', 'OK')",
            "the commit 1 has 2 rows",
        ),
        ("UPDATE groups SET revision = 10000", "it has revision 10000, and the last commit is"),
    ] {
        let from = Place::sqlite().expect("a folder");
        let source = from.open().await;
        let org = kit::bound(&source).await.org;
        kit::add(&source, kit::repo(kit::child(&org.uid, 8), "r")).await;
        source.close().await;
        tamper(&from, sql);
        let archive = back_up(&from.open().await, &path).await;
        for to in [Place::sqlite(), Place::postgres()].into_iter().flatten() {
            let target = to.open().await;
            let empty = world::everything(&target).await;
            target.close().await;
            let error = restored(&to, &archive, false).await.expect_err(sql);
            assert!(error.message().contains(why), "{sql}: {error}");
            assert_eq!(world::everything(&to.open().await).await, empty, "nothing was kept");
        }
    }
}

#[tokio::test]
async fn a_table_that_backups_do_not_know_stops_them() {
    let place = Place::sqlite().expect("a folder");
    place.open().await.close().await;
    tamper(&place, "CREATE TABLE cookies (sid TEXT PRIMARY KEY); ALTER TABLE repos ADD COLUMN colour TEXT");
    let store = place.open().await;
    let error = store::backup::Backup::begin(&store, "1.2.3", kit::NOW).await.expect_err("refused");
    let why = std::error::Error::source(&error).expect("a cause").to_string();
    assert!(why.contains("repos.colour, cookies.sid") || why.contains("cookies.sid, repos.colour"), "{why}");
    tamper(&place, "DROP TABLE cookies; ALTER TABLE repos DROP COLUMN colour");
    drop(store);
    begin(&place.open().await).await;
}
