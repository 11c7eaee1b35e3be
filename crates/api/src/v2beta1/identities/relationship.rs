//! How identities prove themselves, v2beta1.

use contract::chainguard::platform::iam::v2beta1::identity as wire;

crate::relationship::relationships!(wire, StaticKeys at "static_keys" until expiration_time);
