//! `provost auth register`

use clap::Args;
use contract::chainguard::platform::auth::{RegistrationRequest, rpc::Register};
use serde_json::json;

use super::exchange::identity_token;
use crate::{exit::Failure, global::Global, output, session};

#[derive(Debug, Args)]
pub(crate) struct Registration {
    /// The token of your login provider: a file that holds it, the token itself, or - for standard input
    #[arg(long, env = "PROVOST_IDENTITY_TOKEN", hide_env_values = true, value_name = "FILE|TOKEN")]
    identity_token: String,
    /// Invite code: join its group with its role
    #[arg(long, value_name = "CODE")]
    invite_code: Option<String>,
}

impl Registration {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let issuer = session::issuer(global, identity_token(&self.identity_token)?).await?;
        let request = RegistrationRequest { code: self.invite_code.unwrap_or_default(), ..RegistrationRequest::default() };
        let session = issuer.call::<Register>(request).await?;
        let told = json!({ "identity": session.identity, "group": session.group });
        output::report(global.output, &session.identity, &told, None)
    }
}
