//! HTTP/2 frame by frame, for what no client sends.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::{
    doors::{self, ATTACKER},
    site::Site,
    stage::{Length, Log},
};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;
/// `END_STREAM` and `END_HEADERS`.
const WHOLE: u8 = 0x5;
const ACK: u8 = 0x1;

/// A header with a line feed, and a request behind it. It may end its connection, with GOAWAY (docs/api/compatibility.md,
/// "Malformed HTTP/2 requests"), and nobody else's: the neighbour's go on.
pub(crate) async fn line_feed(site: &Site, log: &Log, _: Length) {
    for value in [&b"a\nb"[..], b"a\rb", b"a\0b"] {
        let name = format!("a header {:?}", String::from_utf8_lossy(value));
        let answered = log.during(name.clone(), tokio::time::timeout(Duration::from_secs(10), beside(site, value))).await;
        match answered {
            Ok(Ok(())) => {}
            Ok(Err(why)) => log.wrong(format!("{name}: the connection ends without a word: {why}")),
            Err(_) => log.wrong(format!("{name}: the server neither ends the connection nor answers the request behind it")),
        }
    }
}

async fn beside(site: &Site, value: &[u8]) -> std::io::Result<()> {
    let mut stream = doors::connect(ATTACKER, site.attacked()).await?;
    let bad = [&get("/livez")[..], &literal(b"x-note", value)].concat();
    let parts = [
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        frame(SETTINGS, 0, 0, &[]),
        frame(HEADERS, WHOLE, 1, &bad),
        frame(HEADERS, WHOLE, 3, &get("/livez")),
    ];
    stream.write_all(&parts.concat()).await?;
    loop {
        let (kind, flags, number) = next(&mut stream).await?;
        match (kind, number) {
            (SETTINGS, _) if flags & ACK == 0 => stream.write_all(&frame(SETTINGS, ACK, 0, &[])).await?,
            (HEADERS | DATA, 3) | (GOAWAY, _) => return Ok(()),
            _ => {}
        }
    }
}

/// The next frame: its kind, its flags and its stream.
async fn next(stream: &mut TcpStream) -> std::io::Result<(u8, u8, u32)> {
    let mut head = [0; 9];
    stream.read_exact(&mut head).await?;
    let [a, b, c, kind, flags, stream_id @ ..] = head;
    let mut payload = vec![0; usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c)];
    stream.read_exact(&mut payload).await?;
    Ok((kind, flags, u32::from_be_bytes(stream_id)))
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("frames here are short");
    [&length.to_be_bytes()[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// The header block of a GET (RFC 7541: 0x82 is `:method: GET`, 0x86 `:scheme: http`; names 4 and 1 are path and authority).
fn get(path: &str) -> Vec<u8> {
    [&[0x82, 0x86, 0x04][..], &text(path.as_bytes()), &[0x01], &text(b"provost")].concat()
}

/// A header that is not to be indexed, with a name of its own.
fn literal(name: &[u8], value: &[u8]) -> Vec<u8> {
    [&[0][..], &text(name), &text(value)].concat()
}

/// A text of at most 126 bytes, as it is.
fn text(bytes: &[u8]) -> Vec<u8> {
    [&[u8::try_from(bytes.len()).expect("texts here are short")], bytes].concat()
}
