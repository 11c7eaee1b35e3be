//! Encrypted connections, as libpq's `sslmode` means them.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt, PermissionsExt, chown},
    path::{Path, PathBuf},
};

use domain::Kind;
use pgcluster::{Cluster, Database, Options};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

use super::open;

/// An authority: its certificate in a file, and what it signs with.
struct Authority {
    file: PathBuf,
    issuer: Issuer<'static, KeyPair>,
}

fn authority(place: &Path, name: &str) -> Authority {
    let mut params = CertificateParams::new(Vec::new()).expect("parameters");
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().expect("a key");
    let file = place.join(name);
    fs::write(&file, params.self_signed(&key).expect("a certificate").pem()).expect("writes");
    Authority { file, issuer: Issuer::new(params, key) }
}

/// Gives the server a certificate for `localhost`.
fn encrypt(cluster: &Cluster, authority: &Authority) {
    let key = KeyPair::generate().expect("a key");
    let params = CertificateParams::new(vec!["localhost".to_owned()]).expect("parameters");
    let certificate = params.signed_by(&key, &authority.issuer).expect("a certificate");
    let owner = fs::metadata(cluster.place().join("data")).expect("the server's folder");
    for (setting, name, text) in
        [("ssl_cert_file", "server.crt", certificate.pem()), ("ssl_key_file", "server.key", key.serialize_pem())]
    {
        let file = cluster.place().join(name);
        fs::write(&file, text).expect("writes");
        fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("is for its owner");
        chown(&file, Some(owner.uid()), Some(owner.gid())).expect("is the server's");
        cluster.set(setting, &file.display().to_string());
    }
    cluster.set("ssl", "on");
    cluster.restart(pgcluster::Shutdown::Fast);
}

/// Whether every connection to the database is encrypted, or why there is none.
async fn connect(database: &Database, host: &str, query: &str) -> Result<bool, String> {
    let url = database.url().replace("127.0.0.1", host).replace("sslmode=disable", query);
    let store = open(url).await.map_err(|error| {
        assert_eq!(error.kind(), Kind::Unavailable);
        error.message().to_owned()
    })?;
    store.ping().await.expect("is well");
    let ask = format!(
        "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
         WHERE datname = '{}' AND application_name = 'provost'",
        database.name()
    );
    let encrypted = database.cluster().sql("postgres", &ask) == "t";
    store.close().await;
    Ok(encrypted)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_are_as_trusted_as_asked() {
    let Some(cluster) = Cluster::start(&Options::default()) else { return };
    let (known, other) = (authority(cluster.place(), "known.pem"), authority(cluster.place(), "other.pem"));
    encrypt(&cluster, &known);
    let database = cluster.database();
    let (known, other) = (known.file.display(), other.file.display());
    let untrusted = "UnknownIssuer";
    for (host, query, expected) in [
        ("127.0.0.1", "sslmode=disable".to_owned(), Ok(false)),
        ("127.0.0.1", "sslmode=prefer".to_owned(), Ok(true)),
        ("127.0.0.1", "sslmode=require".to_owned(), Ok(true)),
        ("127.0.0.1", format!("sslmode=require&sslrootcert={other}"), Err(untrusted)),
        ("127.0.0.1", format!("sslmode=verify-ca&sslrootcert={known}"), Ok(true)),
        ("127.0.0.1", format!("sslmode=verify-ca&sslrootcert={other}"), Err(untrusted)),
        ("127.0.0.1", format!("sslmode=verify-full&sslrootcert={known}"), Err("not valid for name")),
        ("localhost", format!("sslmode=verify-full&sslrootcert={known}"), Ok(true)),
        ("localhost", format!("sslmode=verify-full&sslrootcert={other}"), Err(untrusted)),
    ] {
        match (connect(&database, host, &query).await, expected) {
            (Ok(encrypted), Ok(expected)) => assert_eq!(encrypted, expected, "{host} {query}"),
            (Err(told), Err(expected)) => assert!(told.contains(expected), "{host} {query}: {told}"),
            (outcome, _) => panic!("{host} {query}: {outcome:?}"),
        }
    }
}
