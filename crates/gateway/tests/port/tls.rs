//! TLS on the port.

use std::time::Duration;

use contract::chainguard::platform::iam::v2beta1::GetGroupRequest;
use gateway::{Limits, Settings, Tls, tls::Pair};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use reqwest::{Certificate, Version};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};
use tonic::transport::{Channel, ClientTlsConfig};

use crate::support::{GROUPS, Running, call, org, start_tls};

/// An authority that only this test knows.
struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { pem, issuer: Issuer::new(params, key) }
    }

    fn pair(&self) -> Pair {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Pair::from_pem(certificate.pem().as_bytes(), key.serialize_pem().as_bytes()).unwrap()
    }

    fn client(&self) -> reqwest::ClientBuilder {
        let root = Certificate::from_pem(self.pem.as_bytes()).unwrap();
        reqwest::Client::builder().no_proxy().tls_certs_only([root])
    }
}

async fn start(tls: &Tls) -> Running {
    let limits = Limits { handshake_timeout: Duration::from_millis(400), ..Limits::default() };
    start_tls(Settings { limits, ..Settings::default() }, tls.clone()).await
}

#[tokio::test]
async fn both_versions_of_http_and_grpc_work() {
    let authority = Authority::new();
    let server = start(&Tls::new(&authority.pair()).unwrap()).await;
    let url = format!("https://{}", server.address);
    let cases = [(authority.client().http1_only(), Version::HTTP_11), (authority.client(), Version::HTTP_2)];
    for (client, version) in cases {
        let answer = client.build().unwrap().get(format!("{url}/livez")).send().await.unwrap();
        assert_eq!((answer.status().as_u16(), answer.version()), (200, version));
    }
    let roots = ClientTlsConfig::new().ca_certificate(tonic::transport::Certificate::from_pem(&authority.pem));
    let channel = Channel::from_shared(url).unwrap().tls_config(roots).unwrap().connect().await.unwrap();
    let request = GetGroupRequest { uid: org().to_string() };
    call(channel, &format!("{GROUPS}/GetGroup"), &request, &[("authorization", "Bearer owner")]).await.unwrap();
    server.stop.cancel();
    server.ended.await.unwrap();
}

#[tokio::test]
async fn a_new_pair_counts_from_the_next_connection_on() {
    let (old, new) = (Authority::new(), Authority::new());
    let tls = Tls::new(&old.pair()).unwrap();
    let server = start(&tls).await;
    let url = format!("https://{}/livez", server.address);
    let reaches = |client: reqwest::Client| {
        let request = client.get(&url);
        async move { request.send().await.is_ok() }
    };
    let (kept, stranger) = (old.client().build().unwrap(), new.client().build().unwrap());
    assert!(reaches(kept.clone()).await && !reaches(stranger.clone()).await);
    tls.replace(&new.pair());
    assert!(reaches(stranger).await && !reaches(old.client().build().unwrap()).await);
    assert!(reaches(kept).await, "connections that are there live on");
}

#[tokio::test]
async fn plain_text_is_told_what_to_speak() {
    let server = start(&Tls::new(&Authority::new().pair()).unwrap()).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(b"GET /livez HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 400 ") && answer.ends_with("this port speaks HTTPS alone\n"), "{answer}");
}

#[tokio::test]
async fn half_handshakes_do_not_hold_up_others() {
    let authority = Authority::new();
    let limits = Limits { handshakes: 2, handshakes_per_address: 1, ..Limits::default() };
    let server = start_tls(Settings { limits, ..Settings::default() }, Tls::new(&authority.pair()).unwrap()).await;
    let half = async |from: [u8; 4]| {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind(std::net::SocketAddr::from((from, 0))).unwrap();
        let mut stream = socket.connect(server.address).await.unwrap();
        stream.write_all(&[22, 3, 1, 2, 0]).await.unwrap();
        stream
    };
    let health = async || {
        let client = authority.client().build().unwrap();
        client.get(format!("https://{}/livez", server.address)).timeout(Duration::from_secs(8)).send().await.is_ok()
    };
    // All of one address take one place: another one is free.
    let crowd = [half([127, 0, 0, 2]).await, half([127, 0, 0, 2]).await, half([127, 0, 0, 2]).await];
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(health().await);
    // All places are taken by several: they wait no longer than a second for them, and the limit for handshakes is ten.
    let others = [half([127, 0, 0, 3]).await, half([127, 0, 0, 4]).await];
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(health().await);
    drop((crowd, others));
}

#[tokio::test]
async fn the_silent_and_the_slow_are_closed() {
    let server = start(&Tls::new(&Authority::new().pair()).unwrap()).await;
    // Nothing at all, and the beginning of a record that never ends.
    for begin in [&b""[..], &[22, 3, 1, 2, 0]] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(begin).await.unwrap();
        let mut rest = Vec::new();
        let ended = timeout(Duration::from_secs(10), stream.read_to_end(&mut rest)).await;
        assert!(ended.is_ok(), "the server closes");
    }
}
