//! Groups: organizations and folders.

use super::{Given, bindings::binding, check_form, rights::Rights};
use crate::model::{
    answer::{Outcome, Refusal, check, refused},
    history::{Ref, Step, Wish},
    nouns::Noun,
    state::{Fields, State, parent, root},
};

impl State {
    /// Who makes an organization is its owner.
    pub(super) fn create_organization(&mut self, step: &Step, given: &Given, rights: &Rights, wish: &Wish) -> Outcome {
        let made = self.fields(wish);
        check_form(Noun::Group, None, &made)?;
        let uid = given.uids.first().cloned().unwrap_or_else(|| "?".to_owned());
        rights.require_organizations()?;
        self.check_organization(rights, None, &uid, &made)?;
        self.add(Ref::Made(step.number, 0), Noun::Group, &uid, made);
        if let Some(creator) = &rights.identity {
            let owner = self.which(Noun::Role, |uid, role| parent(uid).is_none() && role.text("name") == "owner");
            let ownership = given.binding.clone().unwrap_or_else(|| format!("{uid}/?"));
            self.add(Ref::Made(step.number, 1), Noun::Binding, &ownership, binding(creator, &owner[0]));
        }
        Ok(self.answer(Noun::Group, uid))
    }

    /// Folders are what their organization is.
    pub(super) fn check_group(
        &self,
        rights: &Rights,
        uid: &str,
        before: Option<&Fields>,
        wished: &mut Fields,
    ) -> Result<(), Refusal> {
        let Some(place) = parent(uid) else { return self.check_organization(rights, before, uid, wished) };
        let kind = self.of(Noun::Group, place).text("kind");
        let mut bad = Vec::new();
        if wished.is("verified") {
            rights.require_operator()?;
            bad.push("verified");
        }
        if !wished.text("kind").is_empty() && wished.text("kind") != kind {
            bad.push("kind");
        }
        check(&bad)?;
        wished.set("kind", kind);
        Ok(())
    }

    /// What an organization is, its folders are.
    pub(super) fn pass_on_kind(&mut self, organization: &str) {
        let kind = self.of(Noun::Group, organization).text("kind").to_owned();
        for folder in self.which(Noun::Group, |uid, _| uid != organization && root(uid) == organization) {
            self.change(Noun::Group, &folder, |fields| fields.set("kind", kind.as_str()));
        }
    }

    fn check_organization(&self, rights: &Rights, before: Option<&Fields>, uid: &str, wished: &Fields) -> Result<(), Refusal> {
        let (name, verified) = (wished.text("name"), wished.is("verified"));
        let was_verified = before.is_some_and(|before| before.is("verified"));
        if was_verified != verified || was_verified && before.is_some_and(|before| before.text("name") != name) {
            rights.require_operator()?;
        }
        if !verified {
            return Ok(());
        }
        let mut bad = Vec::new();
        if !is_domain(name) {
            bad.push("name");
        }
        if wished.text("kind").is_empty() {
            bad.push("kind");
        }
        check(&bad)?;
        let others = self.which(Noun::Group, |at, group| at != uid && group.is("verified") && group.text("name") == name);
        if others.is_empty() { Ok(()) } else { refused("ALREADY_EXISTS", "NAME_TAKEN") }
    }
}

fn is_domain(name: &str) -> bool {
    let fits = |label: &str| {
        (1..=63).contains(&label.len())
            && label.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    name.len() <= 253 && name.contains('.') && name.split('.').all(fits)
}
