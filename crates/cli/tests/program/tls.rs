//! The server with a certificate of its own, and clients that trust a private authority.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use tempfile::TempDir;

use crate::support::{PROVOST, Ran, Server, User, finish};

/// An authority that only this test knows.
pub(crate) struct Authority {
    root: PathBuf,
    issuer: Issuer<'static, KeyPair>,
    folder: TempDir,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let (key, folder) = (KeyPair::generate().expect("a key"), TempDir::new().expect("a folder"));
        let root = folder.path().join("root.pem");
        fs::write(&root, params.self_signed(&key).expect("a root").pem()).expect("written");
        Self { root, issuer: Issuer::new(params, key), folder }
    }

    /// The file with its certificate.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A new pair for this machine in `folder`.
    pub(crate) fn write_pair(&self, folder: &Path) {
        self.write_pair_as(folder, |_| {});
    }

    /// The same with a certificate that `change` makes different.
    fn write_pair_as(&self, folder: &Path, change: impl FnOnce(&mut CertificateParams)) {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("a name");
        change(&mut params);
        let certificate = params.signed_by(&key, &self.issuer).expect("signed");
        fs::write(folder.join("cert.pem"), certificate.pem()).expect("written");
        let path = folder.join("key.pem");
        fs::write(&path, key.serialize_pem()).expect("written");
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("private");
    }

    /// Runs the program as somebody who trusts this authority alone.
    fn run(&self, server: &Server, token: &str, line: &[&str]) -> Ran {
        let user = User::with_token(server, token);
        let mut command = user.command(PROVOST);
        command.env("SSL_CERT_FILE", &self.root).args(line);
        finish(&mut command, "")
    }

    /// Whether somebody who trusts this authority alone gets an answer.
    fn reaches(&self, server: &Server) -> bool {
        let ran = self.run(server, "", &["dev", "id-token", "--subject", "s"]);
        assert!([5, 7].contains(&ran.code), "no development issuer, or no server: {}", ran.stderr);
        ran.code == 5
    }
}

fn until(what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn private_authorities_are_trusted_by_file() {
    let (authority, data) = (Authority::new(), TempDir::new().expect("a folder"));
    authority.write_pair(authority.folder.path());
    let server = Server::tls(data.path(), authority.folder.path());
    let token = User::nowhere().run_on(data.path(), &["admin", "token"]).stdout;
    let made = authority.run(&server, token.trim(), &["iam", "organizations", "create", "acme", "-o", "id"]);
    assert_eq!((made.code, made.stdout.trim().len()), (0, 40), "{}", made.stderr);
    let stranger = User::with_token(&server, token.trim()).run(&["iam", "organizations", "list"]);
    assert_eq!(stranger.code, 7, "{}", stranger.stderr);
    assert_eq!(stranger.stderr.matches("SSL_CERT_FILE").count(), 1, "{}", stranger.stderr);
}

#[test]
fn a_new_pair_is_taken_over_and_a_broken_one_is_not() {
    let (old, new, data) = (Authority::new(), Authority::new(), TempDir::new().expect("a folder"));
    let files = TempDir::new().expect("a folder");
    old.write_pair(files.path());
    let server = Server::tls(data.path(), files.path());
    assert!(old.reaches(&server) && !new.reaches(&server));

    fs::write(files.path().join("cert.pem"), "no certificate").expect("written");
    server.signal("HUP");
    std::thread::sleep(Duration::from_millis(500));
    assert!(old.reaches(&server), "the old one stays");

    new.write_pair(files.path());
    server.signal("HUP");
    until("the signal makes it look", || new.reaches(&server));
    assert!(!old.reaches(&server));

    old.write_pair(files.path());
    until("it looks by itself", || old.reaches(&server));
}

#[test]
fn an_expired_certificate_is_told_with_its_times() {
    let (authority, data) = (Authority::new(), TempDir::new().expect("a folder"));
    let folder = authority.folder.path();
    authority.write_pair_as(folder, |params| params.not_after = date_time_ymd(2026, 2, 3));
    let mut server = Server::tls_logging(data.path(), folder, &folder.join("log"));
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    let log = fs::read_to_string(folder.join("log")).expect("the log");
    let warning = log.lines().find(|line| line.contains("the certificate has expired")).expect(&log);
    assert!(warning.contains("2026-02-03T00:00:00.000Z"), "{warning}");
}

#[test]
fn an_untimely_pair_never_takes_the_place_of_a_good_one() {
    let (old, new, data) = (Authority::new(), Authority::new(), TempDir::new().expect("a folder"));
    let files = TempDir::new().expect("a folder");
    old.write_pair(files.path());
    let log = files.path().join("log");
    let server = Server::tls_logging(data.path(), files.path(), &log);
    assert!(old.reaches(&server));
    new.write_pair_as(files.path(), |params| params.not_after = date_time_ymd(2026, 2, 3));
    server.signal("HUP");
    let told = || fs::read_to_string(&log).expect("the log");
    until("it is told", || told().contains("has expired: it was valid until 2026-02-03T00:00:00.000Z"));
    assert!(told().contains("the new certificate is not used; the old one stays"), "{}", told());
    assert!(old.reaches(&server), "the old one stays");
    new.write_pair_as(files.path(), |params| params.not_before = date_time_ymd(2999, 2, 3));
    server.signal("HUP");
    until("it is told", || told().contains("is not valid yet: it will be from 2999-02-03T00:00:00.000Z"));
    assert!(old.reaches(&server), "the old one stays");
    new.write_pair(files.path());
    server.signal("HUP");
    until("a good one does", || new.reaches(&server));
}

/// A file that never ends, or that nobody writes, holds up neither a start nor a server that runs.
#[test]
fn what_is_no_file_is_not_waited_for() {
    let (authority, data) = (Authority::new(), TempDir::new().expect("a folder"));
    let folder = authority.folder.path();
    let certificate = folder.join("cert.pem");
    let fifo = || {
        _ = fs::remove_file(&certificate);
        assert!(Command::new("mkfifo").arg(&certificate).status().expect("mkfifo").success());
    };
    let huge = || {
        _ = fs::remove_file(&certificate);
        fs::File::create(&certificate).and_then(|file| file.set_len(1 << 40)).expect("a sparse file");
    };
    let user = User::nowhere();
    let mut command = user.command(PROVOST);
    command.args(["serve", "--listen", "127.0.0.1:0", "--base-url", "https://a.example", "--data"]).arg(data.path());
    command.args(Server::pair_in(folder));
    authority.write_pair(folder);
    for (prepare, why) in [(&fifo as &dyn Fn(), "is no regular file"), (&huge, "is longer than 1048576 bytes")] {
        prepare();
        let begun = Instant::now();
        let ran = finish(&mut command, "");
        assert!(ran.code == 2 && ran.stderr.contains(why), "{}: {}", ran.code, ran.stderr);
        assert!(begun.elapsed() < Duration::from_secs(10), "it waited for {:?}", begun.elapsed());
    }

    // Nor do other files that a start reads.
    let other = folder.join("other");
    assert!(Command::new("mkfifo").args(["-m", "600"]).arg(&other).status().expect("mkfifo").success());
    for flag in ["--key-file", "--config", "--database-url-file"] {
        let mut command = user.command(PROVOST);
        command.args(["serve", "--listen", "127.0.0.1:0", "--base-url", "https://a.example", "--data"]).arg(data.path());
        let begun = Instant::now();
        let ran = finish(command.arg(flag).arg(&other), "");
        assert!(ran.code != 0 && ran.stderr.contains("is no regular file"), "{flag}: {}: {}", ran.code, ran.stderr);
        assert!(begun.elapsed() < Duration::from_secs(10), "{flag}: it waited for {:?}", begun.elapsed());
    }

    authority.write_pair(folder);
    let log = folder.join("log");
    let server = Server::tls_logging(data.path(), folder, &log);
    for (prepare, why) in [(&fifo as &dyn Fn(), "is no regular file"), (&huge, "is longer than 1048576 bytes")] {
        prepare();
        server.signal("HUP");
        until("it is told", || fs::read_to_string(&log).expect("the log").contains(why));
        assert!(authority.reaches(&server), "the old one stays");
    }
}

#[test]
fn what_cannot_be_served_is_refused_at_the_start() {
    let (authority, data) = (Authority::new(), TempDir::new().expect("a folder"));
    let folder = authority.folder.path();
    let told = |line: &[&str]| {
        let mut command = User::nowhere().command(PROVOST);
        command.current_dir(folder).args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(data.path()).args(line);
        let ran = finish(&mut command, "");
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        ran.stderr
    };
    let (https, pair) =
        (["--base-url", "https://a.example"], ["--tls-certificate-file", "cert.pem", "--tls-key-file", "key.pem"]);
    let both = [&https[..], &pair].concat();
    assert!(told(&both).contains("cannot read cert.pem"));
    authority.write_pair(folder);
    assert!(told(&[&https[..], &["--tls-key-file", "key.pem"]].concat()).contains("--tls-certificate-file is missing"));
    assert!(told(&[&["--base-url", "http://127.0.0.1:1"], &pair[..]].concat()).contains("must begin with https://"));
    assert!(told(&[&["--dev"], &pair[..]].concat()).contains("dev mode speaks plain HTTP"));
    let certificate = fs::read(folder.join("cert.pem")).expect("a certificate");
    authority.write_pair(folder);
    fs::write(folder.join("cert.pem"), certificate).expect("written");
    assert!(told(&both).contains("the key is not the one of the first certificate"));
    fs::set_permissions(folder.join("key.pem"), fs::Permissions::from_mode(0o644)).expect("shared");
    assert!(told(&both).contains("key.pem can be read by others"));
    assert_eq!(fs::read_dir(data.path()).expect("a folder").count(), 0, "nothing was touched");
}
