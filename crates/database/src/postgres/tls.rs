//! Encryption of connections, as libpq's `sslmode` means it.

use std::{path::Path, sync::Arc};

use domain::{Error, Kind, Result, Rule};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::place::{Postgres, SslMode};

/// What makes encrypted connections to the database.
pub(super) fn connector(database: &Postgres) -> Result<MakeRustlsConnect> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(Error::internal)?
        .dangerous();
    let strict = || {
        let roots = Arc::new(roots(database.root_certificates())?);
        let verifier = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider)).build();
        verifier.map_err(|error| refused(format!("the certificates of trusted authorities cannot be used: {error}")))
    };
    let lenient = |judge| Arc::new(Lenient { judge, provider: Arc::clone(&provider) });
    let verifier: Arc<dyn ServerCertVerifier> = match database.ssl_mode() {
        SslMode::Disable | SslMode::Prefer | SslMode::Require => lenient(Judge::Anybody),
        SslMode::VerifyCa => lenient(Judge::AnyHost(strict()?)),
        SslMode::VerifyFull => strict()?,
    };
    Ok(MakeRustlsConnect::new(builder.with_custom_certificate_verifier(verifier).with_no_client_auth()))
}

/// The authorities in the file, or those of the system.
fn roots(file: Option<&Path>) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    match file.filter(|file| file.as_os_str() != "system") {
        None => {
            let found = rustls_native_certs::load_native_certs();
            roots.add_parsable_certificates(found.certs);
        }
        Some(file) => {
            let cannot = |error: &dyn std::fmt::Display| refused(format!("sslrootcert: cannot read {}: {error}", file.display()));
            for certificate in CertificateDer::pem_file_iter(file).map_err(|error| cannot(&error))? {
                let certificate = certificate.map_err(|error| cannot(&error))?;
                roots.add(certificate).map_err(|error| cannot(&error))?;
            }
        }
    }
    if roots.is_empty() {
        let place = file.map_or_else(|| "this system".to_owned(), |file| file.display().to_string());
        return Err(refused(format!("{place} has no certificates of trusted authorities; name a file with sslrootcert")));
    }
    Ok(roots)
}

fn refused(message: String) -> Error {
    Error::new(Kind::FailedPrecondition, Rule::Unavailable, message)
}

/// How much of a certificate is looked at. Signatures are verified in any case: who shows a certificate must hold its key.
#[derive(Debug)]
enum Judge {
    /// Nothing: `require` protects from who listens, not from who stands in between.
    Anybody,
    /// That a trusted authority signed it, for whichever host.
    AnyHost(Arc<WebPkiServerVerifier>),
}

/// A verifier that is less strict than that of the library.
#[derive(Debug)]
struct Lenient {
    judge: Judge,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Lenient {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        host: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        let Judge::AnyHost(strict) = &self.judge else { return Ok(ServerCertVerified::assertion()) };
        // The name is looked at last: whoever fails there has passed everything else.
        match strict.verify_server_cert(certificate, intermediates, host, ocsp, now) {
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
