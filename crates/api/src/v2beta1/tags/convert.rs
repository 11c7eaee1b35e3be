//! Tags between the wire and the domain.

use contract::chainguard::platform::registry::v2beta1 as wire;
use domain::{
    Error, Violations,
    registry::{Digest, Tag, TagName, TagSpec},
};

use crate::time;

/// A tag for an answer.
pub(crate) fn to_wire(tag: &Tag) -> wire::Tag {
    wire::Tag {
        uid: tag.uid.to_string(),
        update_time: Some(time::to_wire(tag.updated_at)),
        name: tag.spec.name.to_string(),
        digest: tag.spec.digest.as_ref().map(ToString::to_string).unwrap_or_default(),
        deprecated: tag.spec.deprecated,
        bundles: tag.spec.bundles.clone(),
    }
}

/// What a request says that a tag should be; output-only fields are not looked at.
///
/// # Errors
/// Invalid argument naming every field that is not as it must be.
pub(crate) fn spec_from_wire(tag: wire::Tag) -> Result<TagSpec, Error> {
    let wire::Tag { name, digest, deprecated, bundles, .. } = tag;
    let mut violations = Violations::default();
    let name = TagName::parse("name", &name, &mut violations);
    let digest = if digest.is_empty() {
        violations.add("digest", "digest is required");
        None
    } else {
        Digest::parse("digest", &digest, &mut violations)
    };
    let spec = || Some(TagSpec { name: name?, digest: Some(digest?), deprecated, bundles });
    violations.finish(spec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(name: &str, digest: &str) -> wire::Tag {
        wire::Tag { name: name.into(), digest: digest.into(), ..wire::Tag::default() }
    }

    #[test]
    fn every_bad_field_is_named() {
        let message = |name: &str, digest: &str| spec_from_wire(tag(name, digest)).map_err(|error| error.message().to_owned());
        let expected =
            "Invalid argument: name: name must match \"^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$\"; digest: digest is required";
        assert_eq!(message("a b", ""), Err(expected.to_owned()));
        assert!(message("a", "sha256:0").is_err_and(|message| message.contains("digest must be a digest")));
    }

    #[test]
    fn every_required_field_is_asked_for() {
        crate::required::is_asked_for(vec![tag("a", &format!("sha256:{}", "0".repeat(64)))], spec_from_wire);
    }
}
