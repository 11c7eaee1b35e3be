//! Values of every noun for tests: anything that the domain admits.

use std::collections::BTreeMap;

use domain::{
    Capability, CapabilitySet, Description, Name, Timestamp, Uidp,
    iam::{
        AccountAssociationSpec, AwsIdentity, AzureTenant, ClaimMatch, CorrelationRule, GitHubInstallation, GoogleProject,
        GroupInviteSpec, GroupSpec, IdentityMetadataSpec, IdentityProviderSpec, IdentitySpec, Matcher, Oidc, OrgKind,
        Relationship, RoleBindingSpec, RoleSpec, ServiceBinding, ServicePrincipal, StaticKeys,
    },
    registry::{
        Account, AccountGroup, Accounts, CatalogTier, CertificateEntry, Certificates, CustomOverlay, ImageContents, KeyringEntry,
        Readme, RepoSpec, SyncConfig,
    },
};
use proptest::{
    collection::{btree_map, vec},
    option,
    prelude::*,
    sample::{select, subsequence},
};

pub(crate) fn uidp() -> impl Strategy<Value = Uidp> {
    let child = |parent: Uidp, children: Vec<[u8; 8]>| children.into_iter().fold(parent, |parent, bytes| parent.child(bytes));
    (any::<[u8; 20]>(), vec(any::<[u8; 8]>(), 0..3)).prop_map(move |(root, children)| child(Uidp::root_from(root), children))
}

pub(crate) fn group() -> impl Strategy<Value = GroupSpec> {
    let kinds =
        vec![OrgKind::Unspecified, OrgKind::Starter, OrgKind::Customer, OrgKind::Dev, OrgKind::Infra, OrgKind::AwsMarketplace];
    (name(), description(), any::<bool>(), select(kinds)).prop_map(|(name, description, verified, kind)| GroupSpec {
        name,
        description,
        verified,
        kind,
    })
}

pub(crate) fn role() -> impl Strategy<Value = RoleSpec> {
    let capability = select(Capability::all().collect::<Vec<_>>());
    (name(), description(), vec(capability, 0..20)).prop_map(|(name, description, capabilities)| RoleSpec {
        name,
        description,
        capabilities: capabilities.into_iter().collect::<CapabilitySet>(),
    })
}

pub(crate) fn role_binding() -> impl Strategy<Value = RoleBindingSpec> {
    (uidp(), uidp()).prop_map(|(identity, role)| RoleBindingSpec { identity, role })
}

pub(crate) fn identity() -> impl Strategy<Value = IdentitySpec> {
    (name(), description(), text(), relationship()).prop_map(|(name, description, company, relationship)| IdentitySpec {
        name,
        description,
        company,
        relationship,
    })
}

pub(crate) fn identity_metadata() -> impl Strategy<Value = IdentityMetadataSpec> {
    let utm = (text(), text(), text(), text(), text());
    let others = (text(), text(), text(), any::<bool>(), any::<bool>());
    (text(), text(), text(), texts(), utm, others).prop_map(|(company, product, job_title, providers, utm, others)| {
        let (utm_campaign, utm_content, utm_medium, utm_source, utm_term) = utm;
        let (latest_form_submit_url, latest_internal_referring_url, hubspot_utk, updates_opt_in, self_serve) = others;
        IdentityMetadataSpec {
            company,
            updates_opt_in,
            product,
            job_title,
            providers,
            utm_campaign,
            utm_content,
            utm_medium,
            utm_source,
            utm_term,
            latest_form_submit_url,
            latest_internal_referring_url,
            hubspot_utk,
            self_serve,
        }
    })
}

/// Without a secret: no answer has one.
pub(crate) fn identity_provider() -> impl Strategy<Value = IdentityProviderSpec> {
    use CorrelationRule::{OidEqualsExternalId, SubEqualsExternalId, Unspecified};
    let rules = select(vec![Unspecified, SubEqualsExternalId, OidEqualsExternalId]);
    let oidc = (filled(), filled(), texts(), text(), rules, any::<bool>()).prop_map(
        |(issuer, client_id, additional_scopes, groups_claim, correlation_rule, pkce_enabled)| Oidc {
            issuer,
            client_id,
            client_secret: None,
            additional_scopes,
            groups_claim,
            correlation_rule,
            pkce_enabled,
        },
    );
    (name(), description(), uidp(), oidc).prop_map(|(name, description, default_role, oidc)| IdentityProviderSpec {
        name,
        description,
        default_role,
        oidc,
    })
}

pub(crate) fn group_invite() -> impl Strategy<Value = GroupInviteSpec> {
    (uidp(), text(), any::<bool>()).prop_map(|(role, email, single_use)| GroupInviteSpec { role, email, single_use })
}

pub(crate) fn account_association() -> impl Strategy<Value = AccountAssociationSpec> {
    let google = (filled(), filled()).prop_map(|(project_id, project_number)| GoogleProject { project_id, project_number });
    let clients = btree_map(text(), text(), 1..4);
    let azure = (filled(), clients).prop_map(|(tenant_id, client_ids)| AzureTenant { tenant_id, client_ids });
    // Each under the name of one version.
    let bound = [(1, "COSIGNED"), (2, "SERVICE_PRINCIPAL_INGESTER"), (3, "CATALOG_SYNCER")];
    let bindings = subsequence(bound.to_vec(), 1..=bound.len()).prop_flat_map(|bound| {
        vec(uidp(), bound.len()).prop_map(move |uids| {
            let binding = |((number, name), identity): (&(i32, &str), _)| {
                (ServicePrincipal(*number), ServiceBinding { identity, name: (*name).to_owned() })
            };
            bound.iter().zip(uids).map(binding).collect()
        })
    });
    let installation = (any::<i64>(), text()).prop_map(|(installation_id, name)| GitHubInstallation { installation_id, name });
    let github = btree_map(any::<i64>(), vec(installation, 0..3), 0..3);
    let accounts = (option::of("[0-9]{12}"), option::of(google), option::of(azure), option::of(bindings), option::of(github));
    (name(), description(), accounts).prop_map(|(name, description, (amazon, google, azure, service_bindings, github))| {
        AccountAssociationSpec { name, description, amazon, google, azure, service_bindings, github }
    })
}

/// Without a readme, which one version has elsewhere.
pub(crate) fn repo() -> impl Strategy<Value = RepoSpec> {
    let tiers = vec![
        CatalogTier::Unspecified,
        CatalogTier::Application,
        CatalogTier::Base,
        CatalogTier::Fips,
        CatalogTier::Ai,
        CatalogTier::Devtools,
        CatalogTier::Commercial,
    ];
    let lists = (texts(), texts(), texts());
    (name(), description(), select(tiers), lists, option::of(sync()), option::of(overlay())).prop_map(
        |(name, description, catalog_tier, (bundles, aliases, active_tags), sync_config, custom_overlay)| RepoSpec {
            name,
            description,
            catalog_tier,
            bundles,
            aliases,
            active_tags,
            sync_config,
            custom_overlay,
            readme: Readme::default(),
        },
    )
}

fn name() -> impl Strategy<Value = Name> {
    "[a-z0-9 ._-]{1,20}".prop_map(Name::trusted)
}

fn description() -> impl Strategy<Value = Description> {
    "[a-zA-Zäß .]{0,20}".prop_map(Description::trusted)
}

fn text() -> impl Strategy<Value = String> {
    "\\PC{0,12}"
}

fn filled() -> impl Strategy<Value = String> {
    "\\PC{1,12}"
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    vec(text(), 0..4)
}

fn map() -> impl Strategy<Value = BTreeMap<String, String>> {
    btree_map(text(), text(), 0..4)
}

/// Milliseconds from 1970 on, without the first one, which stands for an absent time where there is a default.
fn time() -> impl Strategy<Value = Timestamp> {
    (1..253_402_300_799_999_i64).prop_map(Timestamp)
}

fn matcher() -> impl Strategy<Value = Matcher> {
    prop_oneof![filled().prop_map(Matcher::Literal), filled().prop_map(Matcher::Pattern)]
}

fn relationship() -> impl Strategy<Value = Relationship> {
    let claims = (matcher(), matcher(), option::of(matcher()), map(), map()).prop_map(
        |(issuer, subject, audience, claims, claim_patterns)| {
            Relationship::ClaimMatch(ClaimMatch { issuer, subject, audience, claims, claim_patterns })
        },
    );
    let keys =
        (filled(), filled(), filled(), time(), texts()).prop_map(|(issuer, subject, issuer_keys, expires_at, audiences)| {
            Relationship::StaticKeys(StaticKeys { issuer, subject, issuer_keys, expires_at, audiences })
        });
    let aws = (filled(), matcher(), matcher())
        .prop_map(|(account, arn, user_id)| Relationship::AwsIdentity(AwsIdentity { account, arn, user_id }));
    let principal = (1..=13).prop_map(|number| Relationship::ServicePrincipal { principal: ServicePrincipal(number) });
    prop_oneof![claims, keys, aws, principal]
}

fn sync() -> impl Strategy<Value = SyncConfig> {
    (uidp(), any::<bool>(), time(), text(), text(), text(), text(), any::<bool>()).prop_map(
        |(source, unique_tags, expires_at, google, amazon, azure, apko_overlay, grace_period)| SyncConfig {
            source,
            unique_tags,
            expires_at,
            google,
            amazon,
            azure,
            apko_overlay,
            grace_period,
        },
    )
}

fn overlay() -> impl Strategy<Value = CustomOverlay> {
    (option::of(contents()), map(), map(), option::of(accounts()), option::of(certificates())).prop_map(
        |(contents, environment, annotations, accounts, certificates)| CustomOverlay {
            contents,
            environment,
            annotations,
            accounts,
            certificates,
        },
    )
}

fn contents() -> impl Strategy<Value = ImageContents> {
    let key = (filled(), filled()).prop_map(|(name, content)| KeyringEntry { name, content });
    (texts(), texts(), vec(key, 0..3)).prop_map(|(packages, runtime_repositories, runtime_keyring)| ImageContents {
        packages,
        runtime_repositories,
        runtime_keyring,
    })
}

fn accounts() -> impl Strategy<Value = Accounts> {
    let user = (filled(), any::<i32>(), any::<i32>(), text(), text(), text()).prop_map(
        |(username, uid, gid, group_name, shell, home_dir)| Account { username, uid, gid, group_name, shell, home_dir },
    );
    let group = (filled(), any::<i32>(), texts()).prop_map(|(groupname, gid, members)| AccountGroup { groupname, gid, members });
    (text(), vec(user, 0..3), vec(group, 0..3)).prop_map(|(run_as, users, groups)| Accounts { run_as, users, groups })
}

fn certificates() -> impl Strategy<Value = Certificates> {
    let entry = (filled(), filled()).prop_map(|(name, content)| CertificateEntry { name, content });
    (vec(entry, 0..3), texts()).prop_map(|(additional, providers)| Certificates { additional, providers })
}
