//! Subscriptions.

use domain::{
    Noun, Result,
    events::{Subscription, SubscriptionSpec},
};

use crate::{
    iam::groups,
    list::{Filter, Term},
    table::{self, Column, Columns, Declared, Entity, Values, WithParent, its_fields, text},
};

/// Which subscriptions to list: nothing but the place narrows their lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SubscriptionFilter;

impl Filter for SubscriptionFilter {
    type Row = Subscription;

    fn terms(&self) -> Vec<Term> {
        Vec::new()
    }
}

/// What is declared of subscriptions.
pub(crate) static DECLARED: Declared =
    Declared::new::<Subscription>("subscriptions", COLUMNS, &groups::DECLARED, WithParent::Goes(table::go_with::<Subscription>))
        .few();

const COLUMNS: &[Column] = &[text("sink")];

impl Entity for Subscription {
    const NOUN: Noun = Noun::Subscription;

    its_fields!();

    fn read(columns: &mut Columns<'_>) -> Result<Self> {
        Ok(Self {
            uid: columns.uidp()?,
            spec: SubscriptionSpec { sink: columns.string()? },
            created_at: columns.time()?,
            updated_at: columns.time()?,
            revision: columns.revision()?,
        })
    }

    fn write<'v>(&'v self, values: &mut Values<'v>) -> Result<()> {
        values.add(self.spec.sink.as_str());
        Ok(())
    }
}
