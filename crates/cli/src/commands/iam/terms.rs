//! `provost iam terms`

use clap::Subcommand;
use contract::chainguard::platform::iam::v2beta1::{
    AcceptTermsRequest, ListTermsAcceptancesRequest,
    rpc::{AcceptTerms, ListTermsAcceptances},
};
use serde_json::json;

use crate::{
    confirm::confirm,
    exit::Failure,
    global::Global,
    listing::{self, Paging},
    output,
    plain::plain,
    resolve::{self, Kind},
    session,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Terms {
    /// List accepted documents of a group and the groups above it
    #[command(visible_alias = "ls")]
    List {
        /// The organization or folder, by name, path or UID
        #[arg(required = true)]
        group: Option<String>,
        #[command(flatten)]
        paging: Paging,
    },
    /// Accept documents for a group and everything below it
    Accept {
        /// The organization or folder, by name, path or UID
        #[arg(required = true)]
        group: Option<String>,
        /// IDs of the documents, as named in the refusal
        #[arg(long, value_delimiter = ',', required = true, value_name = "ID,…")]
        documents: Vec<String>,
    },
}

impl Terms {
    pub(super) async fn run(self, global: &Global) -> Result<(), Failure> {
        let client = session::connect(global).await?;
        match self {
            Self::List { group, paging } => {
                let group = resolve::uid(global, &client, Kind::Group, group).await?;
                let request = ListTermsAcceptancesRequest { group, ..ListTermsAcceptancesRequest::default() };
                listing::print::<ListTermsAcceptances>(global, &client, request, paging, |_| true).await
            }
            Self::Accept { group, documents } => {
                let found = resolve::find(global, &client, Kind::Group, group).await?;
                if global.is_to_confirm() {
                    let title = found.title(global, &client, Kind::Group).await?;
                    confirm(global, &format!("accept {} for the group {title}", plain(&documents.join(", "))))?;
                }
                let request = AcceptTermsRequest { group: found.uid, document_ids: documents };
                let accepted = client.call::<AcceptTerms>(request).await?;
                let told = json!({ "group": accepted.group, "documents": accepted.document_ids });
                output::report(global.output, &accepted.group, &told, None)
            }
        }
    }
}
