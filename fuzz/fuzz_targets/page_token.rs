//! Page tokens. What is read is what was written, to the byte, and no made-up text opens.
#![no_main]

use std::sync::{Arc, LazyLock};

use domain::{Entropy, Error, Secret, ports::Seal};
use libfuzzer_sys::fuzz_target;
use sts::{RootKey, Sealer};

#[derive(Debug)]
struct Zeros;

impl Entropy for Zeros {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), Error> {
        bytes.fill(0);
        Ok(())
    }
}

static SEALER: LazyLock<Sealer> =
    LazyLock::new(|| Sealer::new(Arc::new(RootKey::from_bytes(&Secret::new([7; 32]))), Arc::new(Zeros)));

fuzz_target!(|input: &[u8]| {
    if let Some(again) = services::page_tokens::rewritten(input) {
        assert_eq!(again, input, "a token has one form");
    }
    if let Ok(text) = std::str::from_utf8(input) {
        assert_eq!(SEALER.open("page-token", text), None, "nobody makes a token without the key");
    }
    let sealed = SEALER.seal("page-token", input).expect("anything can be sealed");
    assert_eq!(SEALER.open("page-token", &sealed).as_deref(), Some(input));
    assert_eq!(SEALER.open("other", &sealed), None, "a token is for one purpose");
});
