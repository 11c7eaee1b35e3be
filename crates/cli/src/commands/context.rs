//! `provost context`

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::{
    contexts::{self, Contexts},
    exit::Failure,
    global::Global,
    output::{self, Show},
    prompt,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Context {
    /// Name a server: the one of --api, with --issuer and --audience if they are given
    Add(Add),
    /// Use a context from now on
    Use(Named),
    /// List the contexts that there are
    #[command(visible_alias = "ls")]
    List,
    /// Forget a context; logins stay
    #[command(visible_alias = "rm")]
    Remove(Named),
}

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// What to call it
    #[arg(value_parser = contexts::name)]
    name: String,
    /// The organization to work in: --parent of commands that need one, where it is left out
    #[arg(long, value_name = "NAME|UID")]
    organization: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Named {
    /// Its name
    #[arg(id = "context_name", value_name = "CONTEXT", value_parser = contexts::name, required = true)]
    name: Option<String>,
}

impl Context {
    pub(super) fn run(self, global: &Global) -> Result<(), Failure> {
        let mut contexts = Contexts::load()?;
        match self {
            Self::Add(add) => add.run(global, contexts),
            Self::Use(named) => {
                let name = named.choose(&contexts)?;
                contexts.named(&name)?;
                contexts.current = Some(name.clone());
                contexts.save()?;
                show(global, &contexts, &name)
            }
            Self::List => global.output.list(&rows(&contexts)),
            Self::Remove(named) => {
                let name = named.choose(&contexts)?;
                contexts.named(&name)?;
                contexts.contexts.remove(&name);
                contexts.current = contexts.current.filter(|current| *current != name);
                contexts.save()?;
                global.deleted(&name)
            }
        }
    }
}

impl Add {
    fn run(self, global: &Global, mut contexts: Contexts) -> Result<(), Failure> {
        let said = global.said.clone();
        let api = said.api.ok_or_else(|| Failure::usage("a context needs the URL of a server: --api URL"))?;
        contexts::check_api(&api)?;
        if let Some(issuer) = &said.issuer {
            contexts::check_api(issuer)?;
        }
        let context = contexts::Context { api, issuer: said.issuer, audience: said.audience, organization: self.organization };
        contexts.add(&self.name, context)?;
        contexts.save()?;
        show(global, &contexts, &self.name)?;
        if contexts.current.as_ref() != Some(&self.name) {
            output::remark(&format!("to use it: provost context use {}", self.name));
        }
        Ok(())
    }
}

impl Named {
    /// The name that was given, or is chosen now.
    fn choose(self, contexts: &Contexts) -> Result<String, Failure> {
        if let Some(name) = self.name {
            return Ok(name);
        }
        let lines: Vec<_> = contexts.contexts.iter().map(|(name, context)| (name.clone(), context.api.clone())).collect();
        if lines.is_empty() {
            return Err(Failure::usage("there is no context yet").hint("provost context add NAME --api URL"));
        }
        let chosen = prompt::choose("Which context?", &lines)?;
        lines.into_iter().nth(chosen).map(|(name, _)| name).ok_or_else(|| Failure::failed("nothing was chosen"))
    }
}

/// A context, its name, and whether it is the current one.
struct Row<'a>(&'a str, &'a contexts::Context, bool);

impl Show for Row<'_> {
    const COLUMNS: &'static [&'static str] = &["NAME", "CURRENT", "API", "ISSUER", "AUDIENCE", "ORGANIZATION"];

    fn id(&self) -> &str {
        self.0
    }

    fn row(&self) -> Vec<String> {
        let Self(name, context, is_current) = self;
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        let current = if *is_current { "*" } else { "" };
        let [issuer, audience, organization] = [&context.issuer, &context.audience, &context.organization].map(text);
        vec![(*name).to_owned(), current.to_owned(), context.api.clone(), issuer, audience, organization]
    }

    fn json(&self) -> Value {
        let Self(name, context, is_current) = self;
        json!({
            "name": name,
            "current": is_current,
            "api": context.api,
            "issuer": context.issuer,
            "audience": context.audience,
            "organization": context.organization,
        })
    }
}

fn rows(contexts: &Contexts) -> Vec<Row<'_>> {
    let is_current = |name: &String| contexts.current.as_ref() == Some(name);
    contexts.contexts.iter().map(|(name, context)| Row(name, context, is_current(name))).collect()
}

fn show(global: &Global, contexts: &Contexts, name: &str) -> Result<(), Failure> {
    rows(contexts).iter().find(|row| row.0 == name).map_or(Ok(()), |row| global.output.one(row))
}
