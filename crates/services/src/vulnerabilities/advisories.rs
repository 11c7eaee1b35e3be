//! Advisories: what a group says about a vulnerability in something that it ships, and how its reviews go.

mod create;
pub(super) mod events;
mod freshness;
pub(super) mod rules;
mod update;
mod withdraw;

use domain::{
    Error, Result, Rule, Uidp,
    vulnerabilities::{Advisory, AdvisoryView},
};
use store::{Filter, ListQuery, Listed, Reader, vulnerabilities::advisories};

pub use events::EventDraft;
pub use freshness::Freshness;
pub use store::vulnerabilities::advisories::{ALIASES, AdvisoryFilter, UPDATED_AT, WITHDRAWN_AT};

use crate::{
    nouns::{Noun, Nouns, Shows},
    settings::Settings,
};

/// The use cases of advisories, which show how bad their vulnerabilities are. What was withdrawn stays, and changes no more.
pub type Advisories = Nouns<Advisory>;

impl Shows<Advisory> for AdvisoryView {
    async fn one(reader: &mut Reader, uid: &Uidp) -> Result<Option<Self>> {
        advisories::get_view(reader, uid).await
    }

    async fn page<F: Filter<Row = Advisory>>(reader: &mut Reader, query: &ListQuery<F>) -> Result<Listed<Self>> {
        advisories::list_views(reader, query).await
    }
}

impl Noun for Advisory {
    type Answer = AdvisoryView;
    type Filter = AdvisoryFilter;
    type Needs = Settings;

    fn admit(&self) -> Result<()> {
        if self.withdrawn_at.is_none() {
            return Ok(());
        }
        let description = format!("advisory {} was withdrawn and changes no more; create another one", self.uid);
        Err(Error::precondition(Rule::Withdrawn, "WITHDRAWN", self.uid.as_str(), description))
    }
}
