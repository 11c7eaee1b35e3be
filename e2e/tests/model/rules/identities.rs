//! Identities.

use super::{Given, bad_texts, rights::Rights, touches};
use crate::model::{
    answer::{Outcome, Refusal, check, not_found},
    history::{Noun, Proof, Ref, Step, Wish},
    state::{State, What, principal},
};

impl State {
    pub(super) fn create_identity(&mut self, step: &Step, given: &Given, place: &str, wish: &Wish) -> Outcome {
        let Wish::Identity { name, description, proof } = wish else { unreachable!("an identity's wish") };
        check(&[bad_texts(name, description), bad_proof(proof)].concat())?;
        if self.find(Noun::Group, place).is_none() {
            return not_found();
        }
        let uid = given.uids.first().cloned().unwrap_or_else(|| "?".to_owned());
        let (name, description, proof) = (name.clone(), description.clone(), proof.clone());
        self.add(Ref::Made(step.number, 0), &uid, What::Identity { name, description, proof, proofs: 1 });
        Ok((self.show(&uid), Some(uid)))
    }

    pub(super) fn update_identity(&mut self, rights: &Rights, uid: &str, wish: &Wish, mask: &[&str]) -> Result<(), Refusal> {
        let Wish::Identity { name, description, proof } = wish else { unreachable!("an identity's wish") };
        let current = self.things[uid].what.clone();
        let mut wished = current.clone();
        let mut becomes_another = false;
        if let What::Identity { name: n, description: d, proof: p, .. } = &mut wished {
            if touches(mask, "name", !name.is_empty()) {
                n.clone_from(name);
            }
            if touches(mask, "description", !description.is_empty()) {
                d.clone_from(description);
            }
            if touches(mask, "claim_match", true) || touches(mask, "service_principal", true) {
                becomes_another = p != proof;
                p.clone_from(proof);
            }
        }
        let What::Identity { name, description, proof, proofs } = &mut wished else { unreachable!("an identity") };
        check(&[bad_texts(name, description), bad_proof(proof)].concat())?;
        if becomes_another {
            // Whoever chooses who becomes the identity could become it.
            for (at, _, role) in self.bindings().filter(|(_, of, _)| *of == uid) {
                rights.may_give(&self.capabilities(role), at)?;
            }
            *proofs += 1;
        }
        if wished != current {
            self.change(uid, wished);
        }
        Ok(())
    }
}

fn bad_proof(proof: &Proof) -> Vec<&'static str> {
    match proof {
        Proof::Subject(subject) if subject.is_empty() => vec!["claim_match.subject"],
        Proof::Principal(number) if principal(*number).ends_with("UNSPECIFIED") => vec!["service_principal"],
        Proof::Subject(_) | Proof::Principal(_) => Vec::new(),
    }
}
