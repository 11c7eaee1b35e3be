//! Little on the wire that is much in memory.

use futures::future::join_all;

use super::{
    derived::{Case, ROOM},
    method,
};
use crate::{
    cast::{Caller, Way},
    derive::recipe::{Class, Recipe, recipes},
    site::Site,
    stage::{Length, Log},
};

/// A batch of as many empty requests as fit, packed and not, of somebody without rights and of the owner.
pub(crate) async fn empty_entries(site: &Site, log: &Log, length: Length) {
    crowd(site, log, length, "BatchCreateRoleBindings", Class::Elements, "requests").await;
}

/// A role with four million capabilities.
pub(crate) async fn packed_capabilities(site: &Site, log: &Log, length: Length) {
    crowd(site, log, length, "CreateRole", Class::Packed, "role.capabilities").await;
}

/// Four at a time, as those without rights and as the owner.
async fn crowd(site: &Site, log: &Log, length: Length, name: &str, class: Class, field: &str) {
    let method = method(name);
    let recipe = recipes(method, class).into_iter().find(|recipe: &Recipe| recipe.name() == field).expect("the field is there");
    for _ in 0..length.pick(1, 10) {
        for caller in [Caller::Powerless, Caller::Owner] {
            let cases = Way::ALL.map(|way| Case { method, recipe: recipe.clone(), caller, way, room: ROOM });
            join_all(cases.iter().map(|case| case.send(site, log))).await;
        }
    }
}
