//! What scanners read, by the paths that they know.

mod large;
mod osv;
mod query;
mod vex;

use std::{
    collections::BTreeMap,
    io::{Cursor, Read as _},
};

use client::http::{Answer, Request};
use http::StatusCode;
use testkit::Actor;

/// A file of a feed, as this actor reads it.
pub(crate) async fn get(who: &Actor, path: &str) -> Answer {
    who.http(Request::get(path)).await
}

/// The files of an archive.
pub(crate) fn unpacked(answer: &Answer) -> BTreeMap<String, Vec<u8>> {
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    let mut archive = zip::ZipArchive::new(Cursor::new(answer.bytes.to_vec())).expect("an archive");
    let entries = archive.len();
    let read = |index| {
        let mut file = archive.by_index(index).expect("an entry");
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).expect("its bytes");
        (file.name().expect("a name").into_owned(), bytes)
    };
    (0..entries).map(read).collect()
}

/// The names of the files of an archive.
pub(crate) fn names(answer: &Answer) -> Vec<String> {
    unpacked(answer).into_keys().collect()
}
