//! The journal as SQLite's recovery reads it, to tell what that leaves out (sqlite.org/fileformat2.html, section 4).
//!
//! Recovery takes over commits up to the first frame that is not whole, and forgets the rest. Every commit is on the disk before
//! the next one begins, so a crash leaves at most one that is not whole, of which nobody was told. More are damage.

use std::{
    fs::File,
    io::{BufReader, ErrorKind, Read, Result},
    path::Path,
};

/// The bytes of the header, and of that of a frame.
const HEADER: usize = 32;
const FRAME: usize = 24;
/// What the header begins with; with the last bit, checksums read big-endian words.
const MAGIC: u32 = 0x377f_0682;
/// The pages that SQLite knows.
const PAGES: std::ops::RangeInclusive<usize> = 512..=65_536;

/// What the next start would leave out of SQLite's journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The number of the frame that is not whole, from 1; 0 for the header.
    pub frame: u64,
    /// Commits that end with it or behind it.
    pub commits: u64,
}

/// Reads the journal. `None` when it is whole, ends as a crash within a write ends it, or is not there.
///
/// # Errors
/// Whatever keeps it from being read.
pub(super) fn left_out(journal: &Path) -> Result<Option<LeftOut>> {
    let file = match File::open(journal) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut file = BufReader::with_capacity(1 << 16, file);
    let mut header = [0; HEADER];
    if !is_filled(&mut file, &mut header)? {
        return Ok(None);
    }
    let size = word(&header, 8) as usize;
    // Without its size frames cannot be told from each other.
    if !PAGES.contains(&size) || !size.is_power_of_two() {
        return Ok(Some(LeftOut { frame: 0, commits: 0 }));
    }
    let big = word(&header, 0) == MAGIC | 1;
    let mut sum = Sum { big, words: (0, 0) };
    sum.add(&header[..24]);
    let is_header = word(&header, 0) & !1 == MAGIC && sum.words == (word(&header, 24), word(&header, 28));
    let mut salts = is_header.then(|| (word(&header, 16), word(&header, 20)));
    let mut left_out = (!is_header).then_some(LeftOut { frame: 0, commits: 0 });
    let (mut head, mut page) = ([0; FRAME], vec![0; size]);
    for number in 1.. {
        if !is_filled(&mut file, &mut head)? || !is_filled(&mut file, &mut page)? {
            break;
        }
        // Behind a header that is not whole, the first frame says which ones belong together.
        let own = (word(&head, 8), word(&head, 12));
        if own != *salts.get_or_insert(own) {
            // Altered, or what is left of a journal of before, behind which nothing of this one follows.
            left_out.get_or_insert(LeftOut { frame: number, commits: 0 });
            continue;
        }
        if left_out.is_none() {
            sum.add(&head[..8]);
            sum.add(&page);
            if sum.words != (word(&head, 16), word(&head, 20)) {
                left_out = Some(LeftOut { frame: number, commits: 0 });
            }
        }
        if let Some(left_out) = &mut left_out
            && word(&head, 4) > 0
        {
            left_out.commits += 1;
        }
    }
    Ok(left_out.filter(|left_out| left_out.commits > 0))
}

/// Fills the buffer. `false` when the file ends before that.
fn is_filled(file: &mut impl Read, buffer: &mut [u8]) -> Result<bool> {
    match file.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// The big-endian word at `at`.
fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|word| word.try_into().ok()).map_or(0, u32::from_be_bytes)
}

/// The checksum of everything up to a frame.
struct Sum {
    big: bool,
    words: (u32, u32),
}

impl Sum {
    fn add(&mut self, bytes: &[u8]) {
        let (mut one, mut other) = self.words;
        let (pairs, _) = bytes.as_chunks::<8>();
        for pair in pairs {
            let read = |at| if self.big { word(pair, at) } else { word(pair, at).swap_bytes() };
            one = one.wrapping_add(read(0)).wrapping_add(other);
            other = other.wrapping_add(read(4)).wrapping_add(one);
        }
        self.words = (one, other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMITS: i64 = 9;

    /// A journal with so many commits, as it is while it is open, and where each ends.
    fn journal() -> (Vec<u8>, Vec<usize>) {
        let folder = tempfile::tempdir().expect("a folder");
        let raw = rusqlite::Connection::open(folder.path().join("t.db")).expect("opens");
        raw.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (n INTEGER, text TEXT)").expect("made");
        let path = folder.path().join("t.db-wal");
        let size = || usize::try_from(std::fs::metadata(&path).expect("is there").len()).expect("small");
        let mut ends = vec![size()];
        for n in 1..COMMITS {
            raw.execute("INSERT INTO t VALUES (?1, printf('%9000d', 1))", [n]).expect("written");
            ends.push(size());
        }
        (std::fs::read(&path).expect("read"), ends)
    }

    fn of(journal: &[u8]) -> Option<LeftOut> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.db-wal");
        std::fs::write(&path, journal).expect("written");
        left_out(&path).expect("reads")
    }

    #[test]
    fn a_whole_journal_and_none_leave_nothing_out() {
        let (journal, ends) = journal();
        assert_eq!((of(&journal), of(&[]), of(&journal[..20])), (None, None, None));
        assert_eq!(left_out(Path::new("/nowhere/t.db-wal")).expect("reads"), None);
        // A write that was cut off, at its commit or within it.
        for end in ends {
            assert_eq!((of(&journal[..end]), of(&journal[..end - 100])), (None, None));
        }
    }

    #[test]
    fn what_lies_behind_an_altered_byte_is_counted() {
        let (journal, ends) = journal();
        for at in (0..journal.len()).step_by(97) {
            let mut altered = journal.clone();
            altered[at] ^= 1;
            let behind = ends.iter().filter(|end| **end > at).count() as u64;
            let found = of(&altered);
            // The page size, the format's version and the salts of one frame hide some of them.
            let known = found.map_or(0, |found| found.commits);
            assert!(known == behind || known + 1 == behind || (8..12).contains(&at), "{at}: {found:?}, {behind} behind it");
        }
    }

    #[test]
    fn what_is_left_of_a_journal_of_before_does_not_count() {
        let folder = tempfile::tempdir().expect("a folder");
        let raw = rusqlite::Connection::open(folder.path().join("t.db")).expect("opens");
        raw.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (text TEXT)").expect("made");
        for _ in 0..9 {
            raw.execute("INSERT INTO t VALUES (printf('%9000d', 1))", []).expect("written");
        }
        raw.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(())).expect("begins anew");
        raw.execute("INSERT INTO t VALUES ('short')", []).expect("written");
        assert_eq!(left_out(&folder.path().join("t.db-wal")).expect("reads"), None);
    }
}
