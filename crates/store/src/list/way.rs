//! Ways through a table.

use database::Index;
use domain::OrderField;

/// A way through a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) index: Index<'static>,
    /// Whether the place is found by its root column, and the rest of its path is tested row by row.
    pub(super) by_org: bool,
    /// How the rows lie there that are looked for.
    pub(super) layout: Layout,
}

/// How rows lie in an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// By identifier, where what the index has before it is equal.
    InOrder,
    /// The same, of an index that has identifiers as an expression. No other index has that one, so that no engine takes another for the
    /// place, however many rows it believes to be there.
    Apart,
    /// In a range of what the index has before the identifier, so that nothing is in order.
    InRange,
    /// At several values, for each of which the index is walked once: nothing is in order, but each walk begins where the place does.
    AtSeveral,
}

impl Way {
    /// Along this index alone.
    pub(super) fn by(index: Index<'static>) -> Self {
        Self { index, by_org: false, layout: Layout::InOrder }
    }

    /// Whether the index begins with the parent.
    pub(super) fn by_parent(self) -> bool {
        matches!(self.index, Index::Named(_, columns) if columns.starts_with("parent"))
    }

    /// What to compare with a parent: an expression, which no index has, where another index finds fewer rows. An engine that plans
    /// once for all values does not know that.
    pub(super) fn parent(self) -> &'static str {
        if self.by_parent() { "parent" } else { "parent || ''" }
    }

    /// What to compare with identifiers, for the same reason.
    pub(super) fn uid(self) -> &'static str {
        match self.layout {
            Layout::Apart | Layout::InRange => "uid || ''",
            Layout::InOrder | Layout::AtSeveral => "uid",
        }
    }

    /// Whether the rows come in this order by themselves, where what is before it in the index is equal.
    pub(super) fn has_order(self, field: OrderField) -> bool {
        match (self.index, field) {
            _ if matches!(self.layout, Layout::InRange | Layout::AtSeveral) => false,
            (_, OrderField::Uid) => true,
            (Index::Primary(_), _) => false,
            (Index::Named(_, columns), OrderField::Name) => columns.ends_with("name"),
            (Index::Named(_, columns), OrderField::CreatedAt) => columns.ends_with("created_at"),
            (Index::Named(_, columns), OrderField::Own(column)) => columns.ends_with(column),
        }
    }
}
