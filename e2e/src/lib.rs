//! The tests at the front door live in `tests/`, by API version, noun and verb. This crate has no code of its own.
