//! Identity providers between the wire and the domain, where the versions of the wire have the same messages.

/// Makes the two directions for the messages of `$wire`: `spec_to_wire`, `spec_from_wire` and `secret`.
macro_rules! identity_providers {
    ($wire:path) => {
        use wire::identity_provider::{Configuration, Oidc as WireOidc, oidc::CorrelationRule as WireRule};
        use $wire as wire;

        /// What callers may set of an identity provider, but for its secret, which no answer has; the rest is left empty.
        pub(crate) fn spec_to_wire(spec: &domain::iam::IdentityProviderSpec) -> wire::IdentityProvider {
            let oidc = &spec.oidc;
            let oidc = WireOidc {
                issuer: oidc.issuer.clone(),
                client_id: oidc.client_id.clone(),
                client_secret: String::new(),
                additional_scopes: oidc.additional_scopes.clone(),
                groups_claim: oidc.groups_claim.clone(),
                correlation_rule: crate::mirror::number::<WireRule>(oidc.correlation_rule),
                pkce_enabled: oidc.pkce_enabled,
            };
            wire::IdentityProvider {
                name: spec.name.to_string(),
                description: spec.description.to_string(),
                default_role: spec.default_role.to_string(),
                configuration: Some(Configuration::Oidc(oidc)),
                ..wire::IdentityProvider::default()
            }
        }

        /// What a request says that an identity provider should be, but for its secret; output-only fields are not looked at.
        ///
        /// # Errors
        /// Invalid argument naming every field that is not as it must be.
        pub(crate) fn spec_from_wire(provider: wire::IdentityProvider) -> domain::Result<domain::iam::IdentityProviderSpec> {
            let wire::IdentityProvider { name, description, default_role, configuration, .. } = provider;
            let mut violations = domain::Violations::default();
            let name = domain::Name::parse("name", &name, &mut violations);
            let description = domain::Description::parse("description", &description, &mut violations);
            let default_role = crate::uidp::parse("default_role", &default_role, &mut violations);
            let oidc = if let Some(Configuration::Oidc(oidc)) = configuration {
                oidc_from_wire(oidc, &mut violations)
            } else {
                violations.add("oidc", "oidc is required");
                None
            };
            let spec = || {
                let (name, description, default_role, oidc) = (name?, description?, default_role?, oidc?);
                Some(domain::iam::IdentityProviderSpec { name, description, default_role, oidc })
            };
            violations.finish(spec())
        }

        fn oidc_from_wire(oidc: WireOidc, violations: &mut domain::Violations) -> Option<domain::iam::Oidc> {
            crate::field::required_in("oidc.", &oidc, violations);
            let rule = crate::mirror::known::<WireRule, _>("oidc.correlation_rule", oidc.correlation_rule, violations);
            Some(domain::iam::Oidc {
                issuer: oidc.issuer,
                client_id: oidc.client_id,
                client_secret: None,
                additional_scopes: oidc.additional_scopes,
                groups_claim: oidc.groups_claim,
                correlation_rule: rule?,
                pkce_enabled: oidc.pkce_enabled,
            })
        }

        /// The secret that a request brings, if it does.
        pub(crate) fn secret(provider: &wire::IdentityProvider) -> Option<domain::Secret<String>> {
            let Some(Configuration::Oidc(oidc)) = &provider.configuration else { return None };
            (!oidc.client_secret.is_empty()).then(|| domain::Secret::new(oidc.client_secret.clone()))
        }

        #[cfg(test)]
        mod tests {
            use domain::{Sealed, Uidp};
            use proptest::prelude::*;

            use super::*;
            use crate::specs;

            proptest! {
                #[test]
                fn specs_survive_the_wire(spec in specs::identity_provider()) {
                    prop_assert_eq!(spec_from_wire(spec_to_wire(&spec)).ok(), Some(spec.clone()));
                    let mut with_secret = spec.clone();
                    with_secret.oidc.client_secret = Some(Sealed::trusted("c2VhbGVk"));
                    prop_assert_eq!(spec_to_wire(&with_secret), spec_to_wire(&spec), "no answer has a secret");
                }
            }

            /// The least that is one.
            pub(super) fn least() -> wire::IdentityProvider {
                let oidc = WireOidc { issuer: "https://a".into(), client_id: "b".into(), ..WireOidc::default() };
                wire::IdentityProvider {
                    name: "a".into(),
                    default_role: Uidp::root_from([1; 20]).to_string(),
                    configuration: Some(Configuration::Oidc(oidc)),
                    ..wire::IdentityProvider::default()
                }
            }

            #[test]
            fn every_bad_field_is_named() {
                let message = |provider| spec_from_wire(provider).map(drop).map_err(|error| error.message().to_owned());
                assert_eq!(message(least()), Ok(()));
                let nothing = message(wire::IdentityProvider::default()).unwrap_err();
                for field in ["name: ", "default_role: ", "oidc: oidc is required"] {
                    assert!(nothing.contains(field), "{field} in {nothing}");
                }
                let oidc =
                    WireOidc { issuer: "https://a".into(), client_id: "b".into(), correlation_rule: 9, ..WireOidc::default() };
                let unknown = wire::IdentityProvider { configuration: Some(Configuration::Oidc(oidc)), ..least() };
                assert_eq!(
                    message(unknown),
                    Err("Invalid argument: oidc.correlation_rule: correlation_rule has no value 9".to_owned())
                );
            }

            #[test]
            fn every_required_field_is_asked_for() {
                crate::required::is_asked_for(vec![least()], spec_from_wire);
            }
        }
    };
}
pub(crate) use identity_providers;
