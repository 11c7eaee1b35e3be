//! `provost admin bootstrap`

use clap::Args;
use serde_json::json;
use server::admin::{
    bootstrap::{Made, Wish},
    protocol::Request,
};

use super::place::Place;
use crate::{
    config::program,
    exit::Failure,
    global::Global,
    output::{self, Format, remark},
};

#[derive(Debug, Args)]
pub(crate) struct Bootstrap {
    #[command(flatten)]
    place: Place,
    /// The organization's name
    #[arg(long, value_name = "NAME")]
    organization: String,
    /// The issuer URL of your identity provider, as in the `iss` claim of its tokens
    #[arg(long, value_name = "URL")]
    issuer: String,
    /// The owner's subject there, as in the `sub` claim
    #[arg(long, value_name = "SUBJECT")]
    subject: String,
    /// The owner's email address
    #[arg(long, value_name = "ADDRESS")]
    email: Option<String>,
}

impl Bootstrap {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let issuer = self.issuer.clone();
        let wish = Wish { organization: self.organization, issuer: self.issuer, subject: self.subject, email: self.email };
        let made: Made = self.place.begin(Request::Bootstrap(wish)).await?;
        let login = login(&program::name(), &made);
        let told = json!({
            "new": made.new,
            "organization": { "id": made.organization, "name": made.organization_name },
            "owner": { "id": made.identity, "name": made.identity_name },
            "role_binding": made.role_binding,
            "login": login,
        });
        output::report(global.output, &made.organization, &told, None)?;
        if global.output == Format::Table {
            if !made.new {
                remark("It was there already; nothing was changed.");
            }
            if !made.issuer_is_provider {
                remark(&format!(
                    "Without --identity-provider {issuer} the server only accepts the owner's tokens together with --identity."
                ));
            }
        }
        Ok(())
    }
}

/// What the owner does next.
fn login(provost: &str, made: &Made) -> String {
    let api = if made.base_url.is_empty() { "URL" } else { &made.base_url };
    let identity = if made.issuer_is_provider { String::new() } else { format!(" --identity {}", made.identity) };
    format!("{provost} auth login --api {api}{identity} --identity-token FILE")
}
