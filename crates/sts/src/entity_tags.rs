//! Entity tags under a key of the key-encryption key, which all nodes share.

use aws_lc_rs::digest::SHA256_OUTPUT_LEN;
use domain::{EntityTags, Error};

use crate::keys::RootKey;

/// What makes the entity tags of servers with this key-encryption key.
///
/// # Errors
/// Internal when no key can be derived.
pub fn entity_tags(root: &RootKey) -> Result<EntityTags, Error> {
    let key = root.derive_mac("provost/entity-tags/v1")?.sign(b"entity tags");
    let key = <&[u8; SHA256_OUTPUT_LEN]>::try_from(key.as_ref()).map_err(Error::internal)?;
    Ok(EntityTags::new(key))
}
