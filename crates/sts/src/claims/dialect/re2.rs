//! The syntax of RE2, as Go's `regexp/syntax` reads it with the flags of `regexp.Compile`, written out for this engine.
//!
//! What RE2 refuses is refused here. What it reads otherwise than the engine does (`{` that begins no repetition, `[` and `&&` in
//! brackets, `\Q…\E`, octal numbers, flags in the middle) is written so that the engine reads the same. Nothing else reaches it:
//! every character of the answer is a literal, an escape, or punctuation that was written here.

mod brackets;
mod escapes;

use std::fmt::Write;

/// How deep groups may be in each other. RE2 allows a thousand.
const NESTING: usize = 64;
/// The most often that anything is repeated, repetitions around it counted in.
const REPEATS: u32 = 1000;

/// Writes a pattern of RE2 in the dialect of the engine. The answer has at most thirty times the length. It matches what the
/// pattern matches; which groups there are, and what they catch, is lost.
///
/// # Errors
/// What is wrong with the pattern, with the byte where it is.
pub(super) fn translate(pattern: &str) -> Result<String, String> {
    let mut translator = Translator {
        reader: Reader { pattern, at: 0 },
        text: String::with_capacity(pattern.len() + 32),
        flags: Flags::default(),
        levels: vec![],
        heaviest: 1,
        last: None,
    };
    while let Some(c) = translator.reader.next() {
        translator.one(c)?;
    }
    match translator.levels.pop() {
        Some(level) => fault("the group has no closing )", level.opened),
        None => Ok(translator.text),
    }
}

/// An error with its place.
fn fault<T>(what: &str, at: usize) -> Result<T, String> {
    Err(format!("is no valid pattern: {what} (at byte {at})"))
}

/// What is left of a pattern.
struct Reader<'p> {
    pattern: &'p str,
    at: usize,
}

impl<'p> Reader<'p> {
    fn rest(&self) -> &'p str {
        self.pattern.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Passes over `text` if it comes next.
    fn takes(&mut self, text: &str) -> bool {
        let comes = self.rest().starts_with(text);
        self.at += if comes { text.len() } else { 0 };
        comes
    }

    /// What comes before `end`, and passes over both; `None` if there is no such end.
    fn until(&mut self, end: &str) -> Option<&'p str> {
        let (before, _) = self.rest().split_once(end)?;
        self.at += before.len() + end.len();
        Some(before)
    }
}

/// What a part of a pattern says of its letters, lines and dots. Which match is the longest (`U`) does not matter to whole texts.
#[derive(Clone, Copy, Default)]
struct Flags {
    ignores_case: bool,
    is_multi_line: bool,
    dot_is_all: bool,
}

/// A group that is open.
struct Level {
    opened: usize,
    start: usize,
    flags: Flags,
    heaviest: u32,
}

/// What a repetition would repeat.
#[derive(Clone, Copy)]
struct Last {
    /// Where it begins in the answer.
    start: usize,
    /// How often a part of it is repeated at most.
    weight: u32,
    /// Where the repetition ends in the pattern that it is itself.
    repeated_until: Option<usize>,
}

struct Translator<'p> {
    reader: Reader<'p>,
    text: String,
    flags: Flags,
    levels: Vec<Level>,
    /// The largest weight in the group so far.
    heaviest: u32,
    last: Option<Last>,
}

impl Translator<'_> {
    fn one(&mut self, c: char) -> Result<(), String> {
        let at = self.reader.at - c.len_utf8();
        match c {
            '(' => self.open(at)?,
            ')' => self.close(at)?,
            '|' => {
                self.text.push('|');
                self.last = None;
            }
            '^' => self.atom(if self.flags.is_multi_line { "(?m:^)" } else { "^" }),
            '$' => self.atom(if self.flags.is_multi_line { "(?m:$)" } else { "$" }),
            '.' => self.atom(if self.flags.dot_is_all { "(?s:.)" } else { "." }),
            '[' => {
                let class = brackets::read(&mut self.reader, at)?;
                self.letters(&class);
            }
            '*' | '+' | '?' => self.repeat(at, &c.to_string(), None)?,
            '{' => match self.bounds(at)? {
                Some((text, most)) => self.repeat(at, &text, Some(most))?,
                None => self.literal(c),
            },
            '\\' => self.escape(at)?,
            _ => self.literal(c),
        }
        Ok(())
    }

    /// Adds something that a repetition repeats as a whole.
    fn atom(&mut self, text: &str) {
        self.last = Some(Last { start: self.text.len(), weight: 1, repeated_until: None });
        self.text.push_str(text);
    }

    /// The same of what has letters in it.
    fn letters(&mut self, text: &str) {
        if self.flags.ignores_case { self.atom(&format!("(?i:{text})")) } else { self.atom(text) }
    }

    fn literal(&mut self, c: char) {
        let mut text = String::new();
        write_char(c, &mut text);
        if c.is_ascii() && !c.is_ascii_alphabetic() { self.atom(&text) } else { self.letters(&text) }
    }

    fn open(&mut self, at: usize) -> Result<(), String> {
        if self.reader.rest().starts_with('?') && !self.named(at)? {
            let (flags, is_group) = self.flags_of(at)?;
            if !is_group {
                self.flags = flags;
                return Ok(());
            }
            self.group(at)?;
            self.flags = flags;
            return Ok(());
        }
        self.group(at)
    }

    fn group(&mut self, at: usize) -> Result<(), String> {
        if self.levels.len() == NESTING {
            return fault(&format!("groups are more than {NESTING} deep in each other"), at);
        }
        self.levels.push(Level { opened: at, start: self.text.len(), flags: self.flags, heaviest: self.heaviest });
        self.text.push_str("(?:");
        (self.heaviest, self.last) = (1, None);
        Ok(())
    }

    fn close(&mut self, at: usize) -> Result<(), String> {
        let Some(level) = self.levels.pop() else { return fault("no group is open that ) closes", at) };
        self.text.push(')');
        self.last = Some(Last { start: level.start, weight: self.heaviest, repeated_until: None });
        self.heaviest = self.heaviest.max(level.heaviest);
        self.flags = level.flags;
        Ok(())
    }

    /// Passes over `?P<name>` or `?<name>`; false if something else comes.
    fn named(&mut self, at: usize) -> Result<bool, String> {
        if !self.reader.takes("?P<") && !self.reader.takes("?<") {
            return Ok(false);
        }
        let name = self.reader.until(">").filter(|name| !name.is_empty());
        if name.is_some_and(|name| name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric())) {
            Ok(true)
        } else {
            fault("the name of a group must be letters of ASCII, digits and underscores between < and >", at)
        }
    }

    /// Reads `?flags)` or `?flags:`: what holds from here on, and whether a group begins.
    fn flags_of(&mut self, at: usize) -> Result<(Flags, bool), String> {
        self.reader.takes("?");
        let (mut flags, mut set, mut any) = (self.flags, true, false);
        loop {
            match self.reader.next() {
                Some('i') => flags.ignores_case = set,
                Some('m') => flags.is_multi_line = set,
                Some('s') => flags.dot_is_all = set,
                Some('U') => {}
                Some('-') if set => {
                    (set, any) = (false, false);
                    continue;
                }
                Some(end @ (':' | ')')) if set || any => return Ok((flags, end == ':')),
                Some(_) => {
                    return fault("after (? stand flags (i, m, s, U), P<name>, <name> or a colon; RE2 has no look-around", at);
                }
                None => return fault("the group has no closing )", at),
            }
            any = true;
        }
    }

    /// Reads `n}`, `n,}` or `n,m}` behind a brace: how it is written, and how often it repeats at most. Anything else is no
    /// repetition, and the brace is a literal.
    fn bounds(&mut self, at: usize) -> Result<Option<(String, u32)>, String> {
        let Some((inside, _)) = self.reader.rest().split_once('}') else { return Ok(None) };
        let (least, most) = match inside.split_once(',') {
            None => (number(inside), Some(number(inside))),
            Some((least, "")) => (number(least), None),
            Some((least, most)) => (number(least), Some(number(most))),
        };
        let (Some(least), Some(most)) = (least, most.map_or(Some(None), |most| most.map(Some))) else { return Ok(None) };
        if least > REPEATS || most.is_some_and(|most| most > REPEATS || most < least) {
            return fault(&format!("a repetition is from a number to one that is not smaller, and {REPEATS} at most"), at);
        }
        self.reader.at += inside.len() + 1;
        Ok(Some((most.map_or_else(|| format!("{{{least},}}"), |most| format!("{{{least},{most}}}")), most.unwrap_or(least))))
    }

    /// Repeats what stands last. `most` is how often, for one that has bounds.
    fn repeat(&mut self, at: usize, how: &str, most: Option<u32>) -> Result<(), String> {
        self.reader.takes("?");
        let Some(last) = self.last else { return fault("nothing is there to be repeated", at) };
        if last.repeated_until == Some(at) {
            return fault("a repetition is repeated: put it in a group", at);
        }
        // None at all: whatever is in it does not count.
        let weight = last.weight.saturating_mul(most.unwrap_or(1).max(1));
        let weight = if most == Some(0) { 1 } else { weight };
        if most.is_some_and(|most| most > 1) && weight > REPEATS {
            return fault(&format!("something is repeated more than {REPEATS} times, repetitions around it counted in"), at);
        }
        if last.repeated_until.is_some() {
            self.text.insert_str(last.start, "(?:");
            self.text.push(')');
        }
        self.text.push_str(how);
        self.heaviest = self.heaviest.max(weight);
        self.last = Some(Last { weight, repeated_until: Some(self.reader.at), ..last });
        Ok(())
    }

    fn escape(&mut self, at: usize) -> Result<(), String> {
        let Some(c) = self.reader.peek() else { return fault("nothing stands behind \\", at) };
        let assertion = match c {
            'A' => "\\A",
            'z' => "\\z",
            'b' => "(?-u:\\b)",
            'B' => "(?-u:\\B)",
            'Q' => {
                self.reader.next();
                let text = self.reader.until("\\E").unwrap_or_else(|| {
                    let rest = self.reader.rest();
                    self.reader.at += rest.len();
                    rest
                });
                text.chars().for_each(|c| self.literal(c));
                return Ok(());
            }
            _ => {
                match escapes::class(&mut self.reader, at)? {
                    Some(class) => self.letters(&class),
                    None => self.escaped_literal(at)?,
                }
                return Ok(());
            }
        };
        self.reader.next();
        self.atom(assertion);
        Ok(())
    }

    fn escaped_literal(&mut self, at: usize) -> Result<(), String> {
        let c = escapes::character(&mut self.reader, at)?;
        self.literal(c);
        Ok(())
    }
}

/// A number as repetitions have it: without zeros in front.
fn number(digits: &str) -> Option<u32> {
    let is_number =
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    is_number.then(|| digits.parse().unwrap_or(u32::MAX))
}

/// Writes a character so that it stands for itself, in brackets too.
fn write_char(c: char, text: &mut String) {
    if c.is_ascii_alphanumeric() || !c.is_ascii() {
        text.push(c);
    } else {
        // It cannot fail: a string takes whatever is written.
        _ = write!(text, "\\x{{{:X}}}", u32::from(c));
    }
}
