//! Inputs made from the contract's descriptors: a method that is added later gets them without a line written for it.

pub(crate) mod base;
mod fields;
pub(crate) mod json;
pub(crate) mod recipe;
pub(crate) mod wire;

use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};

/// Packs bytes as HTTP and gRPC do.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

mod tests {
    use contract::METHODS;
    use prost_reflect::{DynamicMessage, ReflectMessage as _};

    use super::{
        base::{Aim, base},
        json,
        recipe::{Class, recipes},
        wire,
    };

    const ROOM: usize = 8_000;

    #[test]
    fn every_method_of_the_contract_has_inputs() {
        let aim = Aim::at(&"a".repeat(40));
        for method in METHODS {
            let base = base(method, &aim);
            for class in Class::ALL {
                for recipe in recipes(method, class) {
                    let bytes = wire::message(&base, &recipe, ROOM);
                    let told = format!("{} {class:?} {}", method.name, recipe.name());
                    assert!(bytes.len() <= ROOM + 200, "{told}: {} bytes", bytes.len());
                    let full = class == Class::Mask || class == Class::Again || bytes.len() > ROOM / 2;
                    assert!(full, "{told}: only {} bytes", bytes.len());
                    if class != Class::Nesting {
                        DynamicMessage::decode(base.descriptor(), bytes.as_slice()).unwrap_or_else(|why| panic!("{told}: {why}"));
                    }
                    json::request(method, &base, &recipe, ROOM);
                }
            }
            assert!(!recipes(method, Class::Unknown).is_empty() && !recipes(method, Class::Nesting).is_empty());
        }
    }

    /// What the classes are for is found where it is known to be.
    #[test]
    fn what_is_large_is_found() {
        let found = |name: &str, class| {
            let method = METHODS.iter().find(|method| method.name == name).expect("the method is in the contract");
            recipes(method, class).iter().map(super::recipe::Recipe::name).collect::<Vec<_>>()
        };
        assert!(found("BatchCreateRoleBindings", Class::Elements).contains(&"requests".to_owned()));
        assert!(found("CreateRole", Class::Packed).contains(&"role.capabilities".to_owned()));
        assert!(found("CreateIdentity", Class::Entries).contains(&"identity.claim_match.claims".to_owned()));
        let masks = found("UpdateIdentity", Class::Mask);
        assert_eq!(masks.first().map(String::as_str), Some("identity.claim_match.claims, paths Repeated"));
        assert!(masks.contains(&"paths Contradictory".to_owned()) && masks.contains(&"paths Unknown".to_owned()));
    }

    #[test]
    fn json_says_what_the_wire_says() {
        let aim = Aim::at(&"a".repeat(40));
        let method = METHODS.iter().find(|method| method.name == "UpdateIdentity").expect("the method is in the contract");
        let recipe = &recipes(method, Class::Mask)[0];
        let rest = json::request(method, &base(method, &aim), recipe, ROOM).expect("JSON has a place for it");
        assert!(rest.path.contains("?updateMask=claim_match.claims,claim_match.claims"), "{}", rest.path);
        let body: serde_json::Value = serde_json::from_slice(&rest.body.expect("a body")).expect("JSON");
        assert!(body["claimMatch"]["claims"].as_object().is_some_and(|claims| claims.len() > 100));
    }
}
