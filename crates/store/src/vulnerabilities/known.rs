//! What databases say about vulnerabilities.

use std::collections::{BTreeMap, BTreeSet};

use database::Param;
use domain::{
    Noun, Result, Uidp,
    vulnerabilities::{Severity, Vulnerability, VulnerabilitySpec},
};

use super::{changed, check_few};
use crate::{
    BoxFuture, Reader, Writer, counts,
    iam::groups,
    list::{Filter, Term},
    table::{self, Column, Columns, Declared, Entity, Values, WithParent, int, its_fields, text},
};

/// Names looked up by one statement.
const CHUNK: usize = 256;

/// Which vulnerabilities to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VulnerabilityFilter {
    /// Only those with one of these ids; empty for any.
    pub ids: Vec<String>,
}

impl Filter for VulnerabilityFilter {
    type Row = Vulnerability;

    fn terms(&self) -> Vec<Term> {
        if self.ids.is_empty() { Vec::new() } else { vec![Term::few_of("name", self.ids.clone())] }
    }
}

/// What is declared of vulnerabilities.
pub(crate) static DECLARED: Declared =
    Declared::new::<Vulnerability>("vulnerabilities", COLUMNS, &groups::DECLARED, WithParent::Goes(go_with)).with_unique_names();

const COLUMNS: &[Column] =
    &[text("name"), text("aliases"), text("summary"), text("details"), text("links"), text("severities"), int("withdrawn_at")];

impl Entity for Vulnerability {
    const NOUN: Noun = Noun::Vulnerability;

    its_fields!();

    fn read(columns: &mut Columns<'_>) -> Result<Self> {
        Ok(Self {
            uid: columns.uidp()?,
            spec: VulnerabilitySpec {
                id: columns.string()?,
                aliases: columns.json()?,
                summary: columns.string()?,
                details: columns.string()?,
                references: columns.json()?,
                severities: columns.json()?,
                withdrawn_at: columns.time_unless_0()?,
            },
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        let VulnerabilitySpec { id, aliases, summary, details, references, severities, withdrawn_at } = &self.spec;
        values.add(id).json(aliases)?.add(summary).add(details).json(references)?.json(severities)?;
        values.add(withdrawn_at.unwrap_or_default());
        Ok(())
    }

    fn name(&self) -> &str {
        &self.spec.id
    }

    async fn after_insert(&self, tx: &mut Writer) -> Result<()> {
        changed::touch(tx, self.uid.root_text()).await
    }

    async fn after_update(&self, tx: &mut Writer, _from: &Self) -> Result<()> {
        changed::touch(tx, self.uid.root_text()).await
    }
}

/// The vulnerability of that id in the group, if there is one.
///
/// # Errors
/// Internal when the storage fails.
pub async fn find(reader: &mut Reader, parent: &Uidp, id: &str) -> Result<Option<Vulnerability>> {
    let sql = format!("SELECT {} FROM vulnerabilities WHERE parent = $1 AND name = $2", DECLARED.statements().columns);
    reader.query_one(&sql, &[parent.into(), id.into()], |row| Vulnerability::read(&mut Columns::of(row, 0))).await
}

/// How bad the organization knows the vulnerabilities of these ids to be; those of which it knows nothing are left out.
///
/// # Errors
/// Internal when the storage fails.
pub async fn severities(reader: &mut Reader, org: &Uidp, ids: &BTreeSet<String>) -> Result<BTreeMap<String, BTreeSet<Severity>>> {
    let mut known = BTreeMap::<String, BTreeSet<Severity>>::new();
    let ids: Vec<_> = ids.iter().collect();
    for chunk in ids.chunks(CHUNK) {
        let places = counts::placeholders(2, chunk.len());
        let sql = format!("SELECT name, severities FROM vulnerabilities WHERE org = $1 AND name IN ({places})");
        let mut params: Vec<Param<'_>> = vec![org.into()];
        params.extend(chunk.iter().map(|id| Param::from(*id)));
        let read = reader.query_map(&sql, &params, |row| Ok((row.string(0)?, row.json::<Vec<Severity>>(1)?))).await?;
        for (id, severities) in read {
            known.entry(id).or_default().extend(severities);
        }
    }
    Ok(known)
}

/// Removes the vulnerabilities of a group that goes.
fn go_with<'a>(tx: &'a mut Writer, group: &'a Uidp) -> BoxFuture<'a, Result<()>> {
    Box::pin(async move {
        check_few(tx, Noun::Vulnerability, group, "vulnerabilities").await?;
        table::remove::<Vulnerability>(tx, "parent", group).await.map(drop)
    })
}
