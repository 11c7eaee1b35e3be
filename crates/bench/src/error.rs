//! Why something could not be measured.

use std::fmt;

/// Why something could not be measured, in words.
#[derive(Debug)]
pub struct Error(String);

impl Error {
    /// This message.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

macro_rules! from {
    ($($error:ty),* $(,)?) => {$(
        impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Self(error.to_string())
            }
        }
    )*};
}

from! {
    aws_lc_rs::error::KeyRejected,
    aws_lc_rs::error::Unspecified,
    http::Error,
    hyper::Error,
    rusqlite::Error,
    serde_json::Error,
    std::io::Error,
    tokio::task::JoinError,
    tokio::time::error::Elapsed,
}

impl From<domain::Error> for Error {
    fn from(error: domain::Error) -> Self {
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
        Self(format!("{error}{}", cause.unwrap_or_default()))
    }
}
