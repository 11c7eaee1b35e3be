//! The grammar of JSON (RFC 8259).

use std::{borrow::Cow, collections::HashSet};

use super::{Document, Member, Node, Value};
use crate::wire::{
    JsonError,
    error::{cut, shown},
    scalar,
};

/// Reads one JSON text and nothing after it.
pub(super) fn parse(text: &[u8]) -> Result<Node<'_>, JsonError> {
    let located = |wrong: Wrong| JsonError::at(text, wrong.at, String::new(), wrong.message);
    let utf8 = str::from_utf8(text)
        .map_err(|error| located(Wrong { at: error.valid_up_to(), message: "the text is not UTF-8".to_owned() }))?;
    Parser::new(utf8).document().map_err(located)
}

struct Wrong {
    at: usize,
    message: String,
}

type Result<T, E = Wrong> = std::result::Result<T, E>;

/// A place in a JSON text.
pub(super) struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// How many values may still come.
    left: usize,
}

impl<'a> Parser<'a> {
    /// The beginning of a text.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, left: Document::MAX_VALUES }
    }

    /// The next byte that is no space.
    pub(super) fn next(&mut self) -> Option<u8> {
        self.skip_space();
        self.peek()
    }

    /// Goes on by one byte of ASCII.
    pub(super) fn step(&mut self) {
        self.at += 1;
    }

    /// The string that begins here, if it is one.
    pub(super) fn text(&mut self) -> Option<Cow<'a, str>> {
        self.string().ok()
    }

    /// Goes on to the end of the value that begins here, without a judgement of what is in it. `None` when it has no end.
    pub(super) fn pass(&mut self) -> Option<()> {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_');
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => self.pass_string()?,
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                byte if is_part(&byte) => {
                    while self.peek().as_ref().is_some_and(is_part) {
                        self.at += 1;
                    }
                }
                // Between values; anywhere else, the text is not JSON.
                _ => self.at += 1,
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    fn pass_string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            self.span(|byte| byte != b'"' && byte != b'\\');
            let special = self.peek()?;
            self.at += 1;
            if special == b'"' {
                return Some(());
            }
            // What is escaped may be a quote, or the beginning of a longer character, whose end no one stops at.
            self.at += 1;
        }
    }

    fn document(&mut self) -> Result<Node<'a>> {
        let node = self.node(0)?;
        self.skip_space();
        match self.peek() {
            None => Ok(node),
            Some(_) => self.wrong("expected nothing more after the value"),
        }
    }

    fn node(&mut self, depth: usize) -> Result<Node<'a>> {
        self.skip_space();
        let at = self.at;
        let Some(left) = self.left.checked_sub(1) else {
            return self.wrong(format!("the body has more than {} values", Document::MAX_VALUES));
        };
        self.left = left;
        let value = match self.peek() {
            Some(b'{' | b'[') if depth >= Document::MAX_DEPTH => {
                return self.wrong(format!("nested deeper than {} levels", Document::MAX_DEPTH));
            }
            Some(b'{') => self.object(depth + 1)?,
            Some(b'[') => self.array(depth + 1)?,
            Some(b'"') => Value::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b'a'..=b'z' | b'A'..=b'Z') => self.word()?,
            _ => return self.wrong("expected a value"),
        };
        Ok(Node { at, value })
    }

    fn object(&mut self, depth: usize) -> Result<Value<'a>> {
        let mut members: Vec<Member<'a>> = Vec::new();
        let mut keys = HashSet::new();
        self.at += 1;
        self.skip_space();
        if self.take(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.skip_space();
            let at = self.at;
            if self.peek() != Some(b'"') {
                return self.wrong("expected a key in quotes");
            }
            let key = self.string()?;
            if !keys.insert(key.clone()) {
                return Err(Wrong { at, message: format!("the key {} is given twice", shown(&key)) });
            }
            self.skip_space();
            if !self.take(b':') {
                return self.wrong("expected ':' after the key");
            }
            let node = self.node(depth)?;
            members.push(Member { at, key, node });
            self.skip_space();
            if self.take(b'}') {
                return Ok(Value::Object(members));
            }
            if !self.take(b',') {
                return self.wrong("expected ',' or '}'");
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value<'a>> {
        let mut nodes = Vec::new();
        self.at += 1;
        self.skip_space();
        if self.take(b']') {
            return Ok(Value::Array(nodes));
        }
        loop {
            nodes.push(self.node(depth)?);
            self.skip_space();
            if self.take(b']') {
                return Ok(Value::Array(nodes));
            }
            if !self.take(b',') {
                return self.wrong("expected ',' or ']'");
            }
        }
    }

    fn number(&mut self) -> Result<Value<'a>> {
        let number = self.span(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
        if scalar::is_number(number) {
            Ok(Value::Number(number))
        } else {
            Err(Wrong { at: self.at - number.len(), message: format!("{} is not a number", cut(number)) })
        }
    }

    fn word(&mut self) -> Result<Value<'a>> {
        let word = self.span(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        match word {
            "null" => Ok(Value::Null),
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ => Err(Wrong {
                at: self.at - word.len(),
                message: format!("{} is not a value; text goes in double quotes", cut(word)),
            }),
        }
    }

    fn string(&mut self) -> Result<Cow<'a, str>> {
        let opening = self.at;
        self.at += 1;
        let mut owned: Option<String> = None;
        loop {
            let plain = self.span(|byte| byte >= b' ' && byte != b'"' && byte != b'\\');
            let special = self.peek();
            match (&mut owned, special) {
                (_, None) => return Err(Wrong { at: opening, message: "the string is not closed".to_owned() }),
                (None, Some(b'"')) => {
                    self.at += 1;
                    return Ok(Cow::Borrowed(plain));
                }
                (Some(text), Some(b'"')) => {
                    self.at += 1;
                    text.push_str(plain);
                    return Ok(Cow::Owned(std::mem::take(text)));
                }
                (owned, Some(b'\\')) => {
                    let text = owned.get_or_insert_default();
                    text.push_str(plain);
                    let escaped = self.escape()?;
                    text.push(escaped);
                }
                _ => return self.wrong("control characters in strings must be escaped"),
            }
        }
    }

    fn escape(&mut self) -> Result<char> {
        let at = self.at;
        self.at += 1;
        let letter = self.peek();
        self.at += usize::from(letter.is_some_and(|byte| byte.is_ascii()));
        match letter {
            Some(b'"') => Ok('"'),
            Some(b'\\') => Ok('\\'),
            Some(b'/') => Ok('/'),
            Some(b'b') => Ok('\u{8}'),
            Some(b'f') => Ok('\u{c}'),
            Some(b'n') => Ok('\n'),
            Some(b'r') => Ok('\r'),
            Some(b't') => Ok('\t'),
            Some(b'u') => self.unicode(at),
            _ => {
                Err(Wrong { at, message: "no such escape; the escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uHHHH".to_owned() })
            }
        }
    }

    /// What follows `\u`: four hex digits or, for characters beyond them, two halves (RFC 8259, section 7).
    fn unicode(&mut self, at: usize) -> Result<char> {
        let alone = || Wrong { at, message: "half of a surrogate pair".to_owned() };
        let first = self.hex(at)?;
        let code = match first {
            0xD800..=0xDBFF => {
                if !(self.take(b'\\') && self.take(b'u')) {
                    return Err(alone());
                }
                let second = self.hex(at)?;
                let low = second.checked_sub(0xDC00).filter(|low| *low < 0x400).ok_or_else(alone)?;
                0x1_0000 + ((first - 0xD800) << 10) + low
            }
            code => code,
        };
        char::from_u32(code).ok_or_else(alone)
    }

    fn hex(&mut self, at: usize) -> Result<u32> {
        let digits = self.text.get(self.at..self.at + 4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.at += 4;
        code.ok_or_else(|| Wrong { at, message: "\\u must be followed by four hex digits".to_owned() })
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn skip_space(&mut self) {
        self.span(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    }

    /// Consumes bytes as long as they fit. Callers only stop at ASCII, so the cut is on a character boundary.
    fn span(&mut self, fits: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.bytes().position(|byte| !fits(byte)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    fn wrong<T>(&self, message: impl Into<String>) -> Result<T> {
        let message = message.into();
        let message = if self.at >= self.text.len() { format!("{message}, but the text ends") } else { message };
        Err(Wrong { at: self.at, message })
    }
}
