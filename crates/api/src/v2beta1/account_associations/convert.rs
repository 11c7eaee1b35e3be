//! Account associations between the wire and the domain.

use contract::chainguard::platform::iam::v2beta1::{AccountAssociation, account_association};
use domain::iam;

use crate::{account_association::account_associations, time};

account_associations!(AccountAssociation with account_association);

/// An account association for an answer.
pub(crate) fn to_wire(association: &iam::AccountAssociation) -> AccountAssociation {
    AccountAssociation {
        uid: association.uid.to_string(),
        create_time: Some(time::to_wire(association.created_at)),
        update_time: Some(time::to_wire(association.updated_at)),
        ..spec_to_wire(&association.spec)
    }
}

#[cfg(test)]
mod tests {
    use account_association::{Amazon, Azure, Chainguard, Google};
    use proptest::prelude::*;

    use super::*;
    use crate::specs;

    proptest! {
        #[test]
        fn specs_survive_the_wire(spec in specs::account_association()) {
            prop_assert_eq!(spec_from_wire(spec_to_wire(&spec)).ok(), Some(spec));
        }
    }

    fn binding(entries: &[(&str, &str)]) -> AccountAssociation {
        let service_bindings = entries.iter().map(|(name, identity)| ((*name).into(), (*identity).into())).collect();
        AccountAssociation {
            name: "a".into(),
            chainguard: Some(Chainguard { service_bindings }),
            ..AccountAssociation::default()
        }
    }

    #[test]
    fn every_required_field_is_asked_for() {
        let text = || "x".to_owned();
        let full = AccountAssociation {
            amazon: Some(Amazon { account: text() }),
            google: Some(Google { project_id: text(), project_number: text() }),
            azure: Some(Azure { tenant_id: text(), client_ids: [(text(), text())].into() }),
            ..binding(&[("COSIGNED", &"0".repeat(40))])
        };
        crate::required::is_asked_for(vec![full], spec_from_wire);
    }

    #[test]
    fn service_principals_are_called_as_any_version_does_and_each_once() {
        let uid = "0".repeat(40);
        let refused = |entries: &[(&str, &str)]| {
            let read = spec_from_wire(binding(entries)).map(|spec| spec_to_wire(&spec).chainguard == binding(entries).chainguard);
            read.map_err(|error| error.message().trim_start_matches("Invalid argument: chainguard.service_bindings: ").to_owned())
        };
        assert_eq!(refused(&[("COSIGNED", &uid), ("SERVICE_PRINCIPAL_INGESTER", &uid)]), Ok(true));
        let twice = refused(&[("COSIGNED", &uid), ("SERVICE_PRINCIPAL_COSIGNED", &uid)]);
        assert_eq!(twice, Err("COSIGNED and SERVICE_PRINCIPAL_COSIGNED are names of one service principal".to_owned()));
        for name in ["", "cosigned", "UNKNOWN", "SERVICE_PRINCIPAL_UNSPECIFIED", "1"] {
            let unknown = refused(&[(name, &uid)]).expect_err("there is none");
            assert!(unknown.ends_with(&format!("such as COSIGNED; not so: {name:?}")), "{unknown}");
        }
        let misspelt = refused(&[("COSIGNED", "robot")]).expect_err("it is no UIDP");
        assert!(misspelt.starts_with("the identity of COSIGNED must be a UIDP: "), "{misspelt}");
    }
}
