//! Backups: everything in the database as one file that every engine can restore.
//!
//! A file begins with a line of JSON, the [`Header`]. Then comes a gzip stream (RFC 1952) of lines: for each table one that
//! names its columns, then one per row. The last line has the SHA-256 of everything before it, and its code under a key that follows from
//! the key-encryption key. The private halves of signing
//! keys are in it as they are stored: encrypted with the key-encryption key, which is not.

mod archive;
mod header;
mod lines;
mod restore;
mod tables;
mod verify;
mod write;

pub use self::{
    archive::Archive,
    header::Header,
    restore::{How, OnProgress, restore},
    write::Backup,
};
