//! What a request may make of its bytes: elements are counted before anything is built of them.
//!
//! Two bytes of a list can become hundreds in memory, so the length of a request bounds nothing. Lists and maps are counted in
//! the binary form, by tables that the build makes of the contract, and the first element too many ends the reading. So does the
//! first field too many, known or not: what takes two bytes each takes time, even where it comes to nothing. A field
//! says by the option `provost.annotations.max_entries` how many it takes; others take [`LIST`], [`MAP`] or, where the values
//! are those of an enum, as many as that has.

use std::fmt;

use bytes::Bytes;
use prost::{
    DecodeError,
    encoding::{DecodeContext, WireType, check_wire_type, decode_key, decode_varint, skip_field},
};

#[cfg(test)]
mod tests;

/// Most elements of a list that says nothing else: what the longest lists take that handlers know of.
pub const LIST: u32 = 1_000;
/// Most entries of a map that says nothing else.
pub const MAP: u32 = 100;
/// Most elements of all lists and maps of a request together: above the largest request that is of use (a hundred groups with a
/// hundred members each, in the overlay of a repository), and few enough to take less than a body as large as it may be.
pub const ELEMENTS: u32 = 20_000;
/// Deepest nesting of messages. None of today's contract goes beyond a third of it; one that contains itself would.
pub const DEPTH: u32 = 32;

/// Most fields of a request, those of its messages and those that nobody knows included: as many as JSON may have values.
pub const FIELDS: u32 = 3 * ELEMENTS;

/// What must be counted in a message. Fields in which there is nothing to count are left out.
#[derive(Debug)]
pub struct Shape {
    pub(crate) fields: &'static [Field],
}

/// A field that is counted, or in which there is something to count.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) number: u32,
    pub(crate) name: &'static str,
    /// For lists and maps.
    pub(crate) entries: Option<Entries>,
    pub(crate) holds: Holds,
}

/// How many elements a list or map takes.
#[derive(Debug)]
pub(crate) struct Entries {
    pub(crate) most: u32,
    /// Whether it takes none, too.
    pub(crate) may_be_empty: bool,
    /// Where its count stands among those of the message.
    pub(crate) slot: usize,
}

/// What the elements of a field are, or its only value.
#[derive(Debug)]
pub(crate) enum Holds {
    /// Something that takes a field each.
    Single,
    /// Numbers, which may be packed into one field: how many there are in it.
    Numbers(fn(&[u8]) -> usize),
    /// Messages in which there is something to count.
    Message {
        shape: &'static Shape,
        /// Where their counts begin among those of this message, of which each encoding adds to the same value. `None`
        /// for elements, which have counts of their own.
        base: Option<usize>,
    },
}

/// Why a request cannot be decoded.
#[derive(Debug)]
pub enum Undecodable {
    /// The bytes are not a message of the request's type.
    Malformed(DecodeError),
    /// A list or map has more elements than it takes.
    TooMany(TooMany),
    /// All lists and maps together have more than [`ELEMENTS`] elements.
    TooLarge,
    /// There are more than [`FIELDS`] fields.
    TooManyFields,
    /// Messages are nested deeper than [`DEPTH`].
    TooDeep,
}

/// A list or map that has more elements than it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooMany {
    /// The names of the fields that lead to it, outermost first, indices within lists included: `requests[3]`.
    pub path: Vec<String>,
    /// How many it takes.
    pub most: u32,
    /// Whether it takes none, too.
    pub may_be_empty: bool,
}

impl fmt::Display for Undecodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(error) => error.fmt(f),
            Self::TooMany(TooMany { path, most, .. }) => write!(f, "{} has more than {most} entries", path.join(".")),
            Self::TooLarge => write!(f, "there are more than {ELEMENTS} entries in all lists and maps"),
            Self::TooManyFields => write!(f, "there are more than {FIELDS} fields"),
            Self::TooDeep => write!(f, "messages are nested deeper than {DEPTH} levels"),
        }
    }
}

impl std::error::Error for Undecodable {}

impl From<DecodeError> for Undecodable {
    fn from(error: DecodeError) -> Self {
        Self::Malformed(error)
    }
}

include!(concat!(env!("OUT_DIR"), "/shapes.rs"));

/// A request in binary form whose elements were counted.
#[derive(Debug)]
pub struct Counted {
    pub(crate) wire: Bytes,
    elements: u32,
}

impl Counted {
    /// How many elements all its lists and maps have together.
    #[must_use]
    pub fn elements(&self) -> u32 {
        self.elements
    }
}

/// Counts what a message in binary form would make. What is not well-formed may pass: decoding it fails at the same byte.
///
/// # Errors
/// The first list or map with too many elements; the first field too many.
pub(crate) fn check(shape: &'static Shape, wire: Bytes) -> Result<Counted, Undecodable> {
    let mut counter = Counter { left: ELEMENTS, depth: DEPTH, fields: Fields::default() };
    counter.message(shape, &wire)?;
    Ok(Counted { wire, elements: ELEMENTS - counter.left })
}

/// What may still come.
struct Counter {
    left: u32,
    depth: u32,
    fields: Fields,
}

/// How many fields may still come.
pub(crate) struct Fields(u32);

impl Default for Fields {
    fn default() -> Self {
        Self(FIELDS)
    }
}

impl Fields {
    /// The number of the next field, and how its value is written.
    pub(crate) fn key(&mut self, wire: &mut &[u8]) -> Result<(u32, WireType), Undecodable> {
        self.0 = self.0.checked_sub(1).ok_or(Undecodable::TooManyFields)?;
        Ok(decode_key(wire)?)
    }

    /// Passes over the value of the field `number`.
    pub(crate) fn skip(&mut self, wire_type: WireType, number: u32, wire: &mut &[u8]) -> Result<(), Undecodable> {
        let mut open = Vec::new();
        let (mut wire_type, mut number) = (wire_type, number);
        loop {
            match wire_type {
                // Only old encodings have groups, and no message of the contract: they are passed over field by field.
                WireType::StartGroup if open.len() < DEPTH as usize => open.push(number),
                WireType::StartGroup => return Err(Undecodable::TooDeep),
                WireType::EndGroup if open.last() == Some(&number) => _ = open.pop(),
                wire_type => skip_field(wire_type, number, wire, DecodeContext::default())?,
            }
            if open.is_empty() {
                return Ok(());
            }
            (number, wire_type) = self.key(wire)?;
        }
    }
}

type Counts = [u32; SLOTS];

impl Counter {
    /// Counts in a message of its own.
    fn message(&mut self, shape: &'static Shape, wire: &[u8]) -> Result<(), Undecodable> {
        self.part(shape, wire, &mut [0; SLOTS], 0)
    }

    /// Counts in one encoding of a message, whose counts begin at `base`.
    fn part(&mut self, shape: &'static Shape, mut wire: &[u8], counts: &mut Counts, base: usize) -> Result<(), Undecodable> {
        self.depth = self.depth.checked_sub(1).ok_or(Undecodable::TooDeep)?;
        while !wire.is_empty() {
            let (number, wire_type) = self.fields.key(&mut wire)?;
            let Some(field) = shape.fields.iter().find(|field| field.number == number) else {
                self.fields.skip(wire_type, number, &mut wire)?;
                continue;
            };
            let value = if wire_type == WireType::LengthDelimited {
                take(&mut wire)?
            } else {
                // Only numbers are written in another way too. Decoding takes the entry of a map in any, and reads on elsewhere.
                if !matches!(field.holds, Holds::Numbers(_)) {
                    check_wire_type(WireType::LengthDelimited, wire_type)?;
                }
                self.fields.skip(wire_type, number, &mut wire)?;
                None
            };
            let index = self.count(field, value, counts, base)?;
            if let (Holds::Message { shape, base: own }, Some(value)) = (&field.holds, value) {
                let counted = match own {
                    Some(own) => self.part(shape, value, counts, base + own),
                    None => self.message(shape, value),
                };
                counted.map_err(|error| below(error, field, index))?;
            }
        }
        self.depth += 1;
        Ok(())
    }

    /// Counts the elements that one occurrence of a field brings. Answers the index of the first of them.
    fn count(&mut self, field: &Field, value: Option<&[u8]>, counts: &mut Counts, base: usize) -> Result<u32, Undecodable> {
        let Some(Entries { most, may_be_empty, slot }) = field.entries else { return Ok(0) };
        let more = match (&field.holds, value) {
            (Holds::Numbers(within), Some(packed)) => within(packed),
            _ => 1,
        };
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        // INVARIANT: the build gives each list and map a slot, and counts as many as there are.
        let Some(count) = counts.get_mut(base + slot) else { return Err(Undecodable::TooLarge) };
        let before = *count;
        *count = before.saturating_add(more);
        if *count > most {
            let path = vec![field.name.to_owned()];
            return Err(Undecodable::TooMany(TooMany { path, most, may_be_empty }));
        }
        self.left = self.left.checked_sub(more).ok_or(Undecodable::TooLarge)?;
        Ok(before)
    }
}

/// How many numbers of variable length there are: each ends with the byte that has no high bit.
fn varints(packed: &[u8]) -> usize {
    packed.iter().filter(|byte| **byte < 0x80).count()
}

/// Cuts a length and as many bytes off the beginning.
pub(crate) fn take<'w>(wire: &mut &'w [u8]) -> Result<Option<&'w [u8]>, DecodeError> {
    let whole = *wire;
    let length = decode_varint(wire)?;
    if let Some((value, rest)) = usize::try_from(length).ok().and_then(|length| wire.split_at_checked(length)) {
        *wire = rest;
        return Ok(Some(value));
    }
    *wire = whole;
    // Says what is wrong with the length.
    skip_field(WireType::LengthDelimited, 1, wire, DecodeContext::default()).map(|()| None)
}

fn below(mut error: Undecodable, field: &Field, index: u32) -> Undecodable {
    if let Undecodable::TooMany(TooMany { path, .. }) = &mut error {
        let name = field.name;
        path.insert(0, if field.entries.is_some() { format!("{name}[{index}]") } else { name.to_owned() });
    }
    error
}
