//! How identities prove themselves, v1.

use contract::chainguard::platform::iam::identity as wire;

crate::relationship::relationships!(wire, Static at "static" until expiration);
