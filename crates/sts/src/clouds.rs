//! Accounts at clouds: whether one gives credentials for a token of ours.
//!
//! A cloud that trusts this server's issuer exchanges a token for credentials of an account, if the account's policy admits the
//! token's subject. Trying that is all that happens here: what the cloud gives is looked at, and dropped. The token's subject names
//! the group, so that no group is let into the account of another, and is no identity's, so that the token is worth nothing here.

mod amazon;
mod azure;
mod door;
mod google;
mod told;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use domain::{
    Ctx, Error, Kind, Rule, Secret, Uidp,
    error::Detail,
    iam::{AccountStatus, CloudAccount, CloudProvider, NotReady},
    ports::TryAccount,
};
use prometheus_client::{
    metrics::{counter::Counter, family::Family, gauge::Gauge},
    registry::Registry,
};

use self::door::Door;
use crate::{
    Settings, Tokens,
    fair::{FairQueue, Shares},
    issuers::{FetchError, Resolver, SystemResolver},
    rates::{Rate, Rates},
    workers::Party,
};

/// The clouds, and how often each may be asked. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Clouds(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    tokens: Tokens,
    door: Door,
    amazon: amazon::Amazon,
    google: google::Google,
    azure: azure::Azure,
    organizations: FairQueue,
    rates: Rates,
    waiting: Gauge,
    checks: Family<[(&'static str, &'static str); 2], Counter>,
}

/// Why there are no credentials.
#[derive(Debug)]
enum Failure {
    /// The account association does not say what it takes, in a way that only the cloud's protocol tells.
    Unfit(String),
    /// The cloud does not answer, or refuses.
    Refused(String),
}

/// How long the token for a cloud lives: a check takes seconds, and clocks differ.
const LIFETIME: Duration = Duration::from_mins(5);
/// How often one group's accounts are tried at one cloud.
const OF_GROUP: Rate = Rate { burst: 5, every: Duration::from_secs(10) };
/// How often all accounts of one organization are tried, and how often one caller tries any.
const OF_MANY: Rate = Rate { burst: 30, every: Duration::from_secs(2) };
/// What outcomes are called in metrics.
const OUTCOMES: [&str; 3] = ["ready", "not_ready", "busy"];

impl Clouds {
    /// The clouds under these settings, which are shown tokens made by `tokens`.
    #[must_use]
    pub fn new(tokens: Tokens, settings: &Settings) -> Self {
        Self::found_by(tokens, settings, Arc::new(SystemResolver))
    }

    fn found_by(tokens: Tokens, settings: &Settings, resolver: Arc<dyn Resolver>) -> Self {
        let limits = &settings.limits;
        // It may wait for as long as one of the others takes.
        let shares = Shares { places: limits.fetches.max(1), waiting: limits.work_waiting, timeout: limits.fetch_timeout };
        let waiting = Gauge::default();
        Self(Arc::new(Inner {
            tokens,
            door: Door::new(settings, resolver),
            amazon: amazon::Amazon::new(&settings.aws_sts_url),
            google: google::Google::new(&settings.google_sts_url, &settings.google_iam_credentials_url),
            azure: azure::Azure::new(&settings.azure_login_url),
            organizations: FairQueue::new(shares, waiting.clone()),
            rates: Rates::default(),
            waiting,
            checks: Family::default(),
        }))
    }

    /// Adds what is counted here to `registry`.
    pub fn register(&self, registry: &mut Registry) {
        let help =
            "Checks of account associations by provider and outcome: ready, not_ready, or busy when the provider was not asked";
        registry.register("account_checks", help, self.0.checks.clone());
        for provider in [CloudProvider::Google, CloudProvider::Amazon, CloudProvider::Azure] {
            for outcome in OUTCOMES {
                // Known before the first of them.
                drop(self.0.checks.get_or_create(&[("provider", provider.as_str()), ("outcome", outcome)]));
            }
        }
        registry.register(
            "account_checks_waiting",
            "Checks of account associations that wait for their turn",
            self.0.waiting.clone(),
        );
    }
}

#[async_trait]
impl TryAccount for Clouds {
    async fn try_account(&self, ctx: &Ctx, group: &Uidp, account: CloudAccount<'_>) -> Result<AccountStatus, Error> {
        let provider = account.provider().as_str();
        let outcome = self.0.run(ctx, group, account).await;
        let named = match &outcome {
            Ok(AccountStatus::Ready) => "ready",
            Ok(AccountStatus::NotReady { .. }) => "not_ready",
            Err(_) => "busy",
        };
        self.0.checks.get_or_create(&[("provider", provider), ("outcome", named)]).inc();
        if let Ok(AccountStatus::NotReady { message, .. }) = &outcome {
            tracing::debug!(target: "clouds", provider, %group, message, "an account gives no credentials");
        }
        outcome
    }
}

impl Inner {
    async fn run(&self, ctx: &Ctx, group: &Uidp, account: CloudAccount<'_>) -> Result<AccountStatus, Error> {
        self.limit(ctx, group, account.provider())?;
        let organization = Party::organization(group);
        let _place = self.organizations.place(&organization.name()).await.map_err(|why| {
            let message =
                format!("this server is busy checking accounts of the organization, and this request {why}; retry later");
            busy(message, Duration::from_secs(1))
        })?;
        let (subject, audience) = (format!("canary:{group}"), account.provider().as_str());
        let token = self.tokens.mint_for_others(&subject, audience, LIFETIME, ctx).await?;
        Ok(match self.exchange(account, &token).await {
            Ok(()) => AccountStatus::Ready,
            Err(Failure::Unfit(message)) => AccountStatus::NotReady { reason: NotReady::NotConfigured, message },
            Err(Failure::Refused(message)) => AccountStatus::NotReady { reason: NotReady::ExchangeFailed, message },
        })
    }

    async fn exchange(&self, account: CloudAccount<'_>, token: &Secret<String>) -> Result<(), Failure> {
        match account {
            CloudAccount::Amazon(account) => self.amazon.exchange(&self.door, account, token).await,
            CloudAccount::Google(project) => self.google.exchange(&self.door, project, token).await,
            CloudAccount::Azure(tenant) => self.azure.exchange(&self.door, tenant, token).await,
        }
    }

    /// Nobody makes this server ask a cloud as often as they like: not about one group, not about all of an organization, and not in
    /// organizations of their own.
    fn limit(&self, ctx: &Ctx, group: &Uidp, provider: CloudProvider) -> Result<(), Error> {
        let each = [
            (format!("{} of {group}", provider.as_str()), OF_GROUP),
            (format!("all of {}", group.root_text()), OF_MANY),
            (format!("by {}", ctx.caller()?.identity), OF_MANY),
        ];
        self.rates.take(&each, Instant::now()).map_err(|wait| {
            let seconds = wait.as_secs() + 1;
            let message = format!(
                "account associations of this group, of its organization or by this caller were checked too often; retry in {seconds} s"
            );
            busy(message, Duration::from_secs(seconds))
        })
    }
}

fn busy(message: String, retry: Duration) -> Error {
    Error::new(Kind::ResourceExhausted, Rule::OrganizationBusy, message).with(Detail::RetryAfter(retry))
}

impl From<FetchError> for Failure {
    fn from(error: FetchError) -> Self {
        Self::Refused(error.to_string())
    }
}
