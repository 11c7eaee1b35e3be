//! Who calls.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{grant::Narrowing, time::Timestamp, uidp::Uidp};

/// On whose behalf something happens; what the audit row names.
#[derive(Clone, Debug)]
pub enum Actor {
    /// Nobody proved who they are: public methods only.
    Anonymous,
    /// The server itself, in the named task.
    System(&'static str),
    /// An identity that presented a token.
    Caller(Arc<Caller>),
}

/// An authenticated caller: the identity, what its token says and how the token narrows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The identity that acts (the token's `sub`).
    pub identity: Uidp,
    /// Whether it is the operators' root identity, which holds everything everywhere.
    pub operator: bool,
    /// The token's `iss`.
    pub issuer: String,
    /// The token's `aud`.
    pub audience: Vec<String>,
    /// The token's `iat`.
    pub issued_at: Timestamp,
    /// The token's `exp`.
    pub expires_at: Timestamp,
    /// The token's `jti`.
    pub token_id: String,
    /// The token's `act`: the upstream token that it was exchanged for.
    pub upstream: Option<Upstream>,
    /// The token's `email`: the upstream address, when it was verified.
    pub email: Option<String>,
    /// What the token keeps of the identity's grants.
    pub narrowing: Narrowing,
}

/// The claims of the upstream token that are kept in `act` (RFC 8693 section 4.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upstream {
    /// The upstream `iss`.
    pub iss: String,
    /// The upstream `sub`.
    pub sub: String,
    /// The upstream `aud` that was accepted. A single text: published clients do not read lists here.
    pub aud: String,
    /// The account of an AWS principal.
    #[serde(rename = "aws-acct", default, skip_serializing_if = "Option::is_none")]
    pub aws_account: Option<String>,
    /// The ARN of an AWS principal.
    #[serde(rename = "aws-arn", default, skip_serializing_if = "Option::is_none")]
    pub aws_arn: Option<String>,
}

impl Upstream {
    /// Claims that every upstream token has, and no others.
    #[must_use]
    pub fn new(iss: String, sub: String, aud: String) -> Self {
        Self { iss, sub, aud, aws_account: None, aws_arn: None }
    }
}
