//! Overlays, and what they are bound to.

use super::rights::Rights;
use crate::model::{
    answer::{Refusal, wrong},
    nouns::Noun,
    state::{Fields, State, root},
};

const PACKAGES: &str = "config.contents.packages";

impl State {
    /// An overlay of the organization that whoever binds it may read, by its UID, or by a name that only one has.
    pub(super) fn check_overlay(&self, rights: &Rights, place: &str, wished: &mut Fields) -> Result<(), Refusal> {
        let named = wished.text("overlay");
        let fits = |uid: &str, overlay: &Fields| {
            root(uid) == root(place)
                && rights.hold_all(Noun::Overlay.declared().list, uid)
                && (uid == named || overlay.text("name") == named)
        };
        match self.which(Noun::Overlay, fits).as_slice() {
            [one] => wished.set("overlay", one.as_str()),
            _ => return wrong("FIELD", &["overlay"]),
        }
        Ok(())
    }
}

pub(super) fn packages(fields: &Fields) -> Vec<&str> {
    fields.texts(PACKAGES)
}

/// Each package has a name.
pub(super) fn bad(fields: &Fields) -> Vec<String> {
    let empty = (0..).zip(packages(fields)).filter(|(_, package)| package.is_empty());
    empty.map(|(index, _): (usize, _)| format!("{PACKAGES}[{index}]")).collect()
}
