//! What a server needs from the network: addresses of its own, identity providers, and its own URLs.

use std::{io::ErrorKind, net::SocketAddr, time::Duration};

use client::http::{Answer, Http, Request};
use serde_json::Value;
use server::{Settings, admin::socket, sts_settings};
use sts::{Issuers, discovery::DISCOVERY_PATH};
use tokio::{
    net::{TcpListener, UnixStream},
    time::timeout,
};

use super::Finding;
use crate::advice;

/// How long a URL of the server may take.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) async fn check(settings: &Settings) -> Vec<Finding> {
    let runs = UnixStream::connect(socket::path_in(&settings.data)).await.is_ok();
    let mut findings = Vec::new();
    for address in &settings.listen {
        findings.push(listen(format!("listen {address}"), *address, runs).await);
    }
    if let Some(address) = settings.metrics_listen {
        findings.push(listen("metrics-listen".to_owned(), address, runs).await);
    }
    let first = settings.listen.first().copied().unwrap_or_else(|| ([127, 0, 0, 1], 0).into());
    let urls = settings.urls_at(first);
    let sts = sts_settings(settings, urls.clone());
    let issuers = Issuers::new(&sts);
    for provider in &settings.providers {
        findings.push(match issuers.probe(&provider.issuer).await {
            Ok(0) => Finding::failed(format!("provider {}", provider.issuer), "it publishes no key that can be used"),
            Ok(keys) => Finding::ok(format!("provider {}", provider.issuer), format!("discovery works, {keys} keys")),
            Err(error) => {
                let cause = error.cause().map(|cause| format!(": {cause}{}", advised(cause))).unwrap_or_default();
                Finding::failed(format!("provider {}", provider.issuer), format!("{error}{cause}"))
            }
        });
    }
    if settings.base_url.is_some() || settings.dev && first.port() != 0 {
        findings.push(answers("base-url", &urls.base, "/readyz", runs, ready).await);
        findings.push(answers("auth-url", &urls.auth, DISCOVERY_PATH, runs, |answer| issuer(answer, &urls.auth)).await);
    }
    findings
}

async fn listen(check: String, address: SocketAddr, runs: bool) -> Finding {
    match TcpListener::bind(address).await {
        Ok(_) => Finding::ok(check, format!("{address} is free")),
        Err(error) if error.kind() == ErrorKind::AddrInUse && runs => {
            Finding::ok(check, format!("{address} is taken, and a server runs on this data folder"))
        }
        Err(error) => Finding::failed(check, format!("cannot listen on {address}: {error}")),
    }
}

/// Asks a URL of the server, which may not run yet.
async fn answers(
    check: &str,
    url: &str,
    path: &str,
    runs: bool,
    judge: impl FnOnce(&Answer) -> Result<String, String>,
) -> Finding {
    let asked = async { Http::new(url, None)?.send(Request::get(path)).await };
    let Ok(asked) = timeout(PATIENCE, asked).await else {
        return Finding::failed(check, format!("{url}: no answer within {} s", PATIENCE.as_secs()));
    };
    match asked {
        Ok(answer) => match judge(&answer) {
            Ok(detail) => Finding::ok(check, format!("{url}: {detail}")),
            Err(detail) => Finding::failed(check, format!("{url}: {detail}")),
        },
        // Something that answers with a certificate is there, perhaps a proxy.
        Err(error) if runs || error.message().contains("certificate") => {
            Finding::failed(check, format!("{}{}", error.message(), advised(error.message())))
        }
        Err(_) => Finding::skipped(check, format!("{url} does not answer, and no server runs here")),
    }
}

/// What to do about a failure, if its `reason` tells more than that nobody answers.
fn advised(reason: &str) -> String {
    advice::about(reason).map(|advice| format!("; {advice}")).unwrap_or_default()
}

fn ready(answer: &Answer) -> Result<String, String> {
    match answer.status.as_u16() {
        200 => Ok("the server is ready".to_owned()),
        status => Err(format!("asked whether it is ready, it answers with status {status}")),
    }
}

fn issuer(answer: &Answer, expected: &str) -> Result<String, String> {
    let told = answer.json();
    match told.get("issuer").and_then(Value::as_str) {
        Some(issuer) if issuer == expected => Ok("discovery works".to_owned()),
        Some(issuer) => Err(format!("it answers as the issuer {issuer}")),
        None => Err(format!("there is no discovery document, but status {}", answer.status.as_u16())),
    }
}
