//! What the store vouches for by codes: the audit log as a chain, what rights follow from, signing keys.

use aws_lc_rs::digest::{Context, SHA256};
use database::Row;
use domain::Result;

use super::{
    Finding, MOST, Means, Report, cause,
    probe::{go_back, mark},
};
use crate::{
    Reader,
    chain::{Before, Code, Keys, REKEY, SEAL, TRIM, finish},
    floor::floor,
    seal::{Log, Logged, Rights},
    signing_keys,
    table::Fit,
};

/// How many rules that are.
pub(super) const RULES: usize = 3;

/// Looks at all of it. A failure is a finding, and the snapshot stays.
///
/// # Errors
/// When the snapshot itself is lost.
pub(super) async fn look_anyway(reader: &mut Reader, means: &Means, report: &mut Report) -> Result<()> {
    mark(reader).await?;
    let looked = look(reader, means, report).await;
    go_back(reader).await?;
    if let Err(error) = looked {
        report.find("log", "audit".to_owned(), format!("it cannot be read: {}", cause(&error)));
    }
    Ok(())
}

async fn look(reader: &mut Reader, means: &Means, report: &mut Report) -> Result<()> {
    report.head = reader.head().await?;
    look_below(reader, means, report).await
}

/// The same below the head that the report names.
///
/// # Errors
/// Internal when something cannot be read.
pub(super) async fn look_below(reader: &mut Reader, means: &Means, report: &mut Report) -> Result<()> {
    rights(reader, report).await?;
    if report.head.is_some() {
        match &means.keys {
            Some(keys) => signing_keys(reader, keys, report).await?,
            None => {
                report.remarks.push("the key file is not here: codes were not compared with what they are made of".to_owned());
            }
        }
    }
    log(reader, means, report).await
}

/// What rights follow from is as the feed tells that the server has written it.
async fn rights(reader: &mut Reader, report: &mut Report) -> Result<()> {
    let (mut found, mut earlier, sealed) = (0, 0_u64, report.head.is_some());
    for mut rights in Rights::all() {
        while let Some(page) = rights.page(reader).await? {
            for stale in page {
                match stale.fit {
                    Fit::Whole => continue,
                    Fit::Earlier => {
                        earlier += 1;
                        continue;
                    }
                    // A program that kept no digests wrote what has none, as long as nobody has vouched for it.
                    Fit::Nothing if !sealed => continue,
                    Fit::Nothing | Fit::Other => found += 1,
                }
                if found <= MOST {
                    let problem = if stale.fit == Fit::Other {
                        format!(
                            "what rights follow from is not what commit {} has written: it was changed by other hands",
                            stale.revision.0
                        )
                    } else {
                        format!(
                            "the feed keeps no digest of what commit {} has written: an older program did, or other hands",
                            stale.revision.0
                        )
                    };
                    report.find("rights", format!("{} {}", rights.noun.table, stale.uid), problem);
                }
            }
        }
    }
    if found > MOST {
        report.find("rights", "changes".to_owned(), "there is more of this".to_owned());
    }
    if earlier > 0 && sealed {
        let remark = format!(
            "of {earlier} rows, an earlier program has kept less of what rights follow from, or nothing: `provost admin seal` keeps all of it"
        );
        report.remarks.push(remark);
    }
    Ok(())
}

/// Every signing key is as the server has written it. It uses no other.
async fn signing_keys(reader: &mut Reader, keys: &Keys, report: &mut Report) -> Result<()> {
    for key in signing_keys::list(reader).await? {
        if !key.is_vouched_for(keys) {
            let problem = "its code does not fit: it was made or changed by other hands, and no server uses it";
            report.find("keys", format!("signing_keys {}", key.kid), problem.to_owned());
        }
    }
    Ok(())
}

/// The chain of the audit log, from its first entry to its head.
///
/// # Errors
/// Internal when it cannot be read.
pub(super) async fn log(reader: &mut Reader, means: &Means, report: &mut Report) -> Result<()> {
    let sql =
        "SELECT max(CASE WHEN method <> $3 THEN id END), max(id) FROM audit WHERE method IN ($1, $2, $3) AND code IS NOT NULL";
    let read = |row: &Row<'_>| Ok((row.opt_int(0)?, row.opt_int(1)?));
    let (seal, last_whole) = reader.query_one(sql, &[SEAL.into(), TRIM.into(), REKEY.into()], read).await?.unwrap_or_default();
    let mut chain = Chain::new(means, seal, last_whole);
    let mut log = Log::without(floor(reader).await?.number);
    loop {
        let page = log.page(reader).await?;
        if page.is_empty() {
            break;
        }
        for logged in &page {
            chain.read(logged, report);
        }
    }
    chain.end(report);
    Ok(())
}

/// Goes from entry to entry.
struct Chain<'m> {
    keys: Option<&'m Keys>,
    kept_head: Option<&'m str>,
    /// The last entry that vouches for all before it as it was found, or as it stays. What came before is judged as a whole, by its code.
    seal: Option<i64>,
    /// The last entry that vouches for all before it, also as the key was changed.
    last_whole: Option<i64>,
    /// All entries so far, as long as it is still to come.
    all: Context,
    /// The last code so far.
    last: Option<Code>,
    /// The entries behind that, which have none.
    between: Context,
    first_between: Option<i64>,
    count_between: u64,
    /// Entries by keys that are not here, since the last one that vouches for all before it.
    unknown: Vec<i64>,
    count_unknown: u64,
    /// Whether a code was compared since then.
    compared: bool,
    found: usize,
}

impl<'m> Chain<'m> {
    fn new(means: &'m Means, seal: Option<i64>, last_whole: Option<i64>) -> Self {
        Self {
            keys: means.keys.as_deref(),
            kept_head: means.kept_head.as_deref(),
            seal,
            last_whole,
            all: Context::new(&SHA256),
            last: None,
            between: Context::new(&SHA256),
            first_between: None,
            count_between: 0,
            unknown: Vec::new(),
            count_unknown: 0,
            compared: false,
            found: 0,
        }
    }

    fn read(&mut self, logged: &Logged, report: &mut Report) {
        let before = self.all.clone();
        if self.last_whole.is_some_and(|last| logged.id < last) {
            logged.content.hash(&mut self.all);
        }
        let Some(code) = logged.code else {
            logged.content.hash(&mut self.between);
            self.first_between = self.first_between.or(Some(logged.id));
            self.count_between += 1;
            return;
        };
        if self.kept_head.is_some_and(|kept| code.to_string().starts_with(kept)) {
            self.kept_head = None;
        }
        if self.seal.is_none_or(|seal| logged.id >= seal) {
            self.judge(logged, code, before, report);
        }
        self.last = Some(code);
        (self.between, self.first_between, self.count_between) = (Context::new(&SHA256), None, 0);
    }

    fn judge(&mut self, logged: &Logged, code: Code, all: Context, report: &mut Report) {
        let Some(keys) = self.keys else { return };
        let (place, is_seal) = (format!("audit {}", logged.id), [SEAL, TRIM].contains(&&*logged.method));
        let Some(key) = keys.any(code.key) else {
            // Of a key of before that is gone, if an entry by one that is here vouches for all before it; so it is told later.
            self.count_unknown += 1;
            if self.compared && self.unknown.len() <= MOST {
                self.unknown.push(logged.id);
            }
            return;
        };
        self.compared = true;
        let is_rekey = logged.method == REKEY;
        let whole = || logged.content.code(key, Before::All(finish(all.finish()))) == code;
        let is_whole = (is_seal || is_rekey) && whole();
        if is_whole {
            self.unknown.clear();
            self.count_unknown = 0;
            return;
        }
        let between = (self.count_between > 0).then(|| finish(self.between.clone().finish()));
        let is_other = self.last.is_some_and(|last| last.key != code.key);
        // Where the key is changed, earlier programs only linked the entry to the one before.
        if is_seal || logged.content.code(key, Before::Link(self.last, between)) != code {
            let commit = logged.revision.map_or_else(|| "no commit".to_owned(), |revision| format!("commit {}", revision.0));
            let problem = if is_seal || is_rekey {
                format!("it vouches for all entries before it, and they, or it, are not what they were ({commit})")
            } else {
                let others = match self.count_between {
                    0 => String::new(),
                    count => format!(", or one of the {count} entries without a code before it"),
                };
                format!(
                    "it, its changes or its events{others} are not what was written there ({commit}): changed, added or removed by other hands"
                )
            };
            self.find(report, place, problem);
        } else if is_other && !is_rekey {
            self.find(report, place, "it goes on with another key, which no entry says".to_owned());
        }
    }

    fn end(mut self, report: &mut Report) {
        let head = report.head.map(|head| head.code);
        for id in std::mem::take(&mut self.unknown) {
            self.count_unknown -= 1;
            self.find(report, format!("audit {id}"), "its code is of a key that is none of this installation's".to_owned());
        }
        if let (Some(first), Some(_)) = (self.first_between, head) {
            let problem =
                format!("{} entries at the end have no code: an older program wrote them, or other hands", self.count_between);
            self.find(report, format!("audit {first}"), problem);
        }
        if head != self.last {
            let problem = match head {
                Some(_) => {
                    "the head is not the code of the last entry of the audit log: entries were removed, or the head was changed"
                }
                None => "the head is missing, and entries of the audit log have codes: it was removed by other hands",
            };
            self.find(report, "revision".to_owned(), problem.to_owned());
        }
        if let (Some(head), Some(keys)) = (head, self.keys)
            && keys.live(head.key).is_none()
        {
            let problem = format!("the audit log goes on with the key {}, which is not the one in use", head.key);
            self.find(report, "revision".to_owned(), problem);
        }
        if let Some(kept) = self.kept_head.take() {
            let problem = format!("no entry has the code {kept}: the log was cut off, or an older state was put in its place");
            self.find(report, "audit".to_owned(), problem);
        }
        if self.count_unknown > 0 {
            let remark = format!(
                "{} entries of the audit log have codes by a key of before that is not here, and were not compared",
                self.count_unknown
            );
            report.remarks.push(remark);
        }
        if head.is_none() && self.last.is_none() && self.first_between.is_some() && self.keys.is_some() {
            let problem =
                "no entry has a code: no server has run since an earlier program wrote the database, or codes were taken away";
            self.find(report, "audit".to_owned(), problem.to_owned());
        }
    }

    fn find(&mut self, report: &mut Report, place: String, problem: String) {
        self.found += 1;
        if self.found <= MOST {
            report.find("log", place, problem);
        } else if self.found == MOST + 1 {
            report.find("log", "audit".to_owned(), "there is more of this".to_owned());
        }
    }
}

impl Report {
    fn find(&mut self, check: &'static str, place: String, problem: String) {
        self.findings.push(Finding { check, place, problem });
    }
}
