//! Updates whose mask names a large value again and again.

use super::{
    derived::{Case, ROOM},
    method,
};
use crate::{
    cast::{Caller, Way},
    derive::recipe::{Class, recipes},
    site::Site,
    stage::{Length, Log},
};

/// An identity's own rule, with the most claims that fit, over both transports.
pub(crate) async fn repeated(site: &Site, log: &Log, length: Length) {
    let method = method("UpdateIdentity");
    let recipe = recipes(method, Class::Mask).into_iter().next().expect("an update has a mask");
    for _ in 0..length.pick(1, 5) {
        for way in Way::ALL {
            Case { method, recipe: recipe.clone(), caller: Caller::Owner, way, room: ROOM }.send(site, log).await;
        }
    }
}
