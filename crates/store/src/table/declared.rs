//! What is declared of a noun, once: its statements, its part of backups and checks, its counters, its ranks and what becomes of it
//! with what it lives in follow from that.

mod digest;
mod statements;

use std::sync::OnceLock;

use database::{Param, Row};
use domain::{Noun, Op, OrderField, Result, Uidp};

pub(crate) use self::digest::{Fit, compare, rights_digest};
use self::statements::Statements;
use crate::{
    BoxFuture, Writer,
    chain::RightsDigest,
    fences::{Walk, Within},
};

/// A noun with a table of its own.
///
/// Its table has the columns `uid`, `parent` and `org` (what is above the uid, and its first segment) before its own, and `created_at`,
/// `updated_at` and `revision` behind them. An index of it serves every order of lists, in the whole table, in an organization and in what
/// rows live in: `<table>_name`, `_created_at`, `_org_name`, `_org_created_at`, `_parent`, `_parent_name` and `_parent_created_at`,
/// each with the identifier at its end; without those of names where rows have none, and see [`Self::few`].
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "facts about a noun, none of which follows from another")]
pub struct Declared {
    pub(crate) noun: Noun,
    pub(crate) table: &'static str,
    /// Its own columns, in the order of the table.
    pub(crate) columns: &'static [Column],
    /// What its rows live in, unless they are roots.
    pub(crate) lives_in: &'static Declared,
    pub(crate) with_parent: WithParent,
    /// Whether a row counts among those that live in it, so that the count of its subtree is one lookup.
    pub(crate) counts_itself: bool,
    /// Whether a row has the identifier of what it lives in, where there is one at most, and none of its own.
    pub(crate) shares_uid: bool,
    /// Whether no two of those that live in one have the same name, by the constraint `<table>_parent_name_key`.
    pub(crate) has_unique_names: bool,
    /// Whether what rows live in has few of them.
    pub(crate) is_few: bool,
    /// Whether the row of an organization says, in `resource_limits`, how much it may have.
    pub(crate) has_limits: bool,
    /// What its lists can be ordered by beside what those of all nouns can.
    pub(crate) own_orders: &'static [OwnOrder],
    pub(crate) events_of: EventGroup,
    /// Reads a row from the columns that are read, to see whether that can be done.
    pub(crate) reads: fn(&Row<'_>) -> Result<()>,
    pub(super) statements: OnceLock<Statements>,
}

/// Nouns, in an order in which none refers to a later one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nouns(pub(crate) &'static [&'static Declared]);

/// What becomes of a row when what it lives in is to be deleted.
pub(crate) enum WithParent {
    /// That is refused, naming what it still has.
    Keeps(&'static str),
    /// It goes, by this function.
    Goes(for<'a> fn(&'a mut Writer, &'a Uidp) -> BoxFuture<'a, Result<()>>),
}

/// The group that the events about a row belong to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum EventGroup {
    /// It is itself a group: its own, until it goes.
    Itself,
    /// What it lives in.
    Parent,
    /// Its organization.
    Organization,
}

/// A column and what is in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) kind: ColumnKind,
    /// Whether reading a row gives it. What is not read is there for conditions alone.
    pub(super) is_read: bool,
    /// Whether changing a row writes it.
    pub(crate) is_updated: bool,
    /// The form of the feed's digests that covers it first, where what somebody may do or see follows from it: the feed keeps a digest, so
    /// that changes by other hands show.
    pub(crate) rights_since: Option<u8>,
}

/// An order that only one noun's lists have. It has no ranks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnOrder {
    pub(crate) column: &'static str,
    /// Whether the column is a text; it is a time otherwise.
    pub(crate) is_text: bool,
    /// What the indexes of that order are called behind the table's name, each with the identifier at its end; without them rows are
    /// sorted.
    pub(crate) indexes: Option<OrderIndexes>,
}

/// The indexes of an order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrderIndexes {
    /// In the whole table.
    pub(crate) table: &'static str,
    /// In what rows live in.
    pub(crate) parent: &'static str,
    /// In an organization.
    pub(crate) org: &'static str,
}

/// What is in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    Text,
    Int,
    Bool,
    Bytes,
}

/// What stands before and behind a noun's own columns.
pub(crate) const FIRST: &[Column] = &[text("uid"), text("parent"), text("org")];
pub(crate) const LAST: &[Column] = &[int("created_at"), int("updated_at"), int("revision")];

impl Declared {
    /// The same noun, whose rows count among those that live in them.
    pub(crate) const fn counting_itself(mut self) -> Self {
        self.counts_itself = true;
        self
    }

    /// The same noun, of which there is one at most in what it lives in, under the identifier of that: it stands in the tree where
    /// that stands, and counts among what lives there.
    pub(crate) const fn sharing_its_uid(mut self) -> Self {
        self.shares_uid = true;
        self.counting_itself()
    }

    /// The same noun, of which what its rows live in has few, by a limit of its use cases. Of all indexes its table has
    /// `<table>_parent` and `<table>_org_created_at`: other orders than these and that of identifiers are sorted. It has no ranks.
    pub(crate) const fn few(mut self) -> Self {
        self.is_few = true;
        self
    }

    /// The same noun, with lists of further orders.
    pub(crate) const fn ordered_by(mut self, orders: &'static [OwnOrder]) -> Self {
        self.own_orders = orders;
        self
    }

    /// The same noun, of which no two that live in one have the same name.
    pub(crate) const fn with_unique_names(mut self) -> Self {
        self.has_unique_names = true;
        self
    }

    /// The same noun, whose rows say how much their organization may have.
    pub(crate) const fn with_limits(mut self) -> Self {
        self.has_limits = true;
        self
    }

    /// The same noun, with events that belong to another group than what the row lives in.
    pub(crate) const fn with_events_of(mut self, group: EventGroup) -> Self {
        self.events_of = group;
        self
    }

    /// What a row with this identifier lives in; `None` for a root.
    pub(crate) fn home(&self, uid: &Uidp) -> Option<Uidp> {
        if self.shares_uid { Some(uid.clone()) } else { uid.parent() }
    }

    /// What its rows can be below of: what they live in, what that lives in, and so on, each once.
    pub(crate) fn above(&'static self) -> impl Iterator<Item = &'static Self> {
        let up = |below: &&'static Self| Some(below.lives_in).filter(|above| above.noun != below.noun);
        std::iter::successors(Some(self.lives_in), up)
    }

    /// The columns that rights follow from.
    pub(crate) fn rights(&self) -> impl Iterator<Item = &'static Column> + use<> {
        self.columns.iter().filter(|column| column.rights_since.is_some())
    }

    /// The digest of the columns that rights follow from, in a row with these values of its own columns; none for a noun without
    /// such columns.
    pub(crate) fn digest(&self, uid: &Uidp, own: &[Param<'_>]) -> Option<RightsDigest> {
        let own = self.columns.iter().zip(own).filter(|(column, _)| column.rights_since.is_some());
        let rights: Vec<_> = own.map(|(_, value)| value.clone()).collect();
        (!rights.is_empty()).then(|| rights_digest(self, uid.as_str(), &rights))
    }

    /// Whether its rows have names.
    pub(crate) fn is_named(&self) -> bool {
        self.columns.iter().any(|column| column.name == "name")
    }

    /// Every column of the table, in its order.
    pub(crate) fn all_columns(&self) -> impl Iterator<Item = &'static Column> + use<> {
        FIRST.iter().chain(self.columns).chain(LAST)
    }

    /// What a row is read from.
    pub(crate) fn read_columns(&self) -> impl Iterator<Item = &'static str> + use<> {
        let own = self.columns.iter().filter(|column| column.is_read);
        let names = FIRST.iter().take(1).chain(own).chain(LAST);
        names.map(|column| column.name)
    }

    /// An order of its rows that has ranks; `None` when there is no such order, or no ranks.
    pub(crate) fn walk(&self, within: Within, field: OrderField) -> Option<Walk> {
        let is_order = match field {
            OrderField::Uid | OrderField::CreatedAt => true,
            OrderField::Name => self.is_named(),
            OrderField::Own(_) => false,
        };
        (is_order && !self.is_few).then_some(Walk { noun: self.noun, table: self.table, within, field })
    }

    /// The order of this column, if its lists have one.
    pub(crate) fn own_order(&self, column: &str) -> Option<OwnOrder> {
        self.own_orders.iter().copied().find(|order| order.column == column)
    }

    /// Its statements.
    pub(crate) fn statements(&self) -> &Statements {
        self.statements.get_or_init(|| Statements::of(self))
    }
}

impl Nouns {
    /// All of them.
    pub(crate) fn all(self) -> impl Iterator<Item = &'static Declared> {
        self.0.iter().copied()
    }

    /// Those that live in that one.
    pub(crate) fn living_in(self, noun: Noun) -> impl Iterator<Item = &'static Declared> {
        self.all().filter(move |declared| declared.lives_in.noun == noun)
    }

    /// The group that an event about this resource belongs to; `/` for none.
    pub(crate) fn event_group(self, noun: Noun, uid: &Uidp, op: Op) -> &str {
        let declared = self.all().find(|declared| declared.noun == noun);
        match declared.map(|declared| (declared.events_of, declared.shares_uid)) {
            Some((EventGroup::Itself, _)) if op != Op::Deleted => uid.as_str(),
            Some((EventGroup::Parent, true)) => uid.as_str(),
            Some((EventGroup::Organization, _)) => uid.root_text(),
            _ => uid.parent_text(),
        }
    }

    /// Those that others live in.
    pub(crate) fn parents(self) -> impl Iterator<Item = &'static Declared> {
        self.all().filter(move |declared| self.living_in(declared.noun).next().is_some())
    }
}

impl Column {
    const fn new(name: &'static str, kind: ColumnKind) -> Self {
        Self { name, kind, is_read: true, is_updated: true, rights_since: None }
    }

    /// The same column, which only conditions ask for.
    pub(crate) const fn for_conditions(self) -> Self {
        Self { is_read: false, ..self }
    }

    /// The same column, from which it follows what somebody may do or see.
    pub(crate) const fn of_rights(self) -> Self {
        Self { rights_since: Some(1), ..self }
    }

    /// The same, of which the first form of digests does not tell.
    pub(crate) const fn of_rights_since(self, form: u8) -> Self {
        Self { rights_since: Some(form), ..self }
    }

    /// The same column, which changing a row leaves as it is.
    pub(crate) const fn left_alone(self) -> Self {
        Self { is_updated: false, ..self }
    }
}

impl std::fmt::Debug for WithParent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Keeps(children) => f.debug_tuple("Keeps").field(children).finish(),
            Self::Goes(_) => f.write_str("Goes"),
        }
    }
}

/// A text: of plain texts, identifiers, words of enums, and nested shapes as JSON.
pub(crate) const fn text(name: &'static str) -> Column {
    Column::new(name, ColumnKind::Text)
}

/// A number or a time.
pub(crate) const fn int(name: &'static str) -> Column {
    Column::new(name, ColumnKind::Int)
}

/// A truth value.
pub(crate) const fn bool(name: &'static str) -> Column {
    Column::new(name, ColumnKind::Bool)
}

/// Bytes.
pub(crate) const fn bytes(name: &'static str) -> Column {
    Column::new(name, ColumnKind::Bytes)
}
