//! Feeds that were made, in files without a name: the system takes them away when nobody reads them any more, whatever happens.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    io::{BufWriter, Write as _},
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use domain::{Error, Result, Uidp};
use store::vulnerabilities::feeds::State;
use tokio::task::spawn_blocking;

use super::Form;

/// Bytes of all feeds that are kept: those that were not asked for for longest give way. Each is at most half as large.
const BYTES: u64 = 4 << 30;
/// Feeds that are kept: each has an open file.
const FEEDS: usize = 256;

/// The feeds that are kept.
#[derive(Debug)]
pub(super) struct Kept {
    folder: PathBuf,
    feeds: Mutex<HashMap<(Uidp, Form), Entry>>,
    /// Counts what is asked for, and names files.
    clock: AtomicU64,
}

#[derive(Debug)]
struct Entry {
    snapshot: Arc<Snapshot>,
    used: u64,
}

/// A feed of one state.
#[derive(Debug)]
pub struct Snapshot {
    state: State,
    file: fs::File,
    bytes: u64,
    contents: BTreeMap<String, Pieces>,
}

/// Where in the file the bytes of a content stand, one piece behind the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces {
    pieces: Vec<Piece>,
    len: u64,
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    /// Where it begins in the content.
    at: u64,
    /// Where it begins in the file.
    from: u64,
    len: u64,
}

/// The bytes of a file of a feed, which are read as they are sent.
#[derive(Clone, Debug)]
pub struct Content {
    snapshot: Arc<Snapshot>,
    name: String,
    len: u64,
}

/// A file that is written.
#[derive(Debug)]
pub(super) struct Spool {
    file: BufWriter<fs::File>,
    at: u64,
}

impl Kept {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, feeds: Mutex::default(), clock: AtomicU64::new(0) }
    }

    /// The feed as it was made last, if it is kept.
    pub(super) fn find(&self, group: &Uidp, form: Form) -> Option<Arc<Snapshot>> {
        let used = self.clock.fetch_add(1, Ordering::Relaxed);
        let mut feeds = self.feeds();
        let entry = feeds.get_mut(&(group.clone(), form))?;
        entry.used = used;
        Some(Arc::clone(&entry.snapshot))
    }

    /// Keeps the feed instead of an older one.
    pub(super) fn put(&self, group: &Uidp, form: Form, snapshot: Arc<Snapshot>) {
        let used = self.clock.fetch_add(1, Ordering::Relaxed);
        let mut feeds = self.feeds();
        feeds.insert((group.clone(), form), Entry { snapshot, used });
        while feeds.len() > FEEDS || feeds.values().map(|entry| entry.snapshot.bytes).sum::<u64>() > BYTES {
            let oldest = feeds.iter().min_by_key(|(_, entry)| entry.used).map(|(key, _)| key.clone());
            let Some(oldest) = oldest else { break };
            feeds.remove(&oldest);
        }
    }

    fn feeds(&self) -> MutexGuard<'_, HashMap<(Uidp, Form), Entry>> {
        self.feeds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A file to write a feed to.
    ///
    /// # Errors
    /// Internal when the folder cannot be written to.
    pub(super) fn spool(&self) -> Result<Spool> {
        let number = self.clock.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(format!("feed-{number}.tmp"));
        // One of a process that was killed between the next two steps is nobody's.
        let _ = fs::remove_file(&path);
        let file = fs::File::options().read(true).write(true).create_new(true).open(&path).map_err(Error::internal)?;
        fs::remove_file(&path).map_err(Error::internal)?;
        Ok(Spool { file: BufWriter::with_capacity(1 << 20, file), at: 0 })
    }
}

impl Spool {
    /// Writes the bytes behind those before, and adds them to each of the contents.
    ///
    /// # Errors
    /// Internal when the disk is full.
    pub(super) fn write(&mut self, bytes: &[u8], of: &mut Pieces) -> Result<u64> {
        self.file.write_all(bytes).map_err(Error::internal)?;
        let from = self.at;
        self.at += bytes.len() as u64;
        of.add(from, bytes.len() as u64);
        Ok(from)
    }

    /// Bytes that were written before.
    ///
    /// # Errors
    /// As [`Spool::write`].
    pub(super) fn read(&mut self, from: u64, len: usize) -> Result<Vec<u8>> {
        use std::os::unix::fs::FileExt as _;

        self.file.flush().map_err(Error::internal)?;
        let mut out = vec![0; len];
        self.file.get_ref().read_exact_at(&mut out, from).map_err(Error::internal)?;
        Ok(out)
    }

    /// The feed that was written.
    ///
    /// # Errors
    /// As [`Spool::write`].
    pub(super) fn finish(self, state: State, contents: BTreeMap<String, Pieces>) -> Result<Snapshot> {
        let Self { file, at } = self;
        let file = file.into_inner().map_err(|error| Error::internal(error.into_error()))?;
        Ok(Snapshot { state, file, bytes: at, contents })
    }
}

impl Pieces {
    /// Adds bytes of the file.
    pub(super) fn add(&mut self, from: u64, len: u64) {
        match self.pieces.last_mut() {
            Some(last) if last.from + last.len == from => last.len += len,
            _ => self.pieces.push(Piece { at: self.len, from, len }),
        }
        self.len += len;
    }

    /// Adds what the others have.
    pub(super) fn append(&mut self, others: Self) {
        for piece in others.pieces {
            self.add(piece.from, piece.len);
        }
    }
}

impl Snapshot {
    /// What it was made from.
    #[must_use]
    pub fn state(&self) -> State {
        self.state
    }

    /// The file of this name, if it has one.
    #[must_use]
    pub fn content(self: &Arc<Self>, name: &str) -> Option<Content> {
        let len = self.contents.get(name)?.len;
        Some(Content { snapshot: Arc::clone(self), name: name.to_owned(), len })
    }

    /// So many bytes of the content from there on.
    fn read(&self, name: &str, from: u64, most: usize) -> std::io::Result<Vec<u8>> {
        use std::os::unix::fs::FileExt as _;

        let Some(Pieces { pieces, .. }) = self.contents.get(name) else { return Ok(Vec::new()) };
        let mut out = Vec::with_capacity(most);
        let first = pieces.partition_point(|piece| piece.at + piece.len <= from);
        for piece in pieces.iter().skip(first) {
            let skipped = from.saturating_sub(piece.at);
            let room = most - out.len();
            let take = usize::try_from(piece.len - skipped).unwrap_or(usize::MAX).min(room);
            if take == 0 {
                break;
            }
            let filled = out.len();
            out.resize(filled + take, 0);
            self.file.read_exact_at(out.get_mut(filled..).unwrap_or_default(), piece.from + skipped)?;
        }
        Ok(out)
    }
}

impl Content {
    /// How many bytes it has.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes from there on, so many at most; none behind its end.
    ///
    /// # Errors
    /// Internal when the disk fails.
    pub async fn read(&self, from: u64, most: usize) -> Result<Vec<u8>> {
        let (snapshot, name) = (Arc::clone(&self.snapshot), self.name.clone());
        let read = spawn_blocking(move || snapshot.read(&name, from, most)).await.map_err(Error::internal)?;
        read.map_err(Error::internal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn contents_are_put_together_of_their_pieces() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = Kept::new(folder.path().to_owned());
        let (mut one, mut other) = (Pieces::default(), Pieces::default());
        let mut spool = kept.spool().expect("a file");
        let from = spool.write(b"both", &mut one).expect("written");
        other.add(from, 4);
        spool.write(b"-other", &mut other).expect("written");
        spool.write(b"-one", &mut one).expect("written");
        let contents = BTreeMap::from([("one".to_owned(), one), ("other".to_owned(), other)]);
        let snapshot = Arc::new(spool.finish(State::default(), contents).expect("made"));
        for (name, whole) in [("one", "both-one"), ("other", "both-other")] {
            let content = snapshot.content(name).expect("a file");
            assert_eq!(content.len(), whole.len() as u64);
            for at in 0..=whole.len() {
                let read = content.read(at as u64, 3).await.expect("read");
                assert_eq!(String::from_utf8_lossy(&read), whole[at..(at + 3).min(whole.len())]);
            }
        }
        assert!(snapshot.content("none").is_none());
        assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 0);
    }
}
