//! `provost auth login`

use clap::Args;
use dialoguer::Confirm;
use serde_json::json;

use super::exchange::{Exchange, Exchanged};
use crate::{
    contexts::{self, Context, Contexts},
    exit::Failure,
    global::Global,
    output::{self, remark},
    plain::plain,
    prompt,
    token_cache::TokenCache,
};

#[derive(Debug, Args)]
pub(crate) struct Login {
    #[command(flatten)]
    exchange: Exchange,
}

impl Login {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let Exchanged { token, refresh, identity, expiry } = self.exchange.exchange(global).await?;
        let cache = TokenCache::of(&global.audience)?;
        cache.write(&token, refresh.as_ref())?;
        let told = json!({ "identity": identity, "audience": global.audience, "expiry": expiry, "cached": cache.path() });
        output::report(global.output, &identity, &told, None)?;
        offer_context(global)
    }
}

/// Offers to remember a server that was named on the command line, so that the next command need not name it.
fn offer_context(global: &Global) -> Result<(), Failure> {
    let said = &global.said;
    let mut contexts = Contexts::load()?;
    let Some(api) = said.api.clone().filter(|api| global.ask && said.api_flag && contexts.of_api(api).is_none()) else {
        return Ok(());
    };
    let Some(name) = contexts::usual_name(&api).filter(|name| !contexts.contexts.contains_key(name)) else { return Ok(()) };
    let question = format!("Use {} from now on, as the context {name}?", plain(&api));
    if !prompt::shown(|| Confirm::new().with_prompt(question).default(true).interact())? {
        return Ok(());
    }
    let context = Context { api, issuer: said.issuer.clone(), audience: said.audience.clone(), organization: None };
    contexts.add(&name, context)?;
    contexts.current = Some(name);
    contexts.save()?;
    remark("to change that: provost context --help");
    Ok(())
}
