//! Overlays.

use std::collections::{BTreeSet, HashMap};

use database::Param;
use domain::{
    Error, Noun, Result, Uidp,
    registry::{Overlay, OverlaySpec},
};

use crate::{
    Reader, Writer, counts,
    iam::groups,
    list::{Filter, Term},
    table::{Column, Columns, Declared, Entity, EventGroup, Values, WithParent, its_fields, text},
};

/// Overlays read by one statement.
const CHUNK: usize = 256;

/// Which overlays to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OverlayFilter {
    /// Only those with this name.
    pub name: Option<String>,
}

impl Filter for OverlayFilter {
    type Row = Overlay;

    fn terms(&self) -> Vec<Term> {
        self.name.iter().map(|name| Term::few("name", name)).collect()
    }
}

/// What is declared of overlays. They stay as long as repositories elsewhere in the organization may be bound to them.
pub(crate) static DECLARED: Declared =
    Declared::new::<Overlay>("overlays", COLUMNS, &groups::DECLARED, WithParent::Keeps("overlays"))
        .with_unique_names()
        .with_events_of(EventGroup::Organization);

const COLUMNS: &[Column] = &[text("name"), text("packages")];

impl Entity for Overlay {
    const NOUN: Noun = Noun::Overlay;

    its_fields!();

    fn read(columns: &mut Columns<'_>) -> Result<Self> {
        Ok(Self {
            uid: columns.uidp()?,
            spec: OverlaySpec { name: columns.name()?, packages: columns.json()? },
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        values.add(self.spec.name.as_str()).json(&self.spec.packages)?;
        Ok(())
    }

    fn name(&self) -> &str {
        self.spec.name.as_str()
    }

    async fn before_delete(tx: &mut Writer, uid: &Uidp) -> Result<()> {
        if tx.exists("SELECT uid FROM overlay_bindings WHERE overlay = $1 LIMIT 1", &[uid.into()]).await? {
            return Err(Error::not_empty(Noun::Overlay, uid.as_str(), "bindings; delete them first"));
        }
        Ok(())
    }
}

/// Those of these overlays that exist.
///
/// # Errors
/// Internal when the storage fails.
pub async fn get_each(reader: &mut Reader, uids: &BTreeSet<Uidp>) -> Result<HashMap<Uidp, Overlay>> {
    let mut found = HashMap::with_capacity(uids.len());
    let uids: Vec<_> = uids.iter().collect();
    for chunk in uids.chunks(CHUNK) {
        let (columns, places) = (&DECLARED.statements().columns, counts::placeholders(1, chunk.len()));
        let params: Vec<Param<'_>> = chunk.iter().map(|uid| (*uid).into()).collect();
        let sql = format!("SELECT {columns} FROM overlays WHERE uid IN ({places})");
        let read = reader.query_map(&sql, &params, |row| Overlay::read(&mut Columns::of(row, 0))).await?;
        found.extend(read.into_iter().map(|overlay| (overlay.uid.clone(), overlay)));
    }
    Ok(found)
}
