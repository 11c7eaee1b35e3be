//! Archives that are not what they should be.

use std::io::{Cursor, Write as _};

use flate2::{Compression, write::GzEncoder};
use tempfile::TempDir;
use zip::{ZipWriter, write::SimpleFileOptions};

use super::*;

/// The name of an entry, and its length or why it is not read.
type Found = (String, Result<usize, String>);

/// What is read.
fn entries(path: &Path) -> Result<Vec<Found>, String> {
    let (to, mut from) = tokio::sync::mpsc::channel(1000);
    read(path, &to).map_err(|failure| failure.message)?;
    drop(to);
    let mut found = Vec::new();
    while let Ok(Entry { name, content }) = from.try_recv() {
        found.push((name, content.map(|content| content.len())));
    }
    Ok(found)
}

fn write(folder: &TempDir, name: &str, content: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(&path, content).expect("written");
    path
}

/// A tar archive with these entries: a kind, a name as it is, and bytes.
fn tarball(entries: &[(u8, &str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (kind, name, content) in entries {
        let mut header = tar::Header::new_ustar();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(tar::EntryType::new(*kind));
        header.set_size(content.len() as u64);
        header.set_cksum();
        builder.append(&header, *content).expect("added");
    }
    builder.into_inner().expect("a tar").finish().expect("packed")
}

fn zipped(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        writer.start_file(*name, SimpleFileOptions::default()).expect("begun");
        writer.write_all(content).expect("added");
    }
    writer.finish().expect("packed").into_inner()
}

#[test]
fn a_folder_is_read_by_name_and_links_are_not_followed() {
    let folder = TempDir::new().expect("a folder");
    for name in ["in/b.json", "in/a/c.JSON", "in/readme.md", "secret.json"] {
        write(&folder, name, b"{}");
    }
    let root = folder.path().join("in");
    std::os::unix::fs::symlink(folder.path().join("secret.json"), root.join("d.json")).expect("a link");
    std::os::unix::fs::symlink(folder.path(), root.join("up")).expect("a link");
    let expected = vec![("a/c.JSON".into(), Ok(2)), ("b.json".into(), Ok(2)), ("d.json".into(), Err(LINK.to_owned()))];
    assert_eq!(entries(&root), Ok(expected));
}

#[test]
fn a_folder_has_a_bottom() {
    let folder = TempDir::new().expect("a folder");
    write(&folder, &format!("{}x.json", "d/".repeat(DEPTH + 1)), b"{}");
    assert!(entries(folder.path()).expect_err("too deep").contains("deeper than 16 folders"));
}

#[test]
fn archives_give_files_alone_that_stay_in_them() {
    let folder = TempDir::new().expect("a folder");
    let away = || Err(LEADS_AWAY.to_owned());
    let link = || Err(LINK.to_owned());
    let tar = tarball(&[
        (b'5', "osv/", b""),
        (b'0', "osv/a.json", b"{}"),
        (b'0', "../up.json", b"{}"),
        (b'0', "/etc/x.json", b"{}"),
        (b'0', "a/../../b.json", b"{}"),
        (b'2', "link.json", b""),
        (b'1', "hard.json", b""),
        (b'3', "device.json", b""),
        (b'0', "notes.txt", b"no"),
    ]);
    let expected = vec![
        ("osv/a.json".into(), Ok(2)),
        ("../up.json".into(), away()),
        ("/etc/x.json".into(), away()),
        ("a/../../b.json".into(), away()),
        ("link.json".into(), link()),
        ("hard.json".into(), link()),
        ("device.json".into(), link()),
    ];
    assert_eq!(entries(&write(&folder, "a.tar.gz", &tar)), Ok(expected));
    let zip = zipped(&[("osv/a.json", b"{}"), ("../up.json", b"{}"), ("a\\..\\b.json", b"{}"), ("notes.txt", b"no")]);
    let expected = vec![("osv/a.json".into(), Ok(2)), ("../up.json".into(), away()), ("a\\..\\b.json".into(), away())];
    assert_eq!(entries(&write(&folder, "a.zip", &zip)), Ok(expected));
}

#[test]
fn bombs_go_off_harmlessly() {
    let folder = TempDir::new().expect("a folder");
    let zeros = vec![b' '; 64 << 20];
    let long = || Err(format!("it has more than {LONGEST} bytes"));
    let zip = zipped(&[("bomb.json", &zeros), ("good.json", b"{}")]);
    assert!(zip.len() < 1 << 20, "64 MiB are packed in {} bytes", zip.len());
    let expected = vec![("bomb.json".into(), long()), ("good.json".into(), Ok(2))];
    assert_eq!(entries(&write(&folder, "bomb.zip", &zip)), Ok(expected.clone()));
    let tar = tarball(&[(b'0', "bomb.json", &zeros), (b'0', "good.json", b"{}")]);
    assert_eq!(entries(&write(&folder, "bomb.tar.gz", &tar)), Ok(expected));
    assert_eq!(entries(&write(&folder, "bomb.json", &zeros)), Ok(vec![("bomb.json".into(), long())]));
}

#[test]
fn an_archive_unpacks_to_so_much_and_no_more() {
    let mut reader = Bounded { reader: io::repeat(0), left: 10 << 20 };
    let mut buffer = vec![0; 1 << 20];
    let read = std::iter::repeat_with(|| reader.read(&mut buffer)).take_while(Result::is_ok).count();
    assert_eq!(read, 9, "the tenth MiB is one too many");
}

#[test]
fn what_is_damaged_is_told() {
    let folder = TempDir::new().expect("a folder");
    for (name, content) in [("a.zip", &b"PK\x03\x04 no zip"[..]), ("a.tar.gz", &b"\x1f\x8b no gzip"[..])] {
        let message = entries(&write(&folder, name, content)).expect_err("damaged");
        assert!(message.contains("cannot be read"), "{message}");
    }
    assert!(entries(&folder.path().join("none")).expect_err("none").contains("none"));
}
