//! A backup file, read.

use std::{
    collections::HashSet,
    fs::File,
    io::{BufRead, BufReader, Read, Seek, SeekFrom, Take},
    path::{Path, PathBuf},
};

use aws_lc_rs::digest;
use domain::{Error, Kind, Result, Revision, Rule, Timestamp};
use flate2::bufread::GzDecoder;

use super::{
    header::{Header, Trailer, VOUCHED, damaged},
    lines::{self, LINE},
    tables::{Cell, OLDEST, SIGNING_KEYS, TABLES, Table},
};
use crate::{
    chain::{Keys, Purpose, finish},
    signing_keys::SigningKey,
};

/// Longest first line in bytes.
const FIRST: u64 = 64 * 1024;
/// Bytes that the rows of signing keys may have: they are kept in memory.
const KEYS: usize = 16 * 1024 * 1024;

/// A whole and unaltered backup file. Every byte of it was read.
#[derive(Clone, Debug)]
pub struct Archive {
    path: PathBuf,
    header: Header,
    trailer: Trailer,
    signing_keys: Vec<SigningKey>,
}

impl Archive {
    /// Reads the file from its first to its last byte, twice: against its checksum, and row by row. `progress` hears of the
    /// rows read so far and of their number. Blocks.
    ///
    /// # Errors
    /// Not found or failed precondition when the file cannot be read; invalid argument when it is cut off, altered, of a
    /// newer format or of another schema.
    pub fn check(path: &Path, mut progress: impl FnMut(u64, u64)) -> Result<Self> {
        let (header, trailer) = check_whole(path)?;
        check_schema(&header)?;
        let mut rows = Rows::open(path, &header, &trailer)?;
        let (mut signing_keys, mut key_bytes, mut done) = (Vec::new(), 0, 0);
        for _ in TABLES.iter().filter(|table| table.is_in(header.schema)) {
            let table = rows.heading()?;
            for _ in 0..header.rows.get(table.name).copied().unwrap_or_default() {
                let row = rows.next(table)?;
                if table.name == SIGNING_KEYS {
                    key_bytes += rows.line.len();
                    if key_bytes > KEYS {
                        return Err(damaged("its signing keys have more than 16 MiB"));
                    }
                    signing_keys.push(signing_key(row)?);
                }
                done += 1;
                if done % 1000 == 0 {
                    progress(done, header.total());
                }
            }
        }
        rows.end()?;
        Ok(Self { path: path.to_owned(), header, trailer, signing_keys })
    }

    /// What its first line says.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The signing keys in it: whoever restores it asks whether the key file opens them.
    #[must_use]
    pub fn signing_keys(&self) -> &[SigningKey] {
        &self.signing_keys
    }

    /// Makes sure that one of these keys vouches for it, and that none of before does.
    ///
    /// # Errors
    /// Failed precondition, saying who vouches for it instead.
    pub fn check_code(&self, keys: &Keys) -> Result<()> {
        let refused = |why: &str| Err(Error::new(Kind::FailedPrecondition, Rule::Unavailable, format!("this backup {why}")));
        let Some(code) = self.trailer.code else {
            return refused("has no code: an older program wrote it, or somebody who has no key of this installation");
        };
        match keys.live(code.key) {
            Some(key) if key.made(code, Purpose::Backup, &[VOUCHED, &self.trailer.sha256]) => Ok(()),
            Some(_) => refused("was made or altered by somebody who has no key of this installation: its code does not fit"),
            None => refused(&format!("has a code by the key {}, which is not in the key file", code.key)),
        }
    }

    pub(super) fn rows(&self) -> Result<Rows> {
        Rows::open(&self.path, &self.header, &self.trailer)
    }
}

/// Compares the file with its checksum and reads its first line.
fn check_whole(path: &Path) -> Result<(Header, Trailer)> {
    let mut file = BufReader::with_capacity(1 << 20, open(path)?);
    let mut first = Vec::new();
    (&mut file).take(FIRST).read_until(b'\n', &mut first).map_err(|error| unreadable(path, &error))?;
    let header = Header::parse(&first)?;
    let length = file.get_ref().metadata().map_err(|error| unreadable(path, &error))?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(Trailer::MOST as u64))).map_err(|error| unreadable(path, &error))?;
    let mut end = Vec::new();
    (&mut file).take(Trailer::MOST as u64).read_to_end(&mut end).map_err(|error| unreadable(path, &error))?;
    let trailer = Trailer::parse(&end)?;
    let content = length.saturating_sub(trailer.length() as u64);
    file.seek(SeekFrom::Start(0)).map_err(|error| unreadable(path, &error))?;
    let mut hash = digest::Context::new(&digest::SHA256);
    let mut left = (&mut file).take(content);
    loop {
        let bytes = left.fill_buf().map_err(|error| unreadable(path, &error))?;
        if bytes.is_empty() {
            break;
        }
        hash.update(bytes);
        let n = bytes.len();
        left.consume(n);
    }
    if finish(hash.finish()) != trailer.sha256 {
        return Err(damaged("it was altered: its checksum does not fit"));
    }
    Ok((header, trailer))
}

fn check_schema(header: &Header) -> Result<()> {
    let (theirs, ours) = (header.schema, i64::try_from(crate::schema::CURRENT).map_err(Error::internal)?);
    if theirs > ours {
        return Err(damaged(&format!(
            "it has schema {theirs}, and this provost knows {ours} at most: restore it with provost {} or later",
            header.version
        )));
    }
    if theirs < OLDEST {
        return Err(damaged(&format!(
            "it has schema {theirs}, and this provost has {ours}: restore it with provost {}, which wrote it, then upgrade",
            header.version
        )));
    }
    Ok(())
}

/// The rows of a file, one after the other.
#[derive(Debug)]
pub(super) struct Rows {
    lines: BufReader<GzDecoder<BufReader<Take<File>>>>,
    line: Vec<u8>,
    schema: i64,
    /// The tables that have begun.
    begun: HashSet<&'static str>,
}

impl Rows {
    fn open(path: &Path, header: &Header, trailer: &Trailer) -> Result<Self> {
        let mut file = BufReader::new(open(path)?);
        let first = file.skip_until(b'\n').map_err(|error| unreadable(path, &error))? as u64;
        let mut file = file.into_inner();
        let length = file.metadata().map_err(|error| unreadable(path, &error))?.len();
        file.seek(SeekFrom::Start(first)).map_err(|error| unreadable(path, &error))?;
        let compressed = file.take(length.saturating_sub(first + trailer.length() as u64));
        let lines = BufReader::new(GzDecoder::new(BufReader::new(compressed)));
        Ok(Self { lines, line: Vec::new(), schema: header.schema, begun: HashSet::new() })
    }

    /// Goes on to the rows of the next table, and answers which that is: every table comes once, in whatever order, with what
    /// others refer to before those.
    pub(super) fn heading(&mut self) -> Result<&'static Table> {
        let (schema, line) = (self.schema, self.line()?);
        let table = TABLES.iter().find(|table| line == lines::heading(table, schema).as_slice());
        match table {
            Some(table) if self.begun.insert(table.name) => Ok(table),
            Some(table) => Err(damaged(&format!("the table {} begins twice", table.name))),
            None => Err(damaged("a table does not begin where it should, or has other columns")),
        }
    }

    /// The next row of `table`.
    pub(super) fn next(&mut self, table: &Table) -> Result<Vec<Cell>> {
        let schema = self.schema;
        lines::read(table, schema, self.line()?)
    }

    /// The next rows of `table`: `most` of them, or fewer when they have that many `bytes` before.
    pub(super) fn some(&mut self, table: &Table, most: usize, bytes: usize) -> Result<(Vec<Vec<Cell>>, usize)> {
        let (mut some, mut read) = (Vec::new(), 0);
        while some.len() < most && read < bytes {
            some.push(self.next(table)?);
            read += self.line.len();
        }
        Ok((some, read))
    }

    /// Makes sure that nothing follows.
    pub(super) fn end(&mut self) -> Result<()> {
        let nothing_more = self.line()?.is_empty();
        let file = self.lines.get_mut().get_mut();
        if nothing_more && file.fill_buf().is_ok_and(<[u8]>::is_empty) {
            return Ok(());
        }
        Err(damaged("it has more rows than its first line says"))
    }

    fn line(&mut self) -> Result<&[u8]> {
        self.line.clear();
        let read = (&mut self.lines).take(LINE as u64 + 1).read_until(b'\n', &mut self.line);
        read.map_err(|error| damaged(&format!("it cannot be decompressed: {error}")))?;
        if self.line.len() > LINE {
            return Err(damaged("one of its rows has more than 32 MiB"));
        }
        Ok(&self.line)
    }
}

fn signing_key(row: Vec<Cell>) -> Result<SigningKey> {
    match <[Cell; 9]>::try_from(row) {
        Ok(
            [
                Cell::Text(kid),
                Cell::Text(algorithm),
                Cell::Bytes(private_key),
                Cell::Text(public_jwk),
                Cell::Int(created_at),
                Cell::Int(not_before_at),
                retired_at,
                Cell::Int(revision),
                code,
            ],
        ) => Ok(SigningKey {
            kid,
            algorithm,
            private_key,
            public_jwk,
            created_at: Timestamp(created_at),
            not_before_at: Timestamp(not_before_at),
            retired_at: if let Cell::Int(at) = retired_at { Some(Timestamp(at)) } else { None },
            revision: Revision(revision),
            code: if let Cell::Bytes(code) = code { code } else { Vec::new() },
        }),
        _ => Err(damaged("a signing key is not what it should be")),
    }
}

fn open(path: &Path) -> Result<File> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    if !file.metadata().map_err(|error| unreadable(path, &error))?.is_file() {
        return Err(unreadable(path, &std::io::Error::other("it is no regular file")));
    }
    Ok(file)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    let kind = if error.kind() == std::io::ErrorKind::NotFound { Kind::NotFound } else { Kind::FailedPrecondition };
    Error::new(kind, Rule::Unavailable, format!("cannot read {}: {error}", path.display()))
}
