use contract::chainguard::platform::events::v2beta1::rpc::CreateSubscription;
use testkit::{Setup, TestServer, Transport};

use super::{folder, stands, subscribe};
use crate::v2beta1::subscriptions::new_subscription;

#[tokio::test(flavor = "multi_thread")]
async fn private_places_are_not_asked_and_not_told_of() {
    let server = TestServer::start_with(Setup::delivering()).await.restarted_outside_dev_mode(false).await;
    let (admin, org) = (server.admin(), server.organization().to_string());
    let plain = admin.call::<CreateSubscription>(Transport::Grpc, new_subscription(&org, "http://127.0.0.1:9/x")).await;
    assert_eq!(plain.code, "INVALID_ARGUMENT", "without TLS nothing is sent outside dev mode");
    let mut all = Vec::new();
    for place in ["127.0.0.1", "10.1.2.3", "169.254.169.254", "[::1]", "[fd00::1]", "localhost"] {
        all.push(subscribe(&admin, &org, &format!("https://{place}:9/events?key=secret")).await);
    }
    folder(&admin, &org, "news").await;
    for uid in &all {
        let delivery = stands(&admin, uid, "it is refused", |delivery| delivery.failures > 0).await;
        assert_eq!(delivery.problem, "the sink cannot be connected to", "nobody learns where this server is");
    }
    server.stop().await;
}
