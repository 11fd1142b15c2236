//! What every backend must do. A backend's own test opens it and calls [`all`].
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]
#![allow(clippy::print_stdout, reason = "tests say what they do")]

use std::sync::Arc;

use juju_store::Store;

mod bulk;
mod guards;
mod history;
mod reads;
mod transactions;
mod view;

/// Runs every case on a store of its own, which `open` makes for the case's name.
pub async fn all(open: impl AsyncFn(&'static str) -> Arc<dyn Store>) {
    macro_rules! cases {
        ($($module:ident :: { $($case:ident),+ $(,)? })+) => {$($(
            println!("contract: {}", stringify!($case));
            $module::$case(open(stringify!($case)).await).await;
        )+)+};
    }
    cases! {
        reads::{
            an_empty_store, what_was_put_is_read, lists_are_paged_in_byte_order, prefixes_end_at_slashes,
            reads_are_repeatable, bad_requests_are_refused,
        }
        guards::{
            keys_are_guarded, prefixes_are_guarded, deletes_break_prefix_guards, checks_without_writes,
            conflicts_name_the_revision, a_commit_is_done_once, what_is_settled_stays_settled,
            of_two_rivals_one_wins,
        }
        bulk::{
            limits_are_the_same_everywhere, the_largest_transactions_fit, large_values_are_whole,
            large_values_survive_compaction,
        }
        history::{
            revisions_are_followed_whole_and_in_order, a_stream_is_resumed, followers_agree,
            compaction_forgets, compaction_keeps_what_is_there, compaction_is_announced,
            deletes_are_seen_after_compaction,
        }
        transactions::{
            no_update_is_lost, lists_are_guarded, no_write_skew, a_body_sees_its_own_writes,
            uncertain_commits_are_done_once, without_a_view,
        }
        view::{
            it_shows_what_is_stored, it_is_never_torn, watchers_hear_of_their_own,
            removed_keys_are_known_until_compaction, large_values_are_shown, it_starts_from_what_is_there,
        }
    }
}
