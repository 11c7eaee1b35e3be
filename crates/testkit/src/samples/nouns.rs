//! Every noun, those before it that it refers to; and what is about no noun.

use contract::{
    chainguard::platform::{
        advisory::{rpc as old_published, v2beta1::rpc as published},
        auth::rpc::{Delete, Register, Validate},
        events::rpc as old_events,
        events::v2beta1::rpc as events,
        iam::rpc as old,
        iam::v2beta1::rpc as iam,
        oidc::rpc::{Exchange, ExchangeRefreshToken},
        ping,
        registry::rpc as old_registry,
        registry::v2beta1::rpc as registry,
        vulnerabilities::{v1::rpc as old_vulnerabilities, v2beta1::rpc as vulnerabilities},
    },
    provost::{
        events::v1::rpc as own_events, iam::v1::rpc as own, registry::v1::rpc as own_registry,
        vulnerabilities::v1::rpc as own_vulnerabilities,
    },
};
use serde_json::{Value, json};

use super::{Does, Noun, Old, Place, Sample};

/// The nouns.
#[expect(clippy::too_many_lines, reason = "a list, one entry after the other")]
pub(super) fn all() -> Vec<Noun> {
    vec![
        Noun::new::<iam::CreateGroup, iam::GetGroup, iam::ListGroups, iam::DeleteGroup>(
            "group",
            Place::AT,
            |_| json!({ "name": "team-a", "description": "Builds the shop." }),
        )
        .changed::<iam::UpdateGroup>(|_| json!({ "description": "Runs the shop." }))
        .old::<old::GroupsCreate, old::GroupsUpdate, old::GroupsList, old::GroupsDelete>(Old {
            parent: "parent",
            body: |_| json!({ "name": "team-b", "description": "Builds the shop." }),
            whole: |_| json!({ "name": "team-b", "description": "Runs the shop." }),
        }),
        Noun::new::<iam::CreateIdentity, iam::GetIdentity, iam::ListIdentities, iam::DeleteIdentity>(
            "identity",
            Place::AT,
            |_| json!({ "name": "ci", "description": "Builds of the main branch.", "claim_match": workflow("acme/shop") }),
        )
        .changed::<iam::UpdateIdentity>(|_| json!({ "claim_match": workflow("acme/store") }))
        .old::<old::IdentitiesCreate, old::IdentitiesUpdate, old::IdentitiesList, old::IdentitiesDelete>(Old {
            parent: "parent_id",
            body: |_| json!({ "name": "ci", "description": "Builds of the main branch.", "claim_match": workflow("acme/shop") }),
            whole: |_| json!({ "name": "ci", "claim_match": workflow("acme/store") }),
        }),
        Noun::new::<iam::CreateRole, iam::GetRole, iam::ListRoles, iam::DeleteRole>(
            "role",
            Place::AT,
            |_| json!({ "name": "fetcher", "capabilities": ["CAP_APK_LIST"] }),
        )
        .changed::<iam::UpdateRole>(|_| json!({ "description": "Looks for packages." }))
        .old::<old::RolesCreate, old::RolesUpdate, old::RolesList, old::RolesDelete>(Old {
            parent: "parent_id",
            body: |_| json!({ "name": "finder", "capabilities": ["apk.list"] }),
            whole: |_| json!({ "name": "finder", "description": "Looks for packages.", "capabilities": ["apk.list"] }),
        }),
        Noun::new::<iam::CreateRoleBinding, iam::GetRoleBinding, iam::ListRoleBindings, iam::DeleteRoleBinding>(
            "role_binding",
            Place::AT,
            bound,
        )
        .changed::<iam::UpdateRoleBinding>(|place| json!({ "identity_uid": place.of("identity"), "role_uid": place.of("role") }))
        .old::<old::RoleBindingsCreate, old::RoleBindingsUpdate, old::RoleBindingsList, old::RoleBindingsDelete>(Old {
            parent: "parent",
            body: |place| json!({ "identity": place.of("identity"), "role": Place::bindable() }),
            whole: |place| json!({ "identity": place.of("identity"), "role": place.of("role") }),
        }),
        Noun::new::<iam::CreateIdentityProvider, iam::GetIdentityProvider, iam::ListIdentityProviders, iam::DeleteIdentityProvider>(
            "identity_provider",
            Place::ORGANIZATION,
            |_| json!({ "name": "login", "description": "Where people log in.", "default_role": Place::bindable(), "oidc": login() }),
        )
        .changed::<iam::UpdateIdentityProvider>(|_| json!({ "oidc": { "client_secret": "of-next-year", "groups_claim": "roles" } }))
        .old::<old::IdentityProvidersCreate, old::IdentityProvidersUpdate, old::IdentityProvidersList, old::IdentityProvidersDelete>(
            Old {
                parent: "parent_id",
                body: |_| json!({ "name": "login", "default_role": Place::bindable(), "oidc": login() }),
                whole: |_| json!({ "name": "sign-in", "default_role": Place::bindable(), "oidc": login() }),
            },
        )
        .with(scim()),
        external_group_role_mapping(),
        Noun::new::<
            iam::CreateAccountAssociation,
            iam::GetAccountAssociation,
            iam::ListAccountAssociations,
            iam::DeleteAccountAssociation,
        >("account_association", "group", accounts)
        .first_in(Place::AT)
        .changed::<iam::UpdateAccountAssociation>(|_| json!({ "description": "Accounts of the shop.", "github": github(7) }))
        .looked_at::<iam::CheckAccountAssociation>(
            |place| json!({ "uid": place.of("account_association"), "provider_type": "ACCOUNT_PROVIDER_TYPE_AMAZON" }),
        )
        .old_of_group::<
            old::GroupAccountAssociationsCreate,
            old::GroupAccountAssociationsUpdate,
            old::GroupAccountAssociationsList,
            old::GroupAccountAssociationsDelete,
        >(accounts, |_| json!({ "name": "accounts", "amazon": { "account": "210987654321" } }))
        .looked_at::<old::Check>(|place| json!({ "group": place.of("account_association"), "account_type": "AMAZON" })),
        group_invite(),
        Noun::new::<registry::CreateRepo, registry::GetRepo, registry::ListRepos, registry::DeleteRepo>(
            "repo",
            Place::AT,
            |_| json!({ "name": "shop", "catalog_tier": "CATALOG_TIER_BASE", "active_tags": ["latest"] }),
        )
        .changed::<registry::UpdateRepo>(|_| json!({ "description": "The shop's front end." }))
        .old::<old_registry::CreateRepo, old_registry::UpdateRepo, old_registry::ListRepos, old_registry::DeleteRepo>(Old {
            parent: "parent_id",
            body: |_| json!({ "name": "store", "catalog_tier": "BASE", "readme": README, "active_tags": ["latest"] }),
            whole: |_| json!({ "name": "warehouse", "description": "The shop's back end.", "readme": README }),
        }),
        Noun::new::<registry::CreateTag, registry::GetTag, registry::ListTags, registry::DeleteTag>(
            "tag",
            "repo",
            |_| json!({ "name": "latest", "digest": format!("sha256:{}", "0a".repeat(32)), "bundles": ["application"] }),
        )
        .old::<old_registry::CreateTag, old_registry::UpdateTag, old_registry::ListTags, old_registry::DeleteTag>(Old {
            parent: "repo_id",
            body: |_| json!({ "name": "next", "bundles": ["application"] }),
            whole: |_| json!({ "digest": format!("sha256:{}", "0b".repeat(32)), "deprecated": true }),
        }),
        Noun::new::<registry::CreateOverlay, registry::GetOverlay, registry::ListOverlays, registry::DeleteOverlay>(
            "overlay",
            Place::AT,
            |_| json!({ "name": "tools", "config": { "contents": { "packages": ["bash", "curl"] } } }),
        ),
        Noun::new::<
            registry::CreateOverlayBinding,
            registry::GetOverlayBinding,
            registry::ListOverlayBindings,
            registry::DeleteOverlayBinding,
        >("overlay_binding", "repo", |place| json!({ "overlay": place.overlay_to_bind(), "tags": ["latest"] })),
        Noun::new::<events::CreateSubscription, events::GetSubscription, events::ListSubscriptions, events::DeleteSubscription>(
            "subscription",
            Place::AT,
            |_| json!({ "sink": "https://hooks.example.com/provost" }),
        )
        .old_unchanged::<old_events::SubscriptionsCreate, old_events::List, old_events::Delete>(
            "parent_id",
            |_| json!({ "sink": "https://hooks.example.com/provost" }),
        ),
        advisory(),
    ]
}

/// Advisories, which v1 makes and changes; both versions read them.
fn advisory() -> Noun {
    const NAME: &str = "advisory";
    let event = |place: &Place| format!("{}/0123456789abcdef", place.of(NAME));
    Noun::made_by_old::<old_vulnerabilities::Create>(NAME, Place::AT, "parent_id", found).with(vec![
        Sample::new::<vulnerabilities::GetAdvisory>(Does::Read(NAME), |place| json!({ "uid": place.of(NAME) })),
        Sample::new::<vulnerabilities::ListAdvisories>(Does::List(NAME), |place| json!({ "uidp": { "ids": [place.of(NAME)] } })),
        Sample::new::<old_vulnerabilities::List>(Does::List(NAME), |place| json!({ "uidp": { "ids": [place.of(NAME)] } })),
        Sample::new::<old_vulnerabilities::Update>(Does::Change(NAME), |place| {
            let mut whole = found(place);
            whole["id"] = place.of(NAME).into();
            whole["component_location"] = "usr/lib64/libcrypto.so.3".into();
            whole
        }),
        Sample::new::<old_vulnerabilities::ListAdvisoryEvents>(Does::Read(NAME), |place| json!({ "parent_id": place.of(NAME) })),
        Sample::new::<old_vulnerabilities::CreateAdvisoryEvent>(
            Does::Act(NAME),
            |place| json!({ "parent_id": place.of(NAME), "advisory_event": { "fixed": { "fixed_version": "3.3.1-r0" } } }),
        ),
        Sample::new::<old_vulnerabilities::UpdateAdvisoryEvent>(
            Does::Act(NAME),
            move |place| json!({ "id": event(place), "status": "APPROVED" }),
        ),
        Sample::new::<old_vulnerabilities::Delete>(Does::Delete(NAME), |place| json!({ "id": place.of(NAME) })),
    ])
}

/// What somebody has found.
fn found(_: &Place) -> Value {
    json!({
        "artifact_type": "apk",
        "artifact_name": "openssl",
        "artifact_architecture": "x86_64",
        "component_name": "libcrypto3",
        "component_location": "usr/lib/libcrypto.so.3",
        "component_type": "apk",
        "aliases": ["CVE-2024-4741", "GHSA-6vgq-8qjq-h578"],
        "author": "security@example.com",
        "events": [{ "timestamp": "2023-11-14T22:13:20Z", "detection": { "manual": {} } }],
    })
}

const README: &str = "# The shop\n\nRun it by `docker run <image>`.\n";

fn group_invite() -> Noun {
    Noun::new::<iam::CreateGroupInvite, iam::GetGroupInvite, iam::ListGroupInvites, iam::DeleteGroupInvite>(
        "group_invite",
        Place::AT,
        |_| offer("role_uid"),
    )
    .old_made_twice::<old::GroupInvitesCreate, old::CreateWithGroup, old::GroupInvitesList, old::GroupInvitesDelete>(|_| {
        offer("role")
    })
}

/// What is about no noun, and what makes several of one.
pub(super) fn others() -> Vec<Sample> {
    let others = vec![
        Sample::new::<ping::rpc::Ping>(Does::Other, |_| json!({})),
        Sample::new::<ping::v2beta1::rpc::Ping>(Does::Other, |_| json!({})),
        Sample::new::<Validate>(Does::Other, |_| json!({})),
        Sample::new::<Register>(Does::Other, |_| json!({})),
        Sample::new::<Delete>(Does::Other, |_| json!({ "id": "0".repeat(40) })),
        Sample::new::<Exchange>(Does::Other, |_| json!({})),
        Sample::new::<ExchangeRefreshToken>(Does::Other, |_| json!({})),
        Sample::new::<iam::LookupIdentity>(
            Does::Other,
            |_| json!({ "issuer": "https://accounts.example.com", "subject": "somebody" }),
        ),
        Sample::new::<iam::LookupGroup>(Does::Other, |_| json!({})),
        Sample::new::<iam::CheckEligibility>(Does::Other, |_| json!({})),
        Sample::new::<iam::RequestGroupAccess>(Does::Other, |place| json!({ "group_uid": place.at.root_text() })),
        Sample::new::<old::RequestGroupAccess>(Does::Other, |place| json!({ "group_id": place.at.root_text() })),
        Sample::new::<own::ListAccessRequests>(Does::Other, |_| json!({})),
        Sample::new::<own::GetAccessRequest>(Does::Other, |place| json!({ "uid": unknown_request(place) })),
        Sample::new::<own::RefuseAccessRequest>(Does::Other, |place| json!({ "uid": unknown_request(place) })),
        Sample::new::<own::GrantAccessRequest>(
            Does::Other,
            |place| json!({ "uid": unknown_request(place), "role_uid": Place::bindable() }),
        ),
        Sample::new::<iam::AcceptTerms>(Does::Other, accepted),
        Sample::new::<iam::ListTermsAcceptances>(Does::Other, |place| json!({ "group": place.at.as_str(), "page_size": 50 })),
        Sample::new::<old::AcceptTerms>(Does::Other, accepted),
        Sample::new::<old::ListAccepted>(Does::Other, |place| json!({ "group": place.at.as_str() })),
        Sample::new::<iam::UpdateIdentityMetadata>(
            Does::Other,
            |_| json!({ "identity_metadata": { "company": "Acme", "job_title": "Shopkeeper" } }),
        ),
        Sample::new::<old_events::UpdateMetadata>(
            Does::Other,
            |_| json!({ "onboarding_questions": { "company_name": "Acme" }, "updatesOptIn": true }),
        ),
        Sample::new::<old::LookupGroup>(Does::Other, |_| json!({})),
        Sample::new::<old::CheckEligibility>(Does::Other, |_| json!({})),
        Sample::new::<old::Lookup>(Does::Other, |_| json!({ "issuer": "https://accounts.example.com", "subject": "somebody" })),
        Sample::new::<registry::GetRepoReadme>(Does::Read("repo"), |place| json!({ "uid": place.of("repo") })),
        Sample::new::<registry::UpdateRepoReadme>(
            Does::Change("repo"),
            |place| json!({ "repo_readme": { "uid": place.of("repo"), "content": "# The store" } }),
        ),
        Sample::new::<old_registry::GetRepoCountBySource>(Does::Read("repo"), |place| json!({ "id": place.of("repo") })),
        Sample::new::<old_registry::GetRepoTagsSummary>(Does::Read("repo"), |place| json!({ "repo_id": place.of("repo") })),
        Sample::new::<old_registry::GetSyncStatus>(Does::Read("repo"), |place| json!({ "repo_id": place.of("repo") })),
        Sample::new::<old_registry::ListSyncStatuses>(Does::Other, |place| json!({ "registry_id": place.at.as_str() })),
        Sample::new::<old_registry::CreateDeployment>(
            Does::Other,
            |place| json!({ "parent_id": place.of("repo"), "charts": [{ "repo": "https://charts.example.com", "chart": "shop" }] }),
        ),
        Sample::new::<old_registry::UpdateDeployment>(
            Does::Other,
            |place| json!({ "repo_id": place.of("repo"), "charts": [{ "repo": "oci://charts.example.com/shop" }] }),
        ),
        Sample::new::<old_registry::GetDeployment>(Does::Other, |place| json!({ "repo_id": place.of("repo") })),
        Sample::new::<old_registry::UpdateRegistrySettings>(
            Does::Other,
            |place| json!({ "registry_id": place.at.as_str(), "unique_tags": true }),
        ),
        Sample::new::<own::GetResourceLimits>(Does::Other, |place| json!({ "uid": place.at.root_text() })),
        Sample::new::<own::SetResourceLimits>(
            Does::Other,
            |place| json!({ "uid": place.at.root_text(), "limits": { "repos": 1000 } }),
        ),
    ];
    others.into_iter().chain(imports()).chain(shown()).collect()
}

/// What others are shown, and what makes several of one noun.
fn shown() -> Vec<Sample> {
    vec![
        Sample::new::<own_registry::GetRepoVisibility>(Does::Read("repo"), |place| json!({ "uid": place.of("repo") })),
        Sample::new::<own_registry::SetRepoVisibility>(Does::Other, |place| json!({ "uid": place.of("repo"), "public": true })),
        Sample::new::<own_registry::GetGroupVisibility>(Does::Read("group"), |place| json!({ "uid": place.of("group") })),
        Sample::new::<own_registry::SetGroupVisibility>(Does::Other, |place| json!({ "uid": place.of("group"), "public": true })),
        Sample::new::<own_events::GetDelivery>(Does::Read("subscription"), |place| json!({ "uid": place.of("subscription") })),
        Sample::new::<own_events::ListDeadLetters>(
            Does::Other,
            |place| json!({ "uid": place.of("subscription"), "page_size": 50 }),
        ),
        Sample::new::<own_events::ReplayDeadLetters>(Does::Other, |place| json!({ "uid": place.of("subscription") })),
        Sample::new::<old_registry::GetRegistrySettings>(Does::Other, |place| json!({ "registry_id": place.at.as_str() })),
        Sample::new::<old_registry::ListBuildReports>(
            Does::Other,
            |place| json!({ "uidp": { "descendants_of": place.at.as_str() } }),
        ),
        Sample::new::<old_registry::GetPackageVersionMetadata>(Does::Other, |_| json!({ "package": "nginx" })),
        Sample::new::<old_registry::ListTagHistory>(Does::Read("tag"), |place| json!({ "parent_id": place.of("tag") })),
        Sample::new::<old_registry::ListEolTags>(Does::List("tag"), |place| json!({ "uidp": { "ids": [place.of("tag")] } })),
        Sample::new::<published::ListDocuments>(Does::Other, |_| json!({ "id": "openssl" })),
        Sample::new::<old_published::ListDocuments>(Does::Other, |_| json!({ "cves": ["CVE-2024-4741"] })),
        Sample::new::<published::ListVulnerabilityMetadata>(Does::Other, |_| json!({ "ids": ["CVE-2024-4741"] })),
        Sample::new::<old_published::ListVulnerabilityMetadata>(Does::Other, |_| json!({ "id": "CVE-2024-4741" })),
        Sample::new::<published::ListResolvedVulnsReports>(Does::Other, |place| week(place, "start_time", "end_time")),
        Sample::new::<old_published::ListResolvedVulnsReports>(Does::Other, |place| week(place, "from", "to")),
        Sample::new::<iam::BatchCreateRoleBindings>(
            Does::Make("role_binding"),
            |place| json!({ "parent": place.at.as_str(), "requests": [{ "parent": place.at.as_str(), "role_binding": bound(place) }] }),
        ),
        Sample::new::<old::CreateBatch>(Does::Make("role_binding"), |place| {
            let binding = json!({ "identity": place.of("identity"), "role": Place::bindable() });
            json!({ "parent": place.at.as_str(), "role_bindings": [binding] })
        }),
    ]
}

/// Imports, exports and changes of advisories.
fn imports() -> Vec<Sample> {
    vec![
        Sample::new::<own_vulnerabilities::CreateAdvisoryImport>(Does::Other, |place| json!({ "parent": place.at.as_str() })),
        Sample::new::<own_vulnerabilities::AppendAdvisoryDocuments>(
            Does::Other,
            |place| json!({ "uid": unknown_import(place), "documents": [{ "name": "GO-2024-0001.json", "content": "e30=" }] }),
        ),
        Sample::new::<own_vulnerabilities::GetAdvisoryImport>(Does::Other, |place| json!({ "uid": unknown_import(place) })),
        Sample::new::<own_vulnerabilities::ExportAdvisories>(
            Does::Other,
            |place| json!({ "parent": place.at.as_str(), "format": "DOCUMENT_FORMAT_OSV" }),
        ),
        Sample::new::<own_vulnerabilities::ListAdvisoryChanges>(
            Does::List("advisory"),
            |place| json!({ "uidp": { "ids": [place.of("advisory")] }, "updated_since": "2023-11-14T22:13:20Z" }),
        ),
    ]
}

/// A week of a repository's images.
fn week(place: &Place, from: &str, to: &str) -> Value {
    json!({
        "image_refs": [{ "repo": place.of("repo"), "tags": ["latest"] }],
        (from): "2023-11-13T00:00:00Z",
        (to): "2023-11-19T00:00:00Z",
    })
}

/// Where an access request would be, of which samples make none: that takes an organization with a domain.
fn unknown_request(place: &Place) -> String {
    format!("{}/0123456789abcdef", place.at.root_text())
}

/// An import that the group does not have.
fn unknown_import(place: &Place) -> String {
    format!("{}/0123456789abcdef", place.at)
}

/// The document that every server knows, in the name of the place.
fn accepted(place: &Place) -> Value {
    json!({ "group": place.at.as_str(), "document_ids": [super::document().id] })
}

/// What there is about the SCIM tokens of identity providers.
fn scim() -> Vec<Sample> {
    const ACT: Does = Does::Act("identity_provider");
    let new = |place: &Place| json!({ "identity_provider_uid": place.of("identity_provider") });
    let seen = |place: &Place| json!({ "identity_provider_uid": place.of("identity_provider"), "etag": "none" });
    let old_new = |place: &Place| json!({ "identity_provider_id": place.of("identity_provider") });
    let old_seen = |place: &Place| json!({ "identity_provider_id": place.of("identity_provider"), "etag": "none" });
    vec![
        Sample::new::<iam::GenerateScimToken>(ACT, new),
        Sample::new::<iam::RegenerateScimToken>(ACT, seen),
        Sample::new::<iam::SetScimEnabled>(ACT, seen),
        Sample::new::<iam::RevokeScimToken>(ACT, new),
        Sample::new::<old::GenerateScimToken>(ACT, old_new),
        Sample::new::<old::RegenerateScimToken>(ACT, old_seen),
        Sample::new::<old::SetScimEnabled>(ACT, old_seen),
        Sample::new::<old::RevokeScimToken>(ACT, old_new),
    ]
}

/// External group role mappings, of which several can be deleted at once.
fn external_group_role_mapping() -> Noun {
    const NAME: &str = "external_group_role_mapping";
    let provider = |place: &Place| place.of("identity_provider").to_owned();
    Noun::new::<
        iam::CreateExternalGroupRoleMapping,
        iam::GetExternalGroupRoleMapping,
        iam::ListExternalGroupRoleMappings,
        iam::DeleteExternalGroupRoleMapping,
    >(NAME, "identity_provider", |place| {
        json!({ "external_group_id": "developers", "role_uid": Place::bindable(), "scope": place.of(Place::ORGANIZATION) })
    })
    .with(vec![
        Sample::new::<iam::BatchDeleteExternalGroupRoleMappings>(
            Does::Delete(NAME),
            move |place| json!({ "parent": provider(place), "names": [place.of(NAME)] }),
        ),
        Sample::new::<old::ExternalGroupRoleMappingsCreate>(Does::Make(NAME), move |place| {
            let scope = place.of(Place::ORGANIZATION);
            let mapping = json!({ "external_group_id": "testers", "role_uidp": Place::bindable(), "scope": scope });
            json!({ "parent_id": provider(place), "mapping": mapping })
        }),
        Sample::new::<old::Get>(Does::Read(NAME), |place| json!({ "uid": place.of(NAME) })),
        Sample::new::<old::ExternalGroupRoleMappingsList>(
            Does::List(NAME),
            |place| json!({ "uidp": { "ids": [place.of(NAME)] } }),
        ),
        Sample::new::<old::ExternalGroupRoleMappingsDelete>(Does::Delete(NAME), |place| json!({ "id": place.of(NAME) })),
        Sample::new::<old::BatchDelete>(
            Does::Delete(NAME),
            move |place| json!({ "parent_id": provider(place), "ids": [place.of(NAME)] }),
        ),
    ])
}

/// An offer of a role, which versions call otherwise, to one person for a week.
fn offer(role: &str) -> Value {
    json!({ (role): Place::bindable(), "email": "ana@example.com", "ttl": "604800s", "single_use": true })
}

fn bound(place: &Place) -> Value {
    json!({ "identity_uid": place.of("identity"), "role_uid": Place::bindable() })
}

/// Logins by `OpenID` Connect.
fn login() -> Value {
    json!({
        "issuer": "https://login.example.com",
        "client_id": "provost",
        "client_secret": "of-this-year",
        "additional_scopes": ["groups", "email"],
        "groups_claim": "groups",
    })
}

/// Accounts at every provider.
fn accounts(_: &Place) -> Value {
    json!({
        "name": "accounts",
        "amazon": { "account": "123456789012" },
        "google": { "project_id": "acme-shop", "project_number": "415104041262" },
        "azure": { "tenant_id": "10000000-1000-1000-1000-100000000000", "client_ids": { "puller": "2000-2000" } },
        "github": github(3),
    })
}

/// An app with one installation.
fn github(installation: u32) -> Value {
    json!({ "app_installations": { "12345": { "installations": [{ "installation_id": installation, "name": "acme" }] } } })
}

/// Tokens of a workflow on the main branch of a repository.
fn workflow(repository: &str) -> Value {
    json!({
        "issuer": "https://token.actions.githubusercontent.com",
        "subject": format!("repo:{repository}:ref:refs/heads/main"),
        "claims": { "repository_owner": "acme" },
    })
}
