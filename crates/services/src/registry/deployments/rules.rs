//! What holds for the charts of a deployment.

use std::net::IpAddr;

use domain::{Result, Violations, registry::HelmChart};

use crate::texts;

/// Most charts of a deployment.
const CHARTS: usize = 100;

/// Judges charts.
///
/// # Errors
/// Invalid argument naming every field that is not as it must be.
pub(super) fn check(charts: &[HelmChart]) -> Result<()> {
    let mut violations = Violations::default();
    texts::each("charts", charts, CHARTS, &mut violations, |field, chart, violations| {
        for (name, text) in [("source", &chart.source), ("chart", &chart.chart)] {
            texts::optional(&format!("{field}.{name}"), text.as_deref().unwrap_or_default(), texts::LONG, violations);
        }
        let field = format!("{field}.repo");
        texts::required(&field, &chart.repo, texts::LONG, violations);
        if !chart.repo.is_empty() && !is_chart_repo(&chart.repo) {
            let form = "an https or oci URL with a host and without a user; http is for localhost alone";
            violations.add(&field, format!("repo must be {form}"));
        }
    });
    violations.check()
}

/// Whether charts may come from there.
fn is_chart_repo(url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, port)) => (host, port),
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let is_port = port.is_empty() || port.strip_prefix(':').is_some_and(|digits| digits.parse::<u16>().is_ok());
    let is_loopback = host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
    let is_host = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':' | b'_'));
    let is_plain = url.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let is_safe = match scheme.to_ascii_lowercase().as_str() {
        "https" | "oci" => true,
        "http" => is_loopback,
        _ => false,
    };
    is_safe && is_plain && is_port && is_host && !host.is_empty()
}

#[cfg(test)]
mod tests {
    use super::is_chart_repo;

    #[test]
    fn charts_come_from_where_nobody_listens_in() {
        for (url, accepted) in [
            ("https://charts.example.com", true),
            ("https://charts.example.com:8443/stable?x=1", true),
            ("oci://registry.example.com/charts", true),
            ("OCI://registry.example.com", true),
            ("http://localhost:5000/x", true),
            ("http://127.0.0.1", true),
            ("http://[::1]:80/x", true),
            ("http://charts.example.com", false),
            ("http://localhost.example.com", false),
            ("http://localhost@charts.example.com", false),
            ("https://user:secret@charts.example.com", false),
            ("https://", false),
            ("https:///x", false),
            ("https://charts.example.com:port", false),
            ("https://charts example.com", false),
            ("https://charts.example.com\\@x", false),
            ("ftp://charts.example.com", false),
            ("charts.example.com", false),
            ("", false),
        ] {
            assert_eq!(is_chart_repo(url), accepted, "{url}");
        }
    }
}
