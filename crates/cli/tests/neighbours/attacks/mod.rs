//! The attacks that are known by name: each was found once, and is tried ever since.

mod answers;
mod decoding;
pub(crate) mod derived;
mod masks;
mod patterns;
mod raw;
mod silence;
mod unfinished;

pub(crate) mod frozen;

use contract::{METHODS, Method};
use futures::future::BoxFuture;

use crate::{
    site::Site,
    stage::{Length, Log},
};

/// An attack: how it is called, and how it is carried out.
pub(crate) struct Attack {
    pub(crate) name: &'static str,
    pub(crate) carry_out: for<'a> fn(&'a Site, &'a Log, Length) -> BoxFuture<'a, ()>,
}

/// All of them.
pub(crate) const ATTACKS: &[Attack] = &[
    Attack { name: "a large value under 400 equal paths", carry_out: |s, l, n| Box::pin(masks::repeated(s, l, n)) },
    Attack { name: "two million empty entries in 4 KB", carry_out: |s, l, n| Box::pin(decoding::empty_entries(s, l, n)) },
    Attack { name: "packed capabilities", carry_out: |s, l, n| Box::pin(decoding::packed_capabilities(s, l, n)) },
    Attack { name: "patterns that are long to read", carry_out: |s, l, n| Box::pin(patterns::long_to_read(s, l, n)) },
    Attack { name: "45 rules that are long to compile", carry_out: |s, l, n| Box::pin(patterns::long_to_compile(s, l, n)) },
    Attack { name: "5000 unfinished exchanges", carry_out: |s, l, n| Box::pin(unfinished::exchanges(s, l, n)) },
    Attack { name: "errors about everything", carry_out: |s, l, n| Box::pin(answers::large_errors(s, l, n)) },
    Attack { name: "a line feed in a header", carry_out: |s, l, n| Box::pin(raw::line_feed(s, l, n)) },
    Attack { name: "silent connections", carry_out: |s, l, n| Box::pin(silence::connections(s, l, n)) },
    Attack { name: "half handshakes", carry_out: |s, l, n| Box::pin(silence::half_handshakes(s, l, n)) },
    Attack { name: "answers that nobody reads", carry_out: |s, l, n| Box::pin(unfinished::unread_answers(s, l, n)) },
];

/// A method of v2beta1 by its name.
fn method(name: &str) -> &'static Method {
    let mut latest = METHODS.iter().filter(|method| method.service.contains(".v2beta1."));
    latest.find(|method| method.name == name).expect("the method is in the contract")
}
