//! Rows of megabytes: neither a backup nor a restore has many of them in memory at once, and one limit holds for both.

use std::{
    fs,
    io::{Read, Write},
};

use aws_lc_rs::digest;
use domain::{Description, Kind, Rule};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use store::{Store, backup::Backup, iam::groups, rows};

use super::{Place, back_up, begin, check, kit, restored};

const MIB: usize = 1024 * 1024;

async fn add(store: &Store, n: u64, description: usize) {
    let mut group = kit::group(kit::root(n), &format!("org-{n}"));
    group.spec.description = Description::trusted("x".repeat(description));
    kit::add(store, group).await;
}

async fn descriptions(store: &Store) -> Vec<usize> {
    let query = kit::everything(groups::GroupFilter::default());
    let page = rows::list(&mut store.reader().await.expect("reads"), &query).await.expect("a page");
    page.items.iter().map(|group| group.spec.description.as_str().len()).collect()
}

/// Large rows before, between and behind small ones: some end a page of a backup, some a statement of a restore.
pub(crate) async fn rows_of_any_size_come_back(from: Option<Place>, to: Option<Place>) {
    let (Some(from), Some(to)) = (from, to) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let source = from.open().await;
    let sizes = [5 * MIB, 3 * MIB, 3 * MIB, 1, 6 * MIB, 1];
    for (n, size) in (0..60).zip(sizes.into_iter().chain(std::iter::repeat(10))) {
        add(&source, n, size).await;
    }
    let archive = back_up(&source, &folder.path().join("backup")).await;
    restored(&to, &archive, false).await.expect("restored");
    let found = descriptions(&to.open().await).await;
    assert_eq!(found.len(), 60);
    assert_eq!(found, descriptions(&source).await);
}

async fn next(backup: &mut Backup) -> domain::Result<()> {
    while backup.next().await?.is_some() {}
    Ok(())
}

#[tokio::test]
async fn a_row_that_no_restore_would_read_is_not_backed_up() {
    let place = Place::sqlite().expect("a folder");
    let store = place.open().await;
    add(&store, 1, 33 * MIB).await;
    let error = next(&mut begin(&store).await).await.expect_err("refused");
    assert_eq!((error.kind(), error.rule()), (Kind::FailedPrecondition, Rule::TooLarge));
    let told = format!("a row of groups has more than 32 MiB and cannot be backed up: the one with the key {}", kit::root(1));
    assert!(error.message().contains(&told), "{error}");
}

#[tokio::test]
async fn a_line_without_end_is_not_read() {
    let place = Place::sqlite().expect("a folder");
    let path = place.config().data.join("backup");
    back_up(&place.open().await, &path).await;
    let good = fs::read(&path).expect("read");
    let end = 1 + good.iter().position(|byte| *byte == b'\n').expect("a line");
    let mut text = String::new();
    GzDecoder::new(&good[end..]).read_to_string(&mut text).expect("text");
    let heading = text.lines().next().expect("a heading");

    let mut header: serde_json::Value = serde_json::from_slice(&good[..end]).expect("JSON");
    header["rows"]["counts"] = 1.into();
    let mut stream = GzEncoder::new(format!("{header}\n").into_bytes(), Compression::fast());
    stream.write_all(format!("{heading}\n[\"").as_bytes()).expect("compressed");
    stream.write_all(&vec![b'x'; 33 * MIB]).expect("compressed");
    let content = stream.finish().expect("compressed");
    let sum = hex::encode(digest::digest(&digest::SHA256, &content));
    fs::write(&path, [content, format!("\n{{\"sha256\":\"{sum}\"}}\n").into_bytes()].concat()).expect("written");
    let error = check(&path).expect_err("refused");
    assert!(error.message().contains("one of its rows has more than 32 MiB"), "{error}");
}
