//! Documents to import: of a file, a folder or an archive. Archives are unpacked here, so that a server sees single documents only.
//!
//! Nothing is written anywhere, so no name in an archive leads to a file. What is read is limited in size, number and depth, whatever
//! an archive says about itself.

use std::{
    fs::{self, File},
    io::{self, BufReader, Read, Seek as _, SeekFrom},
    path::{Component, Path, PathBuf},
};

use flate2::read::MultiGzDecoder;
use tokio::sync::mpsc::Sender;

use crate::exit::Failure;

/// Longest document in bytes. Servers take no longer one.
const LONGEST: u64 = 512 << 10;
/// Most bytes that all of an archive unpacks to, what is passed over included.
const UNPACKED: u64 = 1 << 30;
/// Most entries of a folder or archive.
const ENTRIES: usize = 200_000;
/// How deep folders may lie in each other.
const DEPTH: usize = 16;

/// A document, or what stands in its place.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Its path, from the folder or archive on.
    pub(crate) name: String,
    /// Its bytes, or why it is not read.
    pub(crate) content: Result<Vec<u8>, String>,
}

/// Reads everything at `path`, always in the same order, into `to`. What is no JSON by its name is passed over. It ends early when nobody
/// takes entries any more.
///
/// # Errors
/// When the path cannot be read, the archive is damaged, or it goes beyond a limit.
pub(crate) fn read(path: &Path, to: &Sender<Entry>) -> Result<(), Failure> {
    let named = |error: io::Error| Failure::usage(format!("{}: {error}", path.display()));
    let metadata = fs::metadata(path).map_err(named)?;
    let mut out = Out { to, entries: 0 };
    if metadata.is_dir() {
        return folder(path, path, 0, &mut out).map(drop);
    }
    if !metadata.is_file() {
        return Err(Failure::usage(format!("{} is neither a file nor a folder", path.display())));
    }
    let mut file = File::open(path).map_err(named)?;
    let mut magic = [0; 4];
    let known = file.read(&mut magic).map_err(named)?;
    file.seek(SeekFrom::Start(0)).map_err(named)?;
    match magic.get(..known) {
        Some([0x1f, 0x8b, ..]) => tar(path, MultiGzDecoder::new(BufReader::new(file)), &mut out),
        Some([b'P', b'K', ..]) => zip(path, file, &mut out),
        _ => {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            out.give(name, limited(file));
            Ok(())
        }
    }
}

/// Where entries go.
struct Out<'a> {
    to: &'a Sender<Entry>,
    entries: usize,
}

impl Out<'_> {
    /// Counts an entry, whatever becomes of it.
    fn count(&mut self) -> Result<(), Failure> {
        self.entries += 1;
        if self.entries > ENTRIES {
            return Err(Failure::usage(format!("it has more than {ENTRIES} entries; import it in parts")));
        }
        Ok(())
    }

    /// Gives an entry away; answers whether anybody takes more.
    fn give(&self, name: String, content: Result<Vec<u8>, String>) -> bool {
        self.to.blocking_send(Entry { name, content }).is_ok()
    }
}

/// Whether something of this name is read.
fn is_document(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

/// Whether a path stays where it is unpacked.
fn stays(name: &str) -> bool {
    let path = Path::new(name);
    !name.contains('\\') && path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

const LEADS_AWAY: &str = "its path leads out of the archive";
const LINK: &str = "it is a link or a device, and only files are read";

/// What the reader has, as far as a document may be long.
fn limited(reader: impl Read) -> Result<Vec<u8>, String> {
    let mut content = Vec::new();
    match reader.take(LONGEST + 1).read_to_end(&mut content) {
        Ok(_) if content.len() as u64 > LONGEST => Err(format!("it has more than {LONGEST} bytes")),
        Ok(_) => Ok(content),
        Err(error) => Err(format!("it cannot be read: {error}")),
    }
}

/// Reads a folder, by name. Links are not followed. Answers whether anybody takes more.
fn folder(root: &Path, at: &Path, depth: usize, out: &mut Out<'_>) -> Result<bool, Failure> {
    let named = |error: io::Error| Failure::usage(format!("{}: {error}", at.display()));
    if depth > DEPTH {
        return Err(Failure::usage(format!("{} lies deeper than {DEPTH} folders", at.display())));
    }
    let mut paths = Vec::<PathBuf>::new();
    for entry in fs::read_dir(at).map_err(named)? {
        out.count()?;
        paths.push(entry.map_err(named)?.path());
    }
    paths.sort();
    for path in paths {
        let kind = fs::symlink_metadata(&path).map_err(named)?.file_type();
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        let goes_on = if kind.is_dir() {
            folder(root, &path, depth + 1, out)?
        } else if !is_document(&name) {
            true
        } else if kind.is_file() {
            let content = File::open(&path).map_err(|error| format!("it cannot be read: {error}")).and_then(limited);
            out.give(name, content)
        } else {
            out.give(name, Err(LINK.to_owned()))
        };
        if !goes_on {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reads a tar archive that is unpacked on the way.
fn tar(path: &Path, unpacked: impl Read, out: &mut Out<'_>) -> Result<(), Failure> {
    let damaged = |error: io::Error| Failure::usage(format!("{} cannot be read: {error}", path.display()));
    let mut archive = tar::Archive::new(Bounded { reader: unpacked, left: UNPACKED });
    for entry in archive.entries().map_err(damaged)? {
        let entry = entry.map_err(damaged)?;
        out.count()?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let kind = entry.header().entry_type();
        if kind.is_dir() || kind.is_pax_global_extensions() || !is_document(&name) {
            continue;
        }
        let content = match (stays(&name), kind.is_file()) {
            (false, _) => Err(LEADS_AWAY.to_owned()),
            (true, false) => Err(LINK.to_owned()),
            (true, true) => limited(entry),
        };
        if !out.give(name, content) {
            break;
        }
    }
    Ok(())
}

/// Reads a zip archive.
fn zip(path: &Path, file: File, out: &mut Out<'_>) -> Result<(), Failure> {
    let damaged = |error: &dyn std::fmt::Display| Failure::usage(format!("{} cannot be read: {error}", path.display()));
    let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(|error| damaged(&error))?;
    let mut left = UNPACKED;
    for index in 0..archive.len() {
        out.count()?;
        let (name, content) = match archive.by_index(index) {
            Ok(entry) => {
                let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
                if entry.is_dir() || !is_document(&name) {
                    continue;
                }
                let content = match (stays(&name), entry.is_file()) {
                    (false, _) => Err(LEADS_AWAY.to_owned()),
                    (true, false) => Err(LINK.to_owned()),
                    (true, true) => limited(entry),
                };
                (name, content)
            }
            // A single entry may be packed or encrypted in a way that is not known here.
            Err(error) => (format!("entry {index}"), Err(format!("it cannot be read: {error}"))),
        };
        left = left.saturating_sub(content.as_ref().map_or(LONGEST, |content| content.len() as u64));
        if left == 0 {
            return Err(too_large(path));
        }
        if !out.give(name, content) {
            break;
        }
    }
    Ok(())
}

fn too_large(path: &Path) -> Failure {
    Failure::usage(format!("{} unpacks to more than {} MiB; import it in parts", path.display(), UNPACKED >> 20))
}

/// A reader that fails once it has given so many bytes.
struct Bounded<R> {
    reader: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.left = self.left.saturating_sub(read as u64);
        if self.left == 0 {
            return Err(io::Error::other(format!("it unpacks to more than {} MiB; import it in parts", UNPACKED >> 20)));
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests;
