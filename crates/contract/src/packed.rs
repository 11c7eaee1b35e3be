//! What the build has packed.

use std::io::Read;

use flate2::read::GzDecoder;

/// The contents of a file in the format of RFC 1952 that is part of the program.
pub(crate) fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    match GzDecoder::new(packed).read_to_end(&mut text) {
        Ok(_) => text,
        // INVARIANT: the build has packed these bytes.
        Err(error) => unreachable!("a part of the program cannot be unpacked: {error}"),
    }
}
