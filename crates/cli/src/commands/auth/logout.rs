//! `provost auth logout`

use crate::{exit::Failure, global::Global, output, token_cache::TokenCache};

/// Forgets the cached token of the audience. Having none is no failure.
pub(super) fn run(global: &Global) -> Result<(), Failure> {
    let removed = TokenCache::of(&global.audience)?.remove()?;
    let audience = &global.audience;
    output::remark(&if removed { format!("logged out of {audience}") } else { format!("was not logged in to {audience}") });
    Ok(())
}
