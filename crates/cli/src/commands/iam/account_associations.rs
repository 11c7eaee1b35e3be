//! `provost iam account-associations`

use clap::{Subcommand, ValueEnum};
use contract::chainguard::platform::iam::v2beta1::{
    AccountProviderType, CheckAccountAssociationRequest, CheckStatus, rpc::CheckAccountAssociation,
};
use serde_json::json;

use crate::{
    exit::Failure,
    global::Global,
    output,
    resolve::{self, Kind},
    session,
};

#[derive(Debug, Subcommand)]
pub(crate) enum AccountAssociations {
    /// Exchange credentials at a cloud to try a group's account; fails if it does not work
    Check {
        /// The cloud: aws, azure or gcp
        #[arg(hide_possible_values = true)]
        cloud: Cloud,
        /// The organization or folder, by name, path or UID
        #[arg(required = true)]
        group: Option<String>,
    },
}

/// A cloud that accounts can be at.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Cloud {
    /// Amazon Web Services
    Aws,
    /// Microsoft Azure
    Azure,
    /// Google Cloud
    Gcp,
}

impl AccountAssociations {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        let Self::Check { cloud, group } = self;
        let uid = resolve::uid(global, &client, Kind::Group, group).await?;
        let request = CheckAccountAssociationRequest { uid: uid.clone(), provider_type: cloud.wire().into() };
        let answer = client.call::<CheckAccountAssociation>(request).await?;
        let is_ready = answer.status() == CheckStatus::Ready;
        let value = json!({
            "group": uid,
            "ready": if is_ready { "Ready" } else { "NotReady" },
            "reason": answer.reason,
            "message": answer.message,
        });
        output::report(global.output, &uid, &value, None)?;
        if is_ready { Ok(()) } else { Err(Failure::failed(format!("the account is not ready: {}", answer.reason))) }
    }
}

impl Cloud {
    fn wire(self) -> AccountProviderType {
        match self {
            Self::Aws => AccountProviderType::Amazon,
            Self::Azure => AccountProviderType::Azure,
            Self::Gcp => AccountProviderType::Google,
        }
    }
}
