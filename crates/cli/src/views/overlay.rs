//! Image overlays and where they are bound.

use contract::chainguard::platform::registry::v2beta1::{Overlay, OverlayBinding};
use serde_json::{Value, json};

use crate::output::Show;

impl Show for Overlay {
    const COLUMNS: &'static [&'static str] = &["ID", "NAME", "PACKAGES"];

    fn id(&self) -> &str {
        &self.uid
    }

    fn label(&self) -> String {
        self.name.clone()
    }

    fn row(&self) -> Vec<String> {
        vec![self.uid.clone(), self.name.clone(), packages(self).join(", ")]
    }

    fn json(&self) -> Value {
        json!({ "id": self.uid, "name": self.name, "packages": packages(self) })
    }
}

/// What an overlay adds.
fn packages(overlay: &Overlay) -> &[String] {
    let contents = overlay.config.as_ref().and_then(|config| config.contents.as_ref());
    contents.map_or(&[], |contents| &contents.packages)
}

impl Show for OverlayBinding {
    const COLUMNS: &'static [&'static str] = &["ID", "OVERLAY", "REPO", "TAGS"];

    fn id(&self) -> &str {
        &self.uid
    }

    fn label(&self) -> String {
        format!("{} to {}", overlay_name(self), self.tags.join(", "))
    }

    fn row(&self) -> Vec<String> {
        vec![self.uid.clone(), overlay_name(self), self.repo.clone(), self.tags.join(", ")]
    }

    fn json(&self) -> Value {
        let overlay = self.overlay.as_ref().map(Show::json);
        json!({ "id": self.uid, "repo": self.repo, "overlay": overlay, "tags": self.tags })
    }
}

fn overlay_name(binding: &OverlayBinding) -> String {
    binding.overlay.as_ref().map(|overlay| overlay.name.clone()).unwrap_or_default()
}
