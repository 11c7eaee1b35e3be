//! `provost admin keys`

use clap::Args;
use serde_json::{Value, json};
use server::admin::{keys::Key, protocol::Request};

use super::place::Place;
use crate::{exit::Failure, global::Global, output::Show};

#[derive(Debug, Args)]
pub(crate) struct Keys {
    #[command(flatten)]
    place: Place,
}

impl Keys {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let keys: Vec<Key> = self.place.ask(Request::Keys, |_| Ok(())).await?;
        global.output.list(&keys)
    }
}

impl Show for Key {
    const COLUMNS: &'static [&'static str] = &["ID", "STATE", "SIGNS FROM", "SIGNS UNTIL", "PUBLISHED UNTIL"];

    fn id(&self) -> &str {
        &self.id
    }

    fn row(&self) -> Vec<String> {
        let until = |at: &Option<String>| at.clone().unwrap_or_default();
        vec![self.id.clone(), self.state.clone(), self.signs_from.clone(), until(&self.signs_until), until(&self.published_until)]
    }

    fn json(&self) -> Value {
        json!(self)
    }
}
