//! A codec that leaves messages in binary form: whoever knows their type decodes and encodes them.

use bytes::{Buf as _, BufMut as _, Bytes};
use tonic::{
    Status,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
};

/// Messages as they are on the wire, of calls that have one message each way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wire {
    /// Whether the call's message was read.
    read: bool,
}

impl Codec for Wire {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self::default()
    }

    fn decoder(&mut self) -> Self {
        Self::default()
    }
}

impl Encoder for Wire {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, out: &mut EncodeBuf<'_>) -> Result<(), Status> {
        out.put(item);
        Ok(())
    }
}

impl Decoder for Wire {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, input: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        if std::mem::replace(&mut self.read, true) {
            return Err(Status::invalid_argument("the call takes one message, and there is a second one"));
        }
        Ok(Some(input.copy_to_bytes(input.remaining())))
    }
}
