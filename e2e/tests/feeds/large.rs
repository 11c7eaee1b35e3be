//! How long a feed of many takes. Said with `--nocapture`; `PROVOST_TEST_FEED` says of how many records.

use std::time::Instant;

use client::http::Request;
use http::StatusCode;
use testkit::scenario_on;

use super::get;
use crate::v2beta1::advisories::imports::{import, on_their_own, osv};

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "PROVOST_TEST_FEED comes from the environment")]
async fn is_made_soon_and_told_at_once() {
    let records = std::env::var("PROVOST_TEST_FEED").ok().and_then(|count| count.parse().ok()).unwrap_or(300);
    Box::pin(scenario_on(on_their_own(), async |s| {
        let (admin, org) = (s.server.admin(), s.server.organization().to_string());
        let documents: Vec<_> = (0..records).map(|n| osv(&format!("GO-{n}"), &["a"], Some("1.2"))).collect();
        for part in documents.chunks(100) {
            import(&admin, &org, true, part).await;
        }
        let path = format!("/osv/{org}/Go/all.zip");
        let begun = Instant::now();
        let made = get(&admin, &path).await;
        let cold = begun.elapsed();
        assert_eq!(made.status, StatusCode::OK);
        let begun = Instant::now();
        let again = get(&admin, &path).await;
        let warm = begun.elapsed();
        assert_eq!(again.bytes, made.bytes);
        let etag = made.header("etag").expect("an entity tag").to_owned();
        let begun = Instant::now();
        for _ in 0..100 {
            let held = admin.http(Request::get(path.as_str()).header("if-none-match", etag.as_str())).await;
            assert_eq!(held.status, StatusCode::NOT_MODIFIED);
        }
        let told = begun.elapsed() / 100;
        println!("{records} records, {} bytes: made in {cold:?}, sent in {warm:?}, told of in {told:?}", made.bytes.len());
    }))
    .await;
}
