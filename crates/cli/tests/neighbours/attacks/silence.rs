//! Connections that say nothing, or not enough.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use futures::{StreamExt as _, stream};
use tokio::{io::AsyncWriteExt as _, net::TcpStream};

use crate::{
    doors::{self, ATTACKER, NEIGHBOUR},
    program::{self, Server},
    site::Site,
    stage::{Length, Log, STALL},
};

/// As many as a server takes by default, and some more.
const SILENT: usize = 8192 + 64;
/// More than handshakes at once.
const HALF: usize = 2500;
/// How long opening all of them may take.
const OPENING: Duration = Duration::from_secs(20);
/// Files that this process and the server need for everything else.
const SPARED: usize = 2048;

/// More connections than the server has places for.
pub(crate) async fn connections(site: &Site, log: &Log, length: Length) {
    let hold = Duration::from_secs(length.pick(6, 130));
    let count = SILENT.min(crate::open_files().saturating_sub(SPARED));
    let attack = async {
        let streams = open(site.attacked(), count, &[]).await;
        tokio::time::sleep(hold).await;
        drop(streams);
    };
    log.during(format!("{count} silent connections"), attack).await;
}

/// Clients that begin a handshake and stop, at a server with a certificate, and one that only wants to be served.
pub(crate) async fn half_handshakes(_: &Site, log: &Log, _: Length) {
    let folder = tempfile::tempdir().expect("a folder");
    let address = program::free_address();
    let pair = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("cert.pem"), pair.cert.pem()).expect("a file");
    std::fs::write(at("key.pem"), pair.signing_key.serialize_pem()).expect("a file");
    std::os::unix::fs::chown(at("key.pem"), None, None).expect("a file");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(at("key.pem"), mode).expect("a file");
    let flags = [
        "--base-url",
        &format!("https://{address}"),
        "--tls-certificate-file",
        &at("cert.pem").display().to_string(),
        "--tls-key-file",
        &at("key.pem").display().to_string(),
    ];
    let server = Server::start(folder.path(), &address.to_string(), &flags.map(str::to_owned));
    let client = doors::http1(NEIGHBOUR, true);
    let ask = || client.get(format!("https://{address}/livez")).send();
    let begin = Instant::now();
    if let Err(why) = ask().await {
        return log.wrong(format!("the server with a certificate does not answer: {why:?}"));
    }
    // On a machine where one handshake alone takes long, another may as well.
    let limit = STALL + 4 * begin.elapsed();
    // The head of a handshake record, whose rest never comes.
    let hello = [22, 3, 1, 2, 0, 1];
    let attack = async {
        let count = HALF.min(crate::open_files().saturating_sub(SPARED));
        let streams = open(address, count, &hello).await;
        let begin = Instant::now();
        let answer = ask().await;
        let took = begin.elapsed();
        match answer {
            Ok(answer) if answer.status() == 200 && took <= limit => {}
            other => log.wrong(format!("beside {} half handshakes a client waits {took:?}: {other:?}", streams.len())),
        }
    };
    log.during("half handshakes", attack).await;
    drop(server);
}

/// Opens so many connections that say this much, or as many as it can in [`OPENING`]. Those that the server refuses are not
/// among them.
async fn open(to: SocketAddr, count: usize, first: &[u8]) -> Vec<TcpStream> {
    let connect = async |_| {
        let mut stream = tokio::time::timeout(STALL, doors::connect(ATTACKER, to)).await.ok()?.ok()?;
        stream.write_all(first).await.ok()?;
        Some(stream)
    };
    let enough = Box::pin(tokio::time::sleep(OPENING));
    stream::iter(0..count).map(connect).buffer_unordered(64).filter_map(async |stream| stream).take_until(enough).collect().await
}
