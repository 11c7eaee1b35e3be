//! Overlays between the wire and the domain. The wire could say more of an image than its packages.

use contract::chainguard::platform::registry::v2beta1::{self as wire, CustomOverlay, custom_overlay::ImageContents};
use domain::{
    Name, Result, Violations,
    registry::{Overlay, OverlaySpec},
};

/// An overlay for an answer.
pub(crate) fn to_wire(overlay: &Overlay) -> wire::Overlay {
    let contents = ImageContents { packages: overlay.spec.packages.clone(), ..ImageContents::default() };
    wire::Overlay {
        uid: overlay.uid.to_string(),
        name: overlay.spec.name.to_string(),
        config: Some(CustomOverlay { contents: Some(contents), ..CustomOverlay::default() }),
    }
}

/// What a request says that an overlay should be.
///
/// # Errors
/// Invalid argument naming every field that is not as it must be, or that must not be there.
pub(super) fn spec_from_wire(overlay: wire::Overlay) -> Result<OverlaySpec> {
    let mut violations = Violations::default();
    let name = Name::parse("name", &overlay.name, &mut violations);
    if overlay.config.is_none() {
        violations.add("config", "config is required");
    }
    let CustomOverlay { contents, environment, annotations, accounts, certificates } = overlay.config.unwrap_or_default();
    let ImageContents { packages, runtime_repositories, runtime_keyring } = contents.unwrap_or_default();
    for (field, is_absent) in [
        ("environment", environment.is_empty()),
        ("annotations", annotations.is_empty()),
        ("accounts", accounts.is_none()),
        ("certificates", certificates.is_none()),
        ("contents.runtime_repositories", runtime_repositories.is_empty()),
        ("contents.runtime_keyring", runtime_keyring.is_empty()),
    ] {
        if !is_absent {
            let name = crate::field::last(field);
            violations
                .add(format!("config.{field}"), format!("{name} must not be set: an overlay has packages and nothing else"));
        }
    }
    let spec = || Some(OverlaySpec { name: name?, packages });
    violations.finish(spec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_required_is_asked_for() {
        let message = spec_from_wire(wire::Overlay::default()).map_err(|error| error.message().to_owned());
        assert!(
            message
                .is_err_and(|message| message.contains("name must match") && message.ends_with("; config: config is required"))
        );
    }
}
