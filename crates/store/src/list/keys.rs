//! Keys: where the items of a list stand, read by walking indexes alone.

use database::{Param, Row};
use domain::{Order, OrderField, Result, Uidp};

use super::{CHUNK, Cursor, CursorKey, Sql, Stream, Term, plan::plan, way::Way};
use crate::{
    Reader,
    table::{Columns, Declared, Entity},
};

/// Only what compares like this with a place in the order of the list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound<'a> {
    pub(super) how: &'static str,
    pub(super) key: &'a CursorKey,
    pub(super) uid: &'a str,
}

/// From how many rows to pass over on a walk may take long.
const LONG_SKIP: usize = 1000;

/// Reads the keys of a list. Which noun it is of, its declaration says: the engine is compiled once for all of them.
pub(super) struct Keys<'a> {
    pub(super) declared: &'static Declared,
    pub(super) order: Order,
    pub(super) cursor: Option<&'a Cursor>,
    /// Whether the row at the cursor belongs to the list as well.
    included: bool,
    pub(super) terms: Vec<Term>,
}

impl<'a> Keys<'a> {
    pub(super) fn new(declared: &'static Declared, order: Order, cursor: Option<&'a Cursor>, terms: Vec<Term>) -> Self {
        Self { declared, order, cursor, included: false, terms }
    }

    /// The same list from this row on.
    pub(super) fn starting_at<'b>(&self, row: &'b Cursor) -> Keys<'b> {
        Keys { declared: self.declared, order: self.order, cursor: Some(row), included: true, terms: self.terms.clone() }
    }

    /// The first `want` rows of a stream after the cursor.
    pub(super) async fn rows<E: Entity>(&self, reader: &mut Reader, stream: &Stream, want: usize) -> Result<Vec<E>> {
        let plan = plan(self.declared, reader, stream, self.order.field, &self.terms, want).await?;
        let mut sql = self.select(reader, &self.declared.statements().columns, plan);
        self.conditions(&mut sql, stream, plan);
        self.order_and_limit(&mut sql, plan, want, 0);
        reader.query_map(&sql.text, &sql.params, |row| E::read(&mut Columns::of(row, 0))).await
    }

    /// The keys of these identifiers after the cursor and `skip` more, and how many of them there are before and after.
    pub(super) async fn among(&self, reader: &mut Reader, uids: &[Uidp], skip: usize, want: usize) -> Result<(Vec<Cursor>, u64)> {
        let mut keys = Vec::new();
        for chunk in uids.chunks(CHUNK) {
            let mut sql = Sql::new(format!("SELECT {} FROM {}", self.key_columns(), self.declared.table));
            sql.and("uid IN ", []);
            sql.among(chunk.iter());
            self.terms(&mut sql);
            keys.extend(reader.query_map(&sql.text, &sql.params, |row| self.read(row)).await?);
        }
        let total = keys.len() as u64;
        keys.retain(|key| self.is_after_cursor(key));
        self.sort(&mut keys);
        Ok((keys.into_iter().skip(skip).take(want).collect(), total))
    }

    /// The keys of a stream, passing over one after the other.
    pub(super) async fn walked(&self, reader: &mut Reader, stream: &Stream, skip: usize, want: usize) -> Result<Vec<Cursor>> {
        if skip > LONG_SKIP {
            reader.at_length(true);
        }
        let plan = plan(self.declared, reader, stream, self.order.field, &self.terms, skip + want).await?;
        let mut sql = self.select(reader, &self.key_columns(), plan);
        self.conditions(&mut sql, stream, plan);
        self.order_and_limit(&mut sql, plan, want, skip);
        reader.query_map(&sql.text, &sql.params, |row| self.read(row)).await
    }

    pub(super) fn sort(&self, keys: &mut [Cursor]) {
        if self.order.descending {
            keys.sort_unstable_by(|a, b| b.cmp(a));
        } else {
            keys.sort_unstable();
        }
    }

    fn is_after_cursor(&self, key: &Cursor) -> bool {
        self.cursor.is_none_or(|cursor| if self.order.descending { key < cursor } else { key > cursor })
    }

    pub(super) fn key_columns(&self) -> String {
        if self.order.field == OrderField::Uid { "uid".to_owned() } else { format!("uid, {}", self.order_column()) }
    }

    pub(super) fn read(&self, row: &Row<'_>) -> Result<Cursor> {
        let key = match self.order.field {
            OrderField::Uid => CursorKey::Uid,
            _ if self.is_by_text() => CursorKey::Name(row.string(1)?),
            _ => CursorKey::Time(row.time(1)?),
        };
        Ok(Cursor { key, uid: row.uidp(0)? })
    }

    pub(super) fn select<'s>(&self, reader: &Reader, columns: &str, plan: Way) -> Sql<'s> {
        Sql::new(format!("SELECT {columns} FROM {}{}", self.declared.table, reader.walk(plan.index)))
    }

    /// The stream, the filter's terms and the cursor.
    pub(super) fn conditions<'s>(&'s self, sql: &mut Sql<'s>, stream: &'s Stream, plan: Way) {
        self.between(sql, stream, plan, self.after_cursor());
    }

    /// The stream, the filter's terms and the bounds.
    pub(super) fn between<'s>(
        &'s self,
        sql: &mut Sql<'s>,
        stream: &'s Stream,
        plan: Way,
        bounds: impl IntoIterator<Item = Bound<'s>>,
    ) {
        let subtree = match stream {
            Stream::Below(place) | Stream::ProperlyBelow(place) | Stream::Children(place)
                if self.order.field == OrderField::Uid =>
            {
                Some(place)
            }
            _ => None,
        };
        if let Some(place) = subtree {
            if plan.by_org {
                sql.and("org = ?", [place.root_text().into()]);
            }
            if matches!(stream, Stream::Children(_)) {
                // An engine that takes the index of identifiers for this begins where the children are.
                sql.and(&format!("{} = ?", plan.parent()), [place.into()]);
            }
            // One range and not two: an engine walks through the one that it meets first and tests every row for the other.
            let (low, high) = range(place, bounds);
            sql.and(&format!("{} {} ?", plan.uid(), low.0), [low.1]);
            sql.and(&format!("{} {} ?", plan.uid(), high.0), [high.1]);
            if matches!(stream, Stream::ProperlyBelow(_)) {
                sql.and("uid <> ?", [place.into()]);
            }
        } else {
            Self::place(sql, stream, plan);
            for bound in bounds {
                self.bound(sql, bound);
            }
        }
        self.terms(sql);
    }

    pub(super) fn place<'s>(sql: &mut Sql<'s>, stream: &'s Stream, plan: Way) {
        match stream {
            Stream::All => {}
            Stream::Roots => sql.and("parent = ?", [Uidp::ROOT.into()]),
            Stream::Children(parent) => {
                if plan.by_org {
                    sql.and("org = ?", [parent.root_text().into()]);
                }
                sql.and(&format!("{} = ?", plan.parent()), [parent.into()]);
                if !plan.by_parent() {
                    Self::subtree(sql, parent, plan);
                }
            }
            Stream::One(uid) => sql.and("uid = ?", [uid.into()]),
            Stream::Below(place) | Stream::ProperlyBelow(place) => {
                if plan.by_org {
                    sql.and("org = ?", [place.root_text().into()]);
                }
                if !(plan.by_org && place.is_root()) {
                    Self::subtree(sql, place, plan);
                }
                if matches!(stream, Stream::ProperlyBelow(_)) {
                    sql.and("uid <> ?", [place.into()]);
                }
            }
        }
    }

    /// The place and what is below it. Between a place and its first child there is no identifier, so it is one range: `/` is the
    /// byte before `0`.
    fn subtree<'s>(sql: &mut Sql<'s>, place: &'s Uidp, plan: Way) {
        let uid = plan.uid();
        sql.and(&format!("{uid} >= ? AND {uid} < ?"), [place.into(), format!("{place}0").into()]);
    }

    pub(super) fn terms<'s>(&'s self, sql: &mut Sql<'s>) {
        for term in &self.terms {
            term.add_to(sql);
        }
    }

    /// Where the list goes on, if it does not begin.
    pub(super) fn after_cursor(&self) -> Option<Bound<'a>> {
        let Cursor { key, uid } = self.cursor?;
        let how = match (self.order.descending, self.included) {
            (false, false) => ">",
            (false, true) => ">=",
            (true, false) => "<",
            (true, true) => "<=",
        };
        Some(Bound { how, key, uid: uid.as_str() })
    }

    fn bound<'s>(&self, sql: &mut Sql<'s>, Bound { how, key, uid }: Bound<'s>) {
        let key: Param<'s> = match key {
            CursorKey::Uid => return sql.and(&format!("uid {how} ?"), [uid.into()]),
            CursorKey::Name(name) => name.into(),
            CursorKey::Time(time) => (*time).into(),
        };
        sql.and(&format!("({}, uid) {how} (?, ?)", self.order_column()), [key, uid.into()]);
    }

    fn order_column(&self) -> &'static str {
        match self.order.field {
            OrderField::Uid => "uid",
            OrderField::Name => "name",
            OrderField::CreatedAt => "created_at",
            OrderField::Own(column) => column,
        }
    }

    /// Whether the list is in the order of texts, and not of times.
    fn is_by_text(&self) -> bool {
        match self.order.field {
            OrderField::Name => true,
            OrderField::Own(column) => self.declared.own_order(column).is_some_and(|order| order.is_text),
            OrderField::Uid | OrderField::CreatedAt => false,
        }
    }

    /// The order of the list. Rows that the plan's index does not have in it are sorted by an expression, which no index has: an
    /// engine that plans once for all places and limits would else walk through the whole order and test every row.
    pub(super) fn order(&self, sql: &mut Sql<'_>, plan: Way) {
        let direction = if self.order.descending { " DESC" } else { "" };
        let column = match (self.order.field, plan.has_order(self.order.field)) {
            (OrderField::Uid, true) => return sql.push(&format!(" ORDER BY {}{direction}", plan.uid())),
            (OrderField::Uid, false) => return sql.push(&format!(" ORDER BY uid || ''{direction}")),
            (_, true) => self.order_column().to_owned(),
            (_, false) if self.is_by_text() => format!("{} || ''", self.order_column()),
            (_, false) => format!("{} + 0", self.order_column()),
        };
        sql.push(&format!(" ORDER BY {column}{direction}, uid{direction}"));
    }

    pub(super) fn order_and_limit(&self, sql: &mut Sql<'_>, plan: Way, limit: usize, offset: usize) {
        self.order(sql, plan);
        sql.push(" LIMIT ");
        sql.bind(i64::try_from(limit).unwrap_or(i64::MAX));
        if offset > 0 {
            sql.push(" OFFSET ");
            sql.bind(i64::try_from(offset).unwrap_or(i64::MAX));
        }
    }
}

/// A side of a range: how identifiers compare with it, and what it is.
type Side<'a> = (&'static str, Param<'a>);

/// The identifiers of a subtree within the bounds, as one range.
fn range<'a>(place: &'a Uidp, bounds: impl IntoIterator<Item = Bound<'a>>) -> (Side<'a>, Side<'a>) {
    // Between a place and its first child there is no identifier: `/` is the byte before `0`.
    let end = format!("{place}0");
    let (mut low, mut high) = (Bound { how: ">=", key: &CursorKey::Uid, uid: place.as_str() }, None::<Bound<'a>>);
    for bound in bounds {
        if bound.how.starts_with('>') {
            low = if bound.uid >= low.uid { bound } else { low };
        } else if bound.uid < end.as_str() {
            high = Some(bound);
        }
    }
    ((low.how, low.uid.into()), high.map_or_else(|| ("<", end.into()), |high| (high.how, high.uid.into())))
}
