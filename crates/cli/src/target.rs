//! Which server a command talks to: what the command line says, then the environment, then the context, then this machine.

use crate::{contexts::Contexts, exit::Failure, global::Said};

/// A server, in the words of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) api: String,
    pub(crate) issuer: String,
    pub(crate) audience: String,
    /// The organization that the context names.
    pub(crate) organization: Option<String>,
}

/// Who said something. What is further down outranks what is above.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// A file, by its being current.
    File,
    /// A variable.
    Variable,
    /// A flag.
    Flag,
}

/// A text, and who said it.
pub(crate) type Ranked = Option<(Rank, String)>;

/// Everything that flags and variables say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wishes {
    pub(crate) api: Ranked,
    pub(crate) issuer: Ranked,
    pub(crate) audience: Ranked,
    pub(crate) context: Ranked,
}

impl Wishes {
    /// The server that is meant. A context says all about one server, so it counts as a whole or, where something of its rank or above
    /// names the API, not at all.
    ///
    /// # Errors
    /// Not found when there is no context of the name.
    pub(crate) fn target(&self, contexts: &Contexts, usual_api: &str) -> Result<Target, Failure> {
        let current = contexts.current.iter().map(|name| (Rank::File, name.clone()));
        let context = self.context.clone().into_iter().chain(current).next();
        let context = match context.filter(|(rank, _)| self.api.as_ref().is_none_or(|(api, _)| api < rank)) {
            Some((rank, name)) => Some((rank, contexts.named(&name)?)),
            None => None,
        };
        let choose = |said: &Ranked, in_context: Option<&String>| match (said, &context) {
            (Some((said, text)), Some((rank, _))) if said >= rank => Some(text.clone()),
            (_, Some(_)) => in_context.cloned(),
            (said, None) => said.as_ref().map(|(_, text)| text.clone()),
        };
        let of = context.as_ref().map(|(_, context)| *context);
        let api = choose(&self.api, of.map(|context| &context.api)).unwrap_or_else(|| usual_api.to_owned());
        let api = api.trim_end_matches('/').to_owned();
        let issuer = choose(&self.issuer, of.and_then(|context| context.issuer.as_ref()));
        Ok(Target {
            issuer: issuer.map_or_else(|| api.clone(), |issuer| issuer.trim_end_matches('/').to_owned()),
            audience: choose(&self.audience, of.and_then(|context| context.audience.as_ref())).unwrap_or_else(|| api.clone()),
            organization: of.and_then(|context| context.organization.clone()),
            api,
        })
    }

    /// What was said of the server itself.
    pub(crate) fn said(&self) -> Said {
        let text = |ranked: &Ranked| ranked.as_ref().map(|(_, text)| text.trim_end_matches('/').to_owned());
        Said {
            api: text(&self.api),
            api_flag: self.api.as_ref().is_some_and(|(rank, _)| *rank == Rank::Flag),
            issuer: text(&self.issuer),
            audience: self.audience.as_ref().map(|(_, text)| text.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contexts::Context;

    const HERE: &str = "http://127.0.0.1:8080";

    fn contexts() -> Contexts {
        let context = |api: &str, organization: Option<&str>| Context {
            api: api.to_owned(),
            issuer: Some(format!("{api}/issuer")),
            audience: None,
            organization: organization.map(str::to_owned),
        };
        let contexts = [("prod", context("http://prod", Some("acme"))), ("test", context("http://test", None))];
        let contexts = contexts.map(|(name, context)| (name.to_owned(), context)).into();
        Contexts { current: Some("prod".to_owned()), contexts }
    }

    #[expect(clippy::unnecessary_wraps, reason = "wishes may be absent")]
    fn said(rank: Rank, text: &str) -> Ranked {
        Some((rank, text.to_owned()))
    }

    fn target(wishes: &Wishes) -> [String; 4] {
        let target = wishes.target(&contexts(), HERE).unwrap_or_else(|failure| panic!("{failure:?}"));
        [target.api, target.issuer, target.audience, target.organization.unwrap_or_default()]
    }

    #[test]
    fn the_current_context_says_what_nobody_else_does() {
        assert_eq!(target(&Wishes::default()), ["http://prod", "http://prod/issuer", "http://prod", "acme"]);
        let nothing = Wishes::default().target(&Contexts::default(), HERE).expect("a target");
        assert_eq!((nothing.api.as_str(), nothing.issuer.as_str(), nothing.audience.as_str()), (HERE, HERE, HERE));
        let audience = Wishes { audience: said(Rank::Variable, "x"), ..Wishes::default() };
        assert_eq!(target(&audience), ["http://prod", "http://prod/issuer", "x", "acme"]);
    }

    #[test]
    fn an_api_that_is_named_is_no_context() {
        for rank in [Rank::Flag, Rank::Variable] {
            let wishes = Wishes { api: said(rank, "http://x/"), ..Wishes::default() };
            assert_eq!(target(&wishes), ["http://x", "http://x", "http://x", ""], "{rank:?}");
        }
    }

    #[test]
    fn flags_go_before_variables() {
        let api = said(Rank::Variable, "http://x");
        let wishes =
            Wishes { api, issuer: said(Rank::Variable, "http://i"), context: said(Rank::Flag, "test"), ..Wishes::default() };
        assert_eq!(target(&wishes), ["http://test", "http://test/issuer", "http://test", ""]);
        let wishes = Wishes { context: said(Rank::Variable, "test"), ..wishes };
        assert_eq!(target(&wishes), ["http://x", "http://i", "http://x", ""]);
    }

    #[test]
    fn contexts_that_are_not_there_are_named() {
        let wishes = Wishes { context: said(Rank::Flag, "prdo"), ..Wishes::default() };
        let told = wishes.target(&contexts(), HERE).expect_err("there is none");
        assert_eq!(told.message, "there is no context \"prdo\"");
        assert_eq!(told.hint.as_deref(), Some("the contexts are prod, test"));
    }
}
