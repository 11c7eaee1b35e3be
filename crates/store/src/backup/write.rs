//! Making a backup: one snapshot, read page by page.

use std::{io::Write, mem};

use aws_lc_rs::digest;
use domain::{Error, Result, Timestamp};
use flate2::{Compression, write::GzEncoder};

use super::{
    header::{FORMAT, Header, trailer},
    lines,
    tables::{Cell, TABLES, Table, check_complete},
};
use crate::{Reader, Store, engine::Param};

/// Rows read by one statement.
const PAGE: usize = 500;
/// Compressed bytes that are worth giving away.
const PIECE: usize = 64 * 1024;

/// A backup under way: it holds a snapshot until it is dropped, and at most a page of rows in memory.
#[derive(Debug)]
pub struct Backup {
    reader: Reader,
    header: Header,
    state: State,
    hash: Hash,
    /// Rows written so far.
    done: u64,
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
            rows: [].into(),
        };
        for table in TABLES {
            let rows = number(&mut reader, &format!("SELECT count(*) FROM {}", table.name)).await?;
            header.rows.insert(table.name.to_owned(), u64::try_from(rows).map_err(Error::internal)?);
        }
        let hash = Hash(digest::Context::new(&digest::SHA256));
        Ok(Self { reader, header, state: State::Begin, hash, done: 0 })
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
            let end = trailer(self.hash.0.clone().finish().as_ref());
            return Ok(Some([bytes, end.into_bytes()].concat()));
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
                encoder.write_all(&lines::heading(table)).map_err(Error::internal)?;
            }
            let rows = page(&mut self.reader, table, after.as_deref()).await?;
            let full = rows.len() == PAGE;
            let mut text = Vec::new();
            for (_, row) in &rows {
                lines::write(row, &mut text)?;
            }
            encoder.write_all(&text).map_err(Error::internal)?;
            self.done += rows.len() as u64;
            (at, after) = match rows.into_iter().next_back() {
                Some((key, _)) if full => (at, Some(key)),
                _ => (at + 1, None),
            };
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

/// Up to [`PAGE`] rows in the order of their keys, each with its key.
async fn page(reader: &mut Reader, table: &Table, after: Option<&[Cell]>) -> Result<Vec<(Vec<Cell>, Vec<Cell>)>> {
    let keys = table.key.iter().map(|column| column.name).collect::<Vec<_>>().join(", ");
    let selected = table.columns.iter().chain(table.hidden()).map(|column| column.name).collect::<Vec<_>>().join(", ");
    let params: Vec<Param<'_>> = after.unwrap_or_default().iter().map(Cell::param).collect();
    let begin = match params.len() {
        0 => String::new(),
        n => format!("WHERE ({keys}) > ({})", crate::counts::placeholders(1, n)),
    };
    let sql = format!("SELECT {selected} FROM {} {begin} ORDER BY {keys} LIMIT {PAGE}", table.name);
    reader
        .query_map(&sql, &params, |row| {
            let all: Vec<_> = table.columns.iter().chain(table.hidden()).collect();
            let mut cells = all.iter().enumerate().map(|(at, column)| column.read(row, at)).collect::<Result<Vec<_>>>()?;
            let place = |key: &super::tables::Column| all.iter().position(|column| column.name == key.name);
            let key = table.key.iter().filter_map(|key| cells.get(place(key)?).cloned()).collect();
            cells.truncate(table.columns.len());
            Ok((key, cells))
        })
        .await
}
