//! The certificate of the port: judged when it is read, replaced while it is served.

use std::{fmt, sync::Arc};

use arc_swap::ArcSwap;
use domain::Timestamp;
use rustls::{
    ServerConfig,
    client::verify_server_name,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject as _},
    server::{ClientHello, ParsedCertificate, ResolvesServerCert},
    sign::CertifiedKey,
};
use x509_parser::parse_x509_certificate;

/// TLS 1.2 and 1.3 with HTTP/2 and HTTP/1.1 (RFC 7301). Cheap to clone; clones show the same certificate.
#[derive(Clone)]
pub struct Tls {
    config: Arc<ServerConfig>,
    shown: Arc<Shown>,
}

/// A certificate chain and the private key of its first certificate.
#[derive(Clone)]
pub struct Pair {
    certified: Arc<CertifiedKey>,
    not_before: Timestamp,
    not_after: Timestamp,
}

/// Why a pair cannot be used. Never shows the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairError(String);

/// The pair that new connections get.
#[derive(Debug)]
struct Shown(ArcSwap<CertifiedKey>);

impl ResolvesServerCert for Shown {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.load_full())
    }
}

impl Tls {
    /// Shows `pair`.
    ///
    /// # Errors
    /// When the cryptography offers no TLS.
    pub fn new(pair: &Pair) -> Result<Self, PairError> {
        let shown = Arc::new(Shown(ArcSwap::new(Arc::clone(&pair.certified))));
        let builder = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()));
        let builder = builder.with_safe_default_protocol_versions().map_err(|error| PairError(error.to_string()))?;
        let mut config = builder.with_no_client_auth().with_cert_resolver(Arc::clone(&shown) as _);
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self { config: Arc::new(config), shown })
    }

    /// Shows `pair` from the next connection on.
    pub fn replace(&self, pair: &Pair) {
        self.shown.0.store(Arc::clone(&pair.certified));
    }

    pub(crate) fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.config)
    }
}

impl Pair {
    /// Reads a chain of PEM certificates, that of the server first, and its private key: PKCS #8, PKCS #1 or SEC 1.
    ///
    /// # Errors
    /// When one of them cannot be read or the key is not that of the first certificate.
    pub fn from_pem(chain: &[u8], key: &[u8]) -> Result<Self, PairError> {
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(chain).collect();
        let chain = chain.map_err(|error| PairError(format!("the certificate file is no PEM: {error}")))?;
        let first = chain.first().ok_or_else(|| PairError("the certificate file holds no certificate".to_owned()))?;
        let (_, parsed) =
            parse_x509_certificate(first).map_err(|error| PairError(format!("the first certificate cannot be read: {error}")))?;
        let validity = parsed.validity();
        let (not_before, not_after) = (validity.not_before.timestamp(), validity.not_after.timestamp());
        let key = private_key(key)?;
        let certified = CertifiedKey::from_der(chain.clone(), key, &aws_lc_rs::default_provider()).map_err(|error| {
            PairError(match error {
                rustls::Error::InconsistentKeys(_) => "the key is not the one of the first certificate".to_owned(),
                error => format!("certificate and key cannot be used: {error}"),
            })
        })?;
        Ok(Self {
            certified: Arc::new(certified),
            not_before: Timestamp::from_seconds(not_before),
            not_after: Timestamp::from_seconds(not_after),
        })
    }

    /// From when on the certificate is valid.
    #[must_use]
    pub fn not_before(&self) -> Timestamp {
        self.not_before
    }

    /// Until when the certificate is valid.
    #[must_use]
    pub fn not_after(&self) -> Timestamp {
        self.not_after
    }

    /// Whether the certificate names this host, a name or an address (RFC 6125).
    #[must_use]
    pub fn names(&self, host: &str) -> bool {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let certificate = self.certified.cert.first().and_then(|first| ParsedCertificate::try_from(first).ok());
        let name = ServerName::try_from(host).ok();
        certificate.zip(name).is_some_and(|(certificate, name)| verify_server_name(&certificate, &name).is_ok())
    }
}

fn private_key(pem: &[u8]) -> Result<PrivateKeyDer<'static>, PairError> {
    let is_encrypted = || pem.windows(9).any(|word| word == b"ENCRYPTED");
    PrivateKeyDer::from_pem_slice(pem).map_err(|error| {
        PairError(match error {
            rustls::pki_types::pem::Error::NoItemsFound if is_encrypted() => {
                "the key is encrypted; the server starts unattended, so store it decrypted, readable by its user alone".to_owned()
            }
            rustls::pki_types::pem::Error::NoItemsFound => "the key file holds no private key".to_owned(),
            error => format!("the key file is no PEM: {error}"),
        })
    })
}

impl fmt::Display for PairError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PairError {}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}

impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pair").field("not_after", &self.not_after).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(names: &[&str]) -> (String, String) {
        let made = rcgen::generate_simple_self_signed(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).unwrap();
        (made.cert.pem(), made.signing_key.serialize_pem())
    }

    fn told(chain: &str, key: &str) -> String {
        Pair::from_pem(chain.as_bytes(), key.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_pair_says_why() {
        let ((chain, key), (_, other)) = (pair(&["a.example"]), pair(&["a.example"]));
        assert_eq!(told(&chain, &other), "the key is not the one of the first certificate");
        assert_eq!(told("", &key), "the certificate file holds no certificate");
        assert_eq!(told(&key, &key), "the certificate file holds no certificate");
        assert_eq!(told(&chain, &chain), "the key file holds no private key");
        let encrypted = key.replace("PRIVATE", "ENCRYPTED PRIVATE");
        assert!(told(&chain, &encrypted).starts_with("the key is encrypted"));
        assert!(told(chain.get(..chain.len() / 2).unwrap(), &key).starts_with("the certificate file"));
    }

    #[test]
    fn a_pair_knows_its_names_and_times() {
        let (chain, key) = pair(&["a.example", "127.0.0.1"]);
        let pair = Pair::from_pem(chain.as_bytes(), key.as_bytes()).unwrap();
        assert!(pair.names("a.example") && pair.names("127.0.0.1") && !pair.names("b.example") && !pair.names(""));
        assert!(pair.not_before() < pair.not_after());
        assert!(!format!("{pair:?}").contains("PRIVATE"));
    }
}
