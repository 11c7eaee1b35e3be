//! Making a backup: one snapshot, read page by page.

use std::{io::Write, mem, sync::Arc};

use aws_lc_rs::digest;
use database::Param;
use domain::{Error, Kind, Result, Rule, Timestamp};
use flate2::{Compression, write::GzEncoder};

use super::{
    header::{FORMAT, Header, Trailer, VOUCHED},
    lines::{self, LINE},
    tables::{Cell, TABLES, Table, check_complete},
};
use crate::{
    Reader, Store,
    chain::{Keys, Purpose, finish},
    table::Column,
};

/// Rows read by one statement at most.
const PAGE: usize = 500;
/// Bytes of rows taken from one statement; the last row may exceed it.
const BYTES: usize = 4 * 1024 * 1024;
/// Compressed bytes that are worth giving away.
const PIECE: usize = 64 * 1024;

/// A backup under way: it holds a snapshot until it is dropped, and never more than some megabytes of rows in memory.
#[derive(Debug)]
pub struct Backup {
    reader: Reader,
    header: Header,
    /// What vouches for it.
    keys: Option<Arc<Keys>>,
    state: State,
    hash: Hash,
    /// Rows written so far.
    done: u64,
    /// Rows that the next statement reads: fewer where they are large.
    page: usize,
}

#[derive(Debug)]
enum State {
    /// The first line is still to be given.
    Begin,
    /// Within this table, after this key.
    Table { number: usize, after: Option<Vec<Cell>>, encoder: GzEncoder<Vec<u8>> },
    /// Everything was given.
    End,
}

/// SHA-256 of everything given away so far.
struct Hash(digest::Context);

impl std::fmt::Debug for Hash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hash")
    }
}

impl Backup {
    /// Begins with a snapshot of the last commit. `version` is the program's.
    ///
    /// # Errors
    /// Whatever the store answers; internal when the schema has a table that backups do not know.
    pub async fn begin(store: &Store, version: &str, now: Timestamp) -> Result<Self> {
        // What is known and not yet written belongs to it.
        store.flush().await?;
        let mut reader = store.reader().await?;
        reader.take_time().await?;
        check_complete(&mut reader).await?;
        let mut header = Header {
            format: FORMAT,
            schema: i64::try_from(crate::schema::CURRENT).map_err(Error::internal)?,
            version: version.to_owned(),
            engine: reader.engine().to_owned(),
            created_at: now.0,
            revision: number(&mut reader, "SELECT n FROM revision").await?,
            head: reader.head().await?.map(|head| hex::encode(head.code.to_bytes())),
            rows: [].into(),
        };
        for table in &*TABLES {
            let rows = number(&mut reader, &format!("SELECT count(*) FROM {}", table.name)).await?;
            header.rows.insert(table.name.to_owned(), u64::try_from(rows).map_err(Error::internal)?);
        }
        let hash = Hash(digest::Context::new(&digest::SHA256));
        Ok(Self { reader, header, keys: store.keys(), state: State::Begin, hash, done: 0, page: PAGE })
    }

    /// What its first line says.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How many rows are in what was given so far, out of [`Header::total`].
    #[must_use]
    pub fn done(&self) -> u64 {
        self.done
    }

    /// The next bytes of the file; `None` at its end.
    ///
    /// # Errors
    /// Whatever the store answers. A backup that failed is to be thrown away.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let bytes = match mem::replace(&mut self.state, State::End) {
            State::Begin => {
                let mut line = serde_json::to_vec(&self.header).map_err(Error::internal)?;
                line.push(b'\n');
                let encoder = GzEncoder::new(Vec::new(), Compression::fast());
                self.state = State::Table { number: 0, after: None, encoder };
                line
            }
            State::Table { number, after, encoder } => self.compress(number, after, encoder).await?,
            State::End => return Ok(None),
        };
        self.hash.0.update(&bytes);
        if matches!(self.state, State::End) {
            let sha256 = finish(self.hash.0.clone().finish());
            let key = self.keys.as_ref().and_then(|keys| keys.of(self.header.head()));
            let trailer = Trailer { sha256, code: key.map(|key| key.code(Purpose::Backup, &[VOUCHED, &sha256])) };
            return Ok(Some([bytes, trailer.text().into_bytes()].concat()));
        }
        Ok(Some(bytes))
    }

    /// Compresses rows until there is a piece of them.
    async fn compress(
        &mut self,
        mut at: usize,
        mut after: Option<Vec<Cell>>,
        mut encoder: GzEncoder<Vec<u8>>,
    ) -> Result<Vec<u8>> {
        while let Some(table) = TABLES.get(at) {
            if after.is_none() {
                encoder.write_all(&lines::heading(table, self.header.schema)).map_err(Error::internal)?;
            }
            let page = page(&mut self.reader, table, after.as_deref(), self.page, &mut encoder).await?;
            self.done += page.rows as u64;
            (at, after) = match page.last {
                Some(key) if page.is_cut || page.rows == self.page => (at, Some(key)),
                _ => (at + 1, None),
            };
            self.page = if page.is_cut { page.rows } else { (self.page * 2).min(PAGE) };
            if encoder.get_ref().len() >= PIECE {
                let bytes = mem::take(encoder.get_mut());
                self.state = State::Table { number: at, after, encoder };
                return Ok(bytes);
            }
        }
        encoder.finish().map_err(Error::internal)
    }
}

async fn number(reader: &mut Reader, sql: &str) -> Result<i64> {
    let found = reader.query_one(sql, &[], |row| row.int(0)).await?;
    found.ok_or_else(|| Error::internal(format!("no row: {sql}")))
}

/// Rows that one statement has read and that were compressed.
#[derive(Default)]
struct Page {
    rows: usize,
    /// The key of the last one.
    last: Option<Vec<Cell>>,
    /// The statement had more.
    is_cut: bool,
}

/// Compresses up to `limit` rows after the key `after`, in the order of their keys. Those beyond [`BYTES`] are left for later.
async fn page(
    reader: &mut Reader,
    table: &Table,
    after: Option<&[Cell]>,
    limit: usize,
    encoder: &mut GzEncoder<Vec<u8>>,
) -> Result<Page> {
    let keys = table.key.iter().map(|column| column.name).collect::<Vec<_>>().join(", ");
    let selected = table.columns.iter().chain(table.hidden()).map(|column| column.name).collect::<Vec<_>>().join(", ");
    let mut params: Vec<Param<'_>> = after.unwrap_or_default().iter().map(Cell::param).collect();
    let begin = match params.len() {
        0 => String::new(),
        n => format!("WHERE ({keys}) > ({})", crate::counts::placeholders(1, n)),
    };
    params.push(i64::try_from(limit).unwrap_or(i64::MAX).into());
    let sql = format!("SELECT {selected} FROM {} {begin} ORDER BY {keys} LIMIT ${}", table.name, params.len());
    let (mut page, mut text, mut bytes) = (Page::default(), Vec::new(), 0);
    let read = reader.query_map(&sql, &params, |row| {
        if bytes >= BYTES {
            page.is_cut = true;
            return Ok(());
        }
        let all: Vec<_> = table.columns.iter().chain(table.hidden()).collect();
        let mut cells = all.iter().enumerate().map(|(at, column)| column.read(row, at)).collect::<Result<Vec<_>>>()?;
        let place = |key: &Column| all.iter().position(|column| column.name == key.name);
        page.last = Some(table.key.iter().filter_map(|key| cells.get(place(key)?).cloned()).collect());
        cells.truncate(table.columns.len());
        lines::write(&cells, &mut text)?;
        if text.len() > LINE {
            return Err(too_large(table, page.last.as_deref().unwrap_or_default()));
        }
        encoder.write_all(&text).map_err(Error::internal)?;
        (page.rows, bytes) = (page.rows + 1, bytes + text.len());
        text.clear();
        Ok(())
    });
    read.await?;
    Ok(page)
}

fn too_large(table: &Table, key: &[Cell]) -> Error {
    let key: Vec<_> = key.iter().map(Cell::to_string).collect();
    let message = format!(
        "a row of {} has more than 32 MiB and cannot be backed up: the one with the key {}; make it smaller",
        table.name,
        key.join(", ")
    );
    Error::new(Kind::FailedPrecondition, Rule::TooLarge, message)
}
