//! Archives in the ZIP format (PKWARE APPNOTE 6.3.10), made so that the same entries give the same bytes on every server: entries have no
//! time of their own, and stand in the order in which they were added.
//!
//! An entry is packed once, and its bytes may stand in several archives; what an archive has behind its entries is made at its end.

use flate2::{Compress, Compression, FlushCompress, Status};

/// The bytes that archives may have: places in them are numbers of 32 bits.
pub const BYTES: u64 = 2 << 30;

/// Section 4.3.7: a local file header.
const LOCAL: u32 = 0x0403_4b50;
/// Section 4.3.12: a header of the central directory.
const CENTRAL: u32 = 0x0201_4b50;
/// Section 4.3.14: the end of a central directory with more entries than two bytes can count.
const LONG_END: u32 = 0x0606_4b50;
/// Section 4.3.15: where that is.
const LOCATOR: u32 = 0x0706_4b50;
/// Section 4.3.16: the end of a central directory.
const END: u32 = 0x0605_4b50;
/// Section 4.4.3: what is needed to read entries, and an archive of many entries.
const VERSION: u16 = 20;
const LONG_VERSION: u16 = 45;
/// Section 4.4.4: names are UTF-8.
const UTF8: u16 = 1 << 11;
/// Section 4.4.5: deflated.
const DEFLATED: u16 = 8;
/// Section 4.4.6: midnight, the first of January 1980.
const TIME: u32 = 0x0021_0000;

/// Packs entries. What it needs for that is kept from one to the next.
#[derive(Debug)]
pub struct Packer(Compress);

/// A packed entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    name: String,
    sum: u32,
    size: u32,
    packed: u32,
    /// What stands in the archive: its header and its packed content.
    pub bytes: Vec<u8>,
}

/// What an archive has so far.
#[derive(Clone, Debug, Default)]
pub struct Archive {
    directory: Vec<u8>,
    entries: u64,
    bytes: u64,
}

impl Default for Packer {
    fn default() -> Self {
        // Feeds are made while somebody waits; better packed, they would be a tenth smaller.
        Self(Compress::new(Compression::fast(), false))
    }
}

impl Packer {
    /// The entry with this name and content.
    ///
    /// # Errors
    /// When name or content is longer than an entry's may be.
    pub fn pack(&mut self, name: &str, content: &[u8]) -> Result<Entry, &'static str> {
        const TOO_LONG: &str = "an entry of an archive is too long";
        self.0.reset();
        let mut bytes = Vec::with_capacity(64 + name.len() + content.len() / 2);
        let name_len = u16::try_from(name.len()).map_err(|_| TOO_LONG)?;
        let size = u32::try_from(content.len()).map_err(|_| TOO_LONG)?;
        let mut sum = flate2::Crc::new();
        sum.update(content);
        put(&mut bytes, [LOCAL.into()], 4);
        put(&mut bytes, [VERSION, UTF8, DEFLATED].map(u64::from), 2);
        put(&mut bytes, [TIME, sum.sum()].map(u64::from), 4);
        let packed_at = bytes.len();
        put(&mut bytes, [0, size.into()], 4);
        put(&mut bytes, [name_len.into(), 0], 2);
        bytes.extend_from_slice(name.as_bytes());
        let from = bytes.len();
        loop {
            let taken = usize::try_from(self.0.total_in()).map_err(|_| TOO_LONG)?;
            let rest = content.get(taken..).unwrap_or_default();
            bytes.reserve(rest.len() / 2 + 256);
            let status = self.0.compress_vec(rest, &mut bytes, FlushCompress::Finish).map_err(|_| "packing failed")?;
            if status == Status::StreamEnd {
                break;
            }
        }
        let packed = u32::try_from(bytes.len() - from).map_err(|_| TOO_LONG)?;
        if let Some(place) = bytes.get_mut(packed_at..packed_at + 4) {
            place.copy_from_slice(&packed.to_le_bytes());
        }
        Ok(Entry { name: name.to_owned(), sum: sum.sum(), size, packed, bytes })
    }
}

impl Archive {
    /// Adds the entry, whose bytes stand behind those of the entries before.
    ///
    /// # Errors
    /// When the archive would have more than [`BYTES`].
    pub fn add(&mut self, entry: &Entry) -> Result<(), &'static str> {
        let end = self.bytes + entry.bytes.len() as u64;
        if end + self.directory.len() as u64 > BYTES {
            return Err("the archive is too large");
        }
        let out = &mut self.directory;
        put(out, [CENTRAL.into()], 4);
        put(out, [VERSION, VERSION, UTF8, DEFLATED].map(u64::from), 2);
        put(out, [TIME, entry.sum, entry.packed, entry.size].map(u64::from), 4);
        // Of extra field, comment and disk there is none, and no attributes.
        put(out, [entry.name.len() as u64, 0, 0, 0, 0], 2);
        put(out, [0, self.bytes], 4);
        out.extend_from_slice(entry.name.as_bytes());
        self.entries += 1;
        self.bytes = end;
        Ok(())
    }

    /// How many entries it has.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// What stands behind the entries.
    #[must_use]
    pub fn end(self) -> Vec<u8> {
        let Self { directory: mut out, entries, bytes } = self;
        let size = out.len() as u64;
        if entries >= u64::from(u16::MAX) {
            put(&mut out, [LONG_END.into()], 4);
            put(&mut out, [44], 8);
            put(&mut out, [LONG_VERSION, LONG_VERSION].map(u64::from), 2);
            put(&mut out, [0, 0], 4);
            put(&mut out, [entries, entries, size, bytes], 8);
            put(&mut out, [LOCATOR.into(), 0], 4);
            put(&mut out, [bytes + size], 8);
            put(&mut out, [1], 4);
        }
        put(&mut out, [END.into()], 4);
        let counted = entries.min(u16::MAX.into());
        put(&mut out, [0, 0, counted, counted], 2);
        put(&mut out, [size, bytes], 4);
        put(&mut out, [0], 2);
        out
    }
}

/// Writes numbers in so many bytes each, the lowest first.
fn put<const N: usize>(out: &mut Vec<u8>, numbers: [u64; N], bytes: usize) {
    for number in numbers {
        out.extend(number.to_le_bytes().into_iter().take(bytes));
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read as _};

    use proptest::prelude::*;

    use super::*;

    fn archive(entries: &[(String, Vec<u8>)]) -> Vec<u8> {
        let (mut packer, mut archive, mut bytes) = (Packer::default(), Archive::default(), Vec::new());
        for (name, content) in entries {
            let entry = packer.pack(name, content).unwrap();
            archive.add(&entry).unwrap();
            bytes.extend_from_slice(&entry.bytes);
        }
        bytes.extend(archive.end());
        bytes
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn others_read_what_is_written(contents: Vec<Vec<u8>>, word in "[a-zé]{0,9}", times in 1_usize..3000) {
            let mut entries: Vec<_> = contents.into_iter().enumerate().map(|(n, bytes)| (format!("{n}{word}"), bytes)).collect();
            entries.push(("long".to_owned(), word.repeat(times).into_bytes()));
            let bytes = archive(&entries);
            prop_assert_eq!(&bytes, &archive(&entries));
            let mut read = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
            prop_assert_eq!(read.len(), entries.len());
            for (index, (name, content)) in entries.iter().enumerate() {
                let mut file = read.by_index(index).unwrap();
                prop_assert_eq!(&*file.name().unwrap(), name);
                let mut found = Vec::new();
                file.read_to_end(&mut found).unwrap();
                prop_assert_eq!(&found, content);
            }
        }
    }

    #[test]
    fn more_entries_than_two_bytes_count() {
        let entries: Vec<_> = (0..70_000).map(|n| (n.to_string(), Vec::new())).collect();
        let mut read = zip::ZipArchive::new(Cursor::new(archive(&entries))).unwrap();
        assert_eq!(read.len(), 70_000);
        assert_eq!(read.by_index(69_999).unwrap().name().unwrap(), "69999");
    }

    #[test]
    fn nothing_is_an_archive_too() {
        assert_eq!(zip::ZipArchive::new(Cursor::new(archive(&[]))).unwrap().len(), 0);
    }
}
