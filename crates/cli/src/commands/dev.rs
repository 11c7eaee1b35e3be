//! `provost dev`

use clap::{Args, Subcommand};
use client::http::{Http, Request};
use serde_json::{Map, Value, json};

use super::pair;
use crate::{
    exit::{Exit, Failure},
    global::Global,
    output,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Dev {
    /// Issue a workload token from the development identity provider
    IdToken(IdToken),
}

#[derive(Debug, Args)]
pub(crate) struct IdToken {
    /// The server in dev mode [default: the API's URL]
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// The token's subject
    #[arg(long)]
    subject: String,
    /// The token's audience; the token issuer's URL by default
    #[arg(id = "workload_audience", long = "audience", value_name = "AUDIENCE")]
    audience: Option<String>,
    /// A further claim: a string, or any JSON value after :=; may be repeated
    #[arg(long = "claim", value_name = "NAME=VALUE", value_parser = claim)]
    claims: Vec<(String, Value)>,
    /// Lifetime of the token in seconds
    #[arg(long, value_name = "SECONDS")]
    ttl: Option<u32>,
}

impl Dev {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        match self {
            Self::IdToken(id_token) => id_token.run(global).await,
        }
    }
}

impl IdToken {
    async fn run(self, global: &Global) -> Result<(), Failure> {
        let server = self.server.as_ref().unwrap_or(&global.api);
        let audience = self.audience.as_ref().unwrap_or(&global.issuer);
        let claims: Map<_, _> = self.claims.into_iter().collect();
        let mut body = json!({ "sub": self.subject, "aud": audience, "claims": claims });
        if let (Some(ttl), Some(fields)) = (self.ttl, body.as_object_mut()) {
            fields.insert("ttl".to_owned(), json!(ttl));
        }
        let http = Http::new(server, None)?;
        let answer = http.send(Request::post("/dev/idp/mint", &body)).await?;
        http.check(&answer)?;
        let told = answer.json();
        match (answer.status.as_u16(), told.get("token").and_then(Value::as_str)) {
            (200, Some(token)) => output::text(token),
            (404, _) => Err(Failure::new(Exit::NotFound, format!("the server at {server} has no development identity provider"))
                .hint("start it in dev mode: provost serve --dev")),
            (status, _) => {
                let reason = told.get("message").and_then(Value::as_str).map_or_else(|| answer.text(), str::to_owned);
                let exit = if status == 400 { Exit::Usage } else { Exit::Failed };
                Err(Failure::new(exit, format!("the development identity provider refused with status {status}: {reason}")))
            }
        }
    }
}

fn claim(text: &str) -> Result<(String, Value), String> {
    let (name, value) = pair(text)?;
    match name.strip_suffix(':') {
        Some(name) => Ok((name.to_owned(), serde_json::from_str(&value).map_err(|error| format!("no JSON after :=, {error}"))?)),
        None => Ok((name, value.into())),
    }
}
