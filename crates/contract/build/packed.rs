//! What every server carries and few ask for: packed, as the program has a budget.

use std::{fs::File, io::Write, path::Path};

use flate2::{Compression, write::GzEncoder};

use crate::Result;

/// Writes a file in the format of RFC 1952.
pub(crate) fn write(path: &Path, text: &[u8]) -> Result<()> {
    let mut file = GzEncoder::new(File::create(path)?, Compression::best());
    file.write_all(text)?;
    file.finish()?;
    Ok(())
}
