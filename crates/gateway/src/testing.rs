//! What fuzz targets and benches reach of this crate. Nothing of a server uses it.

use contract::{HttpRule, METHODS, Method, Verb};

use crate::router::{Found, Router, RouterError};

/// The table of all HTTP rules of the contract.
#[derive(Debug)]
pub struct Routes(Router<(&'static Method, &'static HttpRule)>);

/// A rule that a path leads to, and what its template captured: field paths and their text, percent-decoded.
pub type Way<'r> = (&'static Method, &'static HttpRule, Vec<(&'r str, String)>);

impl Routes {
    /// The table.
    ///
    /// # Errors
    /// When the contract has a rule that cannot be routed.
    pub fn new() -> Result<Self, RouterError> {
        let rules =
            METHODS.iter().flat_map(|method| method.http.iter().map(move |rule| (rule.verb, rule.template, (method, rule))));
        Router::new(rules).map(Self)
    }

    /// Where a path leads with this verb; `None` for nowhere.
    #[must_use]
    pub fn find(&self, verb: Verb, path: &str) -> Option<Way<'_>> {
        match self.0.find(Some(verb), path) {
            Ok(Found::Route { target: (method, rule), captures }) => Some((method, rule, captures)),
            _ => None,
        }
    }
}
