//! How many instructions a page token takes: `cargo xtask counts`.

#![expect(missing_docs, reason = "the macros write modules and functions of their own")]
#![expect(clippy::expect_used, reason = "a bench without a token has nothing to measure")]

use std::{hint::black_box, sync::Arc};

use domain::{Entropy, Error, Secret, ports::Seal};
use gungraun::{library_benchmark, library_benchmark_group, main};
use services::page_tokens;
use sts::{RootKey, Sealer};

/// The same every time.
#[derive(Debug)]
struct Sevens;

impl Entropy for Sevens {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), Error> {
        bytes.fill(7);
        Ok(())
    }
}

const PURPOSE: &str = "page-token";

/// A token of a list by name, which stands behind a folder: see `services::page_tokens`.
fn plain() -> Vec<u8> {
    let uid = "3f0c1de2ab4459b87c6d5e4f30211203fedcba98/89abcdef01234567";
    let mut plain = vec![1];
    plain.extend_from_slice(&1_760_000_000_000_i64.to_be_bytes());
    plain.extend_from_slice(&[9; 32]);
    plain.extend_from_slice(&(uid.len() as u64).to_be_bytes());
    plain.extend_from_slice(uid.as_bytes());
    plain.push(1);
    plain.extend_from_slice(b"team-4711");
    plain
}

/// A sealed token that has been opened before.
fn case() -> (Sealer, String) {
    let sealer = Sealer::new(Arc::new(RootKey::from_bytes(&Secret::new([7; 32]))), Arc::new(Sevens));
    let token = sealer.seal(PURPOSE, &plain()).expect("sealed");
    assert_eq!(sealer.open(PURPOSE, &token).as_ref().and_then(|plain| page_tokens::rewritten(plain)), Some(plain()));
    (sealer, token)
}

// What two pages of a list do with a token: open and read it, write and seal the next.
#[library_benchmark(setup = case)]
#[bench::read_and_written()]
fn page_token((sealer, token): (Sealer, String)) -> (Option<String>, Sealer) {
    let plain = sealer.open(PURPOSE, black_box(&token));
    let again = plain.and_then(|plain| page_tokens::rewritten(&plain));
    let next = again.and_then(|plain| sealer.seal(PURPOSE, &plain).ok());
    (next, sealer)
}

library_benchmark_group!(name = tokens, benchmarks = page_token);
main!(library_benchmark_groups = tokens);
