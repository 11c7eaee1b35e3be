//! What every engine must do. The cases are written against the store's functions; an engine gives empty stores.

pub(crate) mod access_requests;
pub(crate) mod account_associations;
pub(crate) mod advisories;
pub(crate) mod commits;
pub(crate) mod counters;
pub(crate) mod deep;
pub(crate) mod external_group_role_mappings;
pub(crate) mod group_invites;
pub(crate) mod idempotency;
pub(crate) mod kit;
pub(crate) mod later;
pub(crate) mod lists;
pub(crate) mod metrics;
pub(crate) mod nouns;
pub(crate) mod overlays;
pub(crate) mod sessions;
pub(crate) mod standings;
pub(crate) mod subscriptions;
pub(crate) mod tags;
pub(crate) mod terms;
pub(crate) mod traces;
pub(crate) mod writes;

use std::sync::Arc;

pub(crate) use store::BoxFuture;
use store::{Store, StoreConfig};

/// Gives a store: an empty one first, the same one after it was closed or dropped.
pub(crate) trait Engine: Sync {
    /// Where it is.
    fn config(&self) -> StoreConfig;

    /// How many random questions a property is asked: each is dozens of statements.
    fn draws(&self) -> u32 {
        256
    }

    /// Opens the store.
    fn open(&self) -> BoxFuture<'_, domain::Result<Store>> {
        let config = self.config();
        Box::pin(async move { Store::open(&config, Arc::new(kit::Standing), Arc::new(kit::Counting::default())).await })
    }
}

/// Runs every case with an engine of its own, made by the expression; with `None` there is nothing to run it on.
macro_rules! cases {
    ($engine:expr) => {
        $crate::conformance::cases!(@ $engine,
            nouns: [
                groups_are_kept,
                folders_show_their_organizations_kind_and_status,
                verified_organizations_have_names_of_their_own,
                groups_with_something_inside_stay,
                identities_are_kept,
                a_new_relationship_draws_a_new_mark,
                identities_take_their_bindings_along,
                roles_are_kept,
                bound_roles_stay,
                a_role_is_bound_at_or_below_what_is_shown,
                built_in_roles_follow_the_server,
                identity_providers_are_kept,
                bindings_are_kept_and_hydrated,
                bindings_to_nothing_are_refused,
                grants_follow_bindings,
                repos_are_kept,
                repo_names_are_unique_within_their_group,
                signing_keys_are_kept,
                nothing_lives_below_a_missing_group,
                the_deepest_level_takes_every_noun,
                updates_of_what_is_not_there_are_refused,
            ];
            writes: [
                one_failing_request_leaves_the_others,
                a_failed_write_takes_no_revision,
                a_panic_rolls_back_and_the_writer_goes_on,
                validate_only_leaves_nothing,
                a_failed_statement_spoils_its_write,
                a_schema_is_told_without_being_made,
                revisions_only_grow_also_over_restarts,
                concurrent_writers_all_get_through,
                texts_that_not_every_engine_keeps_are_refused,
                a_write_sees_itself_and_a_snapshot_sees_none_of_it,
                an_abandoned_store_keeps_what_it_acknowledged,
                a_closed_store_says_so,
            ];
            traces: [
                a_write_leaves_one_audit_row_its_feed_and_its_event,
                without_an_event_rule_there_is_no_event,
                what_only_reads_is_audited_and_nothing_else,
                cascades_are_in_the_feed,
                a_failed_write_leaves_no_trace,
                actors_are_named,
            ];
            standings: [
                a_standing_comes_with_its_state,
                what_changes_rights_is_told,
                a_group_that_goes_is_told_about_its_identities,
                a_role_that_is_bound_is_noticed,
                much_news_is_told_in_steps,
                what_is_published_is_the_last_commit,
            ];
            idempotency: [
                a_claim_is_taken_once,
                an_answer_is_replayed,
                a_key_for_another_request_is_refused,
                an_answer_that_never_came_is_lost,
                claims_expire_after_a_day,
                a_failed_write_takes_no_claim,
            ];
            sessions: [
                a_session_is_kept_and_renewed,
                a_used_token_ends_its_session,
                sessions_end_with_what_they_are_of,
                a_user_has_so_many_sessions,
            ];
            later: [
                the_last_exchange_counts,
                refusals_are_audited,
                refusals_at_impossible_places_are_audited,
                closing_writes_what_is_queued,
            ];
            tags: [
                tags_are_kept,
                what_a_tag_stood_for_is_remembered,
                a_history_has_an_end,
                tags_go_with_their_repository,
                too_many_tags_keep_their_repository,
                tags_are_summed_up,
            ];
            overlays: [
                overlays_are_bound_and_bindings_go_with_their_repository,
                a_repository_has_one_deployment_and_a_group_one_set_of_settings,
            ];
            advisories: [
                advisories_are_kept_with_their_events,
                every_filter_finds_what_it_names,
                filters_of_advisories_find_the_same_in_every_way,
                advisories_have_orders_of_their_own,
                words_follow_their_advisory,
                advisories_go_with_their_group,
                vulnerabilities_tell_how_bad_they_are,
                what_is_fixed_is_found_by_its_artifact,
            ];
            account_associations: [
                account_associations_are_kept,
                account_associations_stand_where_their_groups_stand,
                service_bindings_go_with_their_identities,
            ];
            external_group_role_mappings: [
                external_group_role_mappings_are_kept_and_counted,
                external_group_role_mappings_go_with_their_provider,
            ];
            access_requests: [access_requests_go_with_their_organization_and_their_user];
            terms: [
                acceptances_go_with_their_group,
                acceptances_of_several_groups_are_one_list,
                metadata_goes_with_its_user,
            ];
            group_invites: [group_invites_are_kept_and_show_their_role, group_invites_go_with_their_group];
            subscriptions: [subscriptions_are_kept_and_counted, subscriptions_go_with_their_group];
            counters: [counters_equal_the_rows];
            commits: [counters_equal_the_rows_of_shared_commits, what_a_shared_commit_has_left_decides];
            metrics: [what_it_does_is_counted];
            deep: [
                deep_pages_follow_every_change,
                deep_pages_belong_to_their_snapshot,
                folders_come_and_go,
                scattered_places_are_one_list,
            ];
            lists: [
                pages_equal_the_naive_list,
                pages_are_stable_while_rows_come_and_go,
                bad_queries_are_refused,
            ];
        );
    };
    (@ $engine:expr, $($module:ident: [$($case:ident),* $(,)?];)*) => {
        $(mod $module {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                if let Some(engine) = $engine {
                    $crate::conformance::$module::$case(&engine).await;
                }
            })*
        })*
    };
}
pub(crate) use cases;
