//! Requests that are never finished, and answers that are never read.

use std::time::Duration;

use bytes::Bytes;
use futures::future::join_all;
use http::{Method, Request};
use tokio::time::timeout;

use crate::{
    doors::{self, ATTACKER},
    site::Site,
    stage::{Length, Log},
};

/// 5,000 of either, on connections of as many streams as a server takes; in the short form, where programs are slow and nothing
/// but that makes a difference, a fifth of the lists.
const EXCHANGE_CONNECTIONS: usize = 40;
const EXCHANGES: usize = 125;
const LIST_CONNECTIONS: usize = 50;
const LISTS: (usize, usize) = (20, 100);
/// How long a body may take to be sent as far as the server takes it.
const SENDING: Duration = Duration::from_secs(8);
/// Sent of each body, which never ends.
const BODY: usize = 240 << 10;

/// Strangers begin exchanges and never finish them.
pub(crate) async fn exchanges(site: &Site, log: &Log, length: Length) {
    let hold = Duration::from_secs(length.pick(3, 45));
    let one = async || {
        let mut sender = doors::http2(ATTACKER, site.attacked(), 1 << 20).await?;
        let mut sending = Vec::new();
        for _ in 0..EXCHANGES {
            let head = Request::builder().method(Method::POST).uri("http://provost/sts/exchange");
            let head = head.header("content-type", "application/json").body(()).expect("the head is well-formed");
            sender = sender.ready().await.map_err(|why| why.to_string())?;
            let (response, mut stream) = sender.send_request(head, false).map_err(|why| why.to_string())?;
            sending.push(async move {
                // Blanks, of which JSON may have any number. Another byte than the last is always due.
                let body = Bytes::from(vec![b' '; BODY]);
                let _ = timeout(SENDING, doors::send_open(&mut stream, body)).await;
                (stream, response)
            });
        }
        let open = join_all(sending).await;
        tokio::time::sleep(hold).await;
        drop(open);
        Ok::<_, String>(())
    };
    let all = join_all((0..EXCHANGE_CONNECTIONS).map(|_| one()));
    log.during("5000 unfinished exchanges", all).await;
}

/// The owner asks for lists on connections that take nothing.
pub(crate) async fn unread_answers(site: &Site, log: &Log, length: Length) {
    let hold = Duration::from_secs(length.pick(6, 60));
    let path = format!("/iam/v2beta1/groups?uidp.childrenOf={}&pageSize=200", site.cast.owner.organization);
    let one = async || {
        let mut sender = doors::http2(ATTACKER, site.attacked(), 0).await?;
        let mut waiting = Vec::new();
        for _ in 0..length.pick(LISTS.0, LISTS.1) {
            let head = Request::builder().uri(format!("http://provost{path}"));
            let head = head.header("authorization", format!("Bearer {}", site.cast.owner.token));
            sender = sender.ready().await.map_err(|why| why.to_string())?;
            let (response, _) =
                sender.send_request(head.body(()).expect("the head is well-formed"), true).map_err(|why| why.to_string())?;
            waiting.push(response);
        }
        // The heads come; the bodies cannot.
        let heads = join_all(waiting).await;
        tokio::time::sleep(hold).await;
        drop(heads);
        Ok::<_, String>(())
    };
    let all = join_all((0..LIST_CONNECTIONS).map(|_| timeout(hold, one())));
    log.during("answers that nobody reads", all).await;
}
