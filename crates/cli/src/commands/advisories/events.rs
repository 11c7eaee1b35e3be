//! `provost advisories events`

use clap::{Args, Subcommand};
use client::Client;
use contract::chainguard::platform::vulnerabilities::{
    v1::{
        AdvisoryEvent, AdvisoryEventFilter, CreateAdvisoryEventRequest,
        advisory_event::{
            AnalysisNotPlanned, Detection, FalsePositiveDetermination, FixNotPlanned, Fixed, Patched, PendingUpstreamFix,
            TruePositiveDetermination, Type,
            detection::{self, Manual},
            false_positive_determination::Type as Reason,
        },
        rpc::{CreateAdvisoryEvent, ListAdvisoryEvents, UpdateAdvisoryEvent},
    },
    v2beta1::{EventTypeFilter, ReviewState},
};

use super::{event_type, review_state};
use crate::{
    enums,
    exit::Failure,
    global::Global,
    resolve::{self, Kind},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Events {
    /// List the events of an advisory, the oldest first
    #[command(visible_alias = "ls")]
    List {
        /// The id of the advisory, CGA-xxxx-xxxx-xxxx, or its UID
        #[arg(required = true)]
        advisory: Option<String>,
    },
    /// Record an event of an advisory
    Create(Create),
    /// Record what the review of an event has come to
    Update {
        /// The UID of the event
        #[arg(value_name = "UID")]
        event: String,
        /// What it has come to: pending, request-changes, approved or rejected
        #[arg(long, value_name = "STATE", value_parser = review_state)]
        review_state: ReviewState,
        /// Who reviewed it, unless that is you
        #[arg(long, default_value = "", hide_default_value = true)]
        reviewer: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// The id of the advisory, CGA-xxxx-xxxx-xxxx, or its UID
    #[arg(required = true)]
    advisory: Option<String>,
    /// What happened: detection (by hand), fixed, false-positive-determination and so on
    #[arg(long = "type", value_name = "TYPE", value_parser = event_type)]
    kind: EventTypeFilter,
    /// What readers should know
    #[arg(long, default_value = "", hide_default_value = true)]
    note: String,
    /// The first version without the vulnerability, of the type fixed
    #[arg(long, value_name = "VERSION", default_value = "", hide_default_value = true)]
    fixed_version: String,
    /// The versions that have the patch, of the type patched
    #[arg(long, value_delimiter = ',', value_name = "VERSION,…")]
    patched_versions: Vec<String>,
    /// Why it is not vulnerable, of the type false-positive-determination, such as inline-mitigations-exist
    #[arg(long, value_name = "REASON", value_parser = reason)]
    reason: Option<Reason>,
    /// Who records it, unless that is you
    #[arg(long, default_value = "", hide_default_value = true)]
    author: String,
    /// Where it is discussed
    #[arg(long, value_name = "URL")]
    issue: Option<String>,
}

impl Events {
    pub(super) async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        match self {
            Self::List { advisory } => {
                let parent_id = resolve::uid(global, client, Kind::Advisory, advisory).await?;
                let events = client.call::<ListAdvisoryEvents>(AdvisoryEventFilter { parent_id }).await?;
                global.output.list(&events.items)
            }
            Self::Create(create) => create.run(global, client).await,
            Self::Update { event, review_state, reviewer } => {
                // Both versions number states the same.
                let change = AdvisoryEvent { id: event, status: review_state.into(), reviewer, ..AdvisoryEvent::default() };
                global.output.one(&client.call::<UpdateAdvisoryEvent>(change).await?)
            }
        }
    }
}

impl Create {
    async fn run(self, global: &Global, client: &Client) -> Result<(), Failure> {
        let note = self.note;
        let happened = match self.kind {
            EventTypeFilter::Unspecified => return Err(Failure::usage("an event has a type, see --help")),
            EventTypeFilter::Detection => Type::Detection(Detection { r#type: Some(detection::Type::Manual(Manual {})) }),
            EventTypeFilter::TruePositiveDetermination => Type::TruePositiveDetermination(TruePositiveDetermination { note }),
            EventTypeFilter::Fixed => Type::Fixed(Fixed { fixed_version: self.fixed_version, note, ..Fixed::default() }),
            EventTypeFilter::FalsePositiveDetermination => {
                let r#type = self.reason.unwrap_or(Reason::Unspecified).into();
                Type::FalsePositiveDetermination(FalsePositiveDetermination { r#type, note })
            }
            EventTypeFilter::AnalysisNotPlanned => Type::AnalysisNotPlanned(AnalysisNotPlanned { note }),
            EventTypeFilter::FixNotPlanned => Type::FixNotPlanned(FixNotPlanned { note }),
            EventTypeFilter::PendingUpstreamFix => Type::PendingUpstreamFix(PendingUpstreamFix { note }),
            EventTypeFilter::Patched => Type::Patched(Patched { patched_versions: self.patched_versions, note }),
        };
        let parent_id = resolve::uid(global, client, Kind::Advisory, self.advisory).await?;
        let (author, issue, r#type) = (self.author, self.issue, Some(happened));
        let advisory_event = Some(AdvisoryEvent { author, issue, r#type, ..AdvisoryEvent::default() });
        let request = CreateAdvisoryEventRequest { parent_id, advisory_event };
        global.output.one(&client.call::<CreateAdvisoryEvent>(request).await?)
    }
}

/// A reason why something is not vulnerable, as users write it.
fn reason(text: &str) -> Result<Reason, String> {
    enums::named(text, "", Reason::as_str_name)
}
