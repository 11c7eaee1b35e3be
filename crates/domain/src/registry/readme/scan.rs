//! Looks for what is active in Markdown without rendering it.
//!
//! Raw HTML is judged tag by tag, wherever it is not certain to be code. What readers of Markdown may understand differently is refused:
//! an answer that is too strict costs its author a line, one that is too lenient costs the reader.

/// What is wrong, and where.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) line: usize,
    pub(super) why: &'static str,
}

type Checked<T> = Result<T, &'static str>;

/// Elements that raw HTML may have.
const ELEMENTS: &[&str] = &[
    "a",
    "abbr",
    "b",
    "blockquote",
    "br",
    "caption",
    "center",
    "code",
    "dd",
    "del",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "img",
    "ins",
    "kbd",
    "li",
    "mark",
    "ol",
    "p",
    "q",
    "s",
    "samp",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
];
/// Attributes that each of them may have.
const EVERYWHERE: &[&str] = &["id", "title", "align", "dir", "lang"];
/// Attributes that one of them may have as well.
const SOMEWHERE: &[(&str, &[&str])] = &[
    ("a", &["href", "name"]),
    ("img", &["src", "alt", "width", "height"]),
    ("td", &["colspan", "rowspan", "valign"]),
    ("th", &["colspan", "rowspan", "valign", "scope"]),
    ("ol", &["start", "type"]),
    ("details", &["open"]),
];
/// Where links and images may lead; relative references lead there, too.
const SCHEMES: [&str; 3] = ["http", "https", "mailto"];

/// Longest beginning of a link in bytes in which a scheme may stand.
const SCHEME: usize = 32;

const TAG: &str = "has HTML that is not among what is allowed; write &lt; for a less-than sign, or put code between ``` lines";
const LINK: &str = "leads elsewhere than to http, https or mailto";

/// Where the text stands, from line to line.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "facts about a place in the text, none of which follows from another")]
struct Scan {
    fence: Option<Fence>,
    /// Whether there was HTML since the last blank line, in which nothing is code.
    html: bool,
    /// Whether a code span was left open since the last blank line, after which nothing is certain to be code.
    ticks: bool,
    comment: bool,
    /// Whether what stands first on the line is where a link leads.
    destination: bool,
}

/// A fenced code block that is open.
struct Fence {
    mark: char,
    len: usize,
    indent: usize,
}

/// Judges a text.
pub(super) fn check(text: &str) -> Result<(), Refused> {
    let mut scan = Scan::default();
    for (number, line) in text.lines().enumerate() {
        scan.line(line).map_err(|why| Refused { line: number + 1, why })?;
    }
    Ok(())
}

impl Scan {
    fn line(&mut self, line: &str) -> Checked<()> {
        let text = line.trim();
        let indent = indent(line);
        if self.comment {
            return self.end_of_comment(line);
        }
        if text.is_empty() {
            (self.html, self.ticks, self.destination) = (false, false, false);
            return Ok(());
        }
        if let Some(fence) = &self.fence {
            if indent < fence.indent {
                return Err("is less indented than the code block that it is in");
            }
            if is_end(text, fence) {
                if indent != fence.indent || run(text, fence.mark) != fence.len {
                    return Err("ends a code block otherwise than that begins; use the same indentation and length");
                }
                self.fence = None;
            } else if fence.indent > 3 {
                // It may be no code block for who counts indentation otherwise.
                self.ticks = true;
                return self.text(line);
            }
            return Ok(());
        }
        if let Some((mark, len)) = begins(text) {
            if self.html {
                return Err("begins a code block next to HTML; put a blank line between them");
            }
            self.fence = Some(Fence { mark, len, indent });
            return Ok(());
        }
        if begins(behind_markers(text)).is_some() {
            return Err("begins a code block behind a list or quotation mark; put it on a line of its own");
        }
        if std::mem::take(&mut self.destination) {
            destination(line.trim_start())?;
        }
        self.text(line)
    }

    /// Judges text that is not in a code block.
    fn text(&mut self, line: &str) -> Checked<()> {
        let mut rest = line;
        while let Some(at) = rest.find(['<', '`', '\\', ']']) {
            let (_, found) = rest.split_at(at);
            rest = match found.as_bytes() {
                [b'\\', next, ..] if next.is_ascii_punctuation() && !self.html => found.get(2..),
                [b'`', ..] => Some(self.span(found)),
                [b']', next @ (b'(' | b':'), ..] => {
                    let to = found.get(2..).unwrap_or_default().trim_start();
                    if to.is_empty() || (*next == b'(' && to == "<") {
                        self.destination = true;
                    } else {
                        destination(to)?;
                    }
                    found.get(1..)
                }
                [b'<', ..] => Some(self.angle(found)?),
                _ => found.get(1..),
            }
            .unwrap_or_default();
        }
        Ok(())
    }

    /// Passes over a code span that ends on the line.
    fn span<'t>(&mut self, text: &'t str) -> &'t str {
        let len = run(text, '`');
        let behind = text.get(len..).unwrap_or_default();
        if self.html || self.ticks {
            return behind;
        }
        let mut rest = behind;
        while let Some(at) = rest.find('`') {
            let (_, ticks) = rest.split_at(at);
            let found = run(ticks, '`');
            rest = ticks.get(found..).unwrap_or_default();
            if found == len {
                return rest;
            }
        }
        self.ticks = true;
        behind
    }

    /// Judges what begins with a less-than sign; answers what is behind it.
    fn angle<'t>(&mut self, text: &'t str) -> Checked<&'t str> {
        let inside = text.get(1..).unwrap_or_default();
        if let Some(comment) = inside.strip_prefix("!--") {
            self.html = true;
            if comment.starts_with('>') || comment.starts_with("->") {
                return Err("has a comment that ends where it begins");
            }
            self.comment = true;
            self.end_of_comment(comment)?;
            return Ok("");
        }
        match inside.bytes().next() {
            Some(b'!' | b'?') => Err(TAG),
            Some(b'/' | b'a'..=b'z' | b'A'..=b'Z') => {
                if let Some((to, behind)) = link(inside) {
                    return destination(to).map(|()| behind);
                }
                self.html = true;
                tag(inside)
            }
            _ => Ok(inside),
        }
    }

    /// Looks for the end of a comment; what is behind it is text.
    fn end_of_comment(&mut self, text: &str) -> Checked<()> {
        let Some((comment, behind)) = text.split_once("-->") else {
            return if text.contains("--!>") { Err("has a comment that ends with an exclamation mark") } else { Ok(()) };
        };
        if comment.contains("--!>") {
            return Err("has a comment that ends with an exclamation mark");
        }
        (self.comment, self.html) = (false, true);
        self.text(behind)
    }
}

/// How far a line is indented; a tab leads to the next multiple of four.
fn indent(line: &str) -> usize {
    line.chars().take_while(|c| matches!(c, ' ' | '\t')).fold(0, |at, c| if c == '\t' { (at / 4 + 1) * 4 } else { at + 1 })
}

/// How often the mark stands at the beginning.
fn run(text: &str, mark: char) -> usize {
    text.chars().take_while(|c| *c == mark).count()
}

/// The mark of a code block that a line begins, and how often it stands there.
fn begins(text: &str) -> Option<(char, usize)> {
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let len = run(text, mark);
    let rest = text.get(len..).unwrap_or_default();
    (len >= 3 && (mark == '~' || !rest.contains('`'))).then_some((mark, len))
}

/// Whether a line may end the code block.
fn is_end(text: &str, fence: &Fence) -> bool {
    let len = run(text, fence.mark);
    len >= fence.len && text.len() == len
}

/// What is behind the marks of quotations and of items of lists.
fn behind_markers(mut text: &str) -> &str {
    loop {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let behind = match text.get(digits..).unwrap_or_default() {
            rest if digits == 0 => rest.strip_prefix(['>', '-', '*', '+']),
            rest => rest.strip_prefix(['.', ')']),
        };
        match behind {
            Some(rest) => text = rest.trim_start(),
            None => return text,
        }
    }
}

/// A link between angle brackets, `scheme:…>` or `name@host>`, and what is behind it.
fn link(inside: &str) -> Option<(&str, &str)> {
    let (to, behind) = inside.split_once('>')?;
    let is_scheme = |scheme: &str| scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'.' | b'-'));
    let has_scheme = to.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme));
    let is_mail = to.contains('@') && !to.contains(['"', '\'', '=', '/']);
    (!to.contains([' ', '\t', '<']) && (has_scheme || is_mail)).then_some((to, behind))
}

/// Judges where a link leads, by as much of that as a scheme may take.
fn destination(text: &str) -> Checked<()> {
    let text = text.get(..text.floor_char_boundary(SCHEME)).unwrap_or(text);
    let (to, may_be_spaced) = match text.strip_prefix('<') {
        Some(rest) => (rest.split('>').next().unwrap_or_default(), true),
        None => (text.split([' ', '\t', ')']).next().unwrap_or_default(), false),
    };
    let head = to.split(['/', '?', '#']).next().unwrap_or_default();
    // What spells a scheme otherwise than by its letters.
    if head.contains(['&', '\\']) || (may_be_spaced && head.contains(['\t', ' ']) && head.contains(':')) {
        return Err(LINK);
    }
    match head.split_once(':') {
        Some((scheme, _)) if !SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known)) && !to.ends_with(':') => Err(LINK),
        _ => Ok(()),
    }
}

/// Judges a tag behind its less-than sign (`CommonMark`, section "Raw HTML"); answers what is behind it.
fn tag(inside: &str) -> Checked<&str> {
    let (is_end, text) = match inside.strip_prefix('/') {
        Some(rest) => (true, rest),
        None => (false, inside),
    };
    let (name, mut rest) = word(text, |b| b.is_ascii_alphanumeric());
    let element = ELEMENTS.iter().find(|known| name.eq_ignore_ascii_case(known)).ok_or(TAG)?;
    loop {
        let next = rest.trim_start_matches([' ', '\t']);
        if let Some(behind) = next.strip_prefix('>').or_else(|| next.strip_prefix("/>")) {
            return Ok(behind);
        }
        if is_end || next.len() == rest.len() {
            return Err(TAG);
        }
        rest = attribute(element, next)?;
    }
}

/// Judges an attribute; answers what is behind it.
fn attribute<'t>(element: &str, text: &'t str) -> Checked<&'t str> {
    let (name, behind) = word(text, |b| b.is_ascii_alphanumeric() || b == b'-');
    let of_element = SOMEWHERE.iter().filter(|(known, _)| *known == element).flat_map(|(_, names)| names.iter());
    let is_known = EVERYWHERE.iter().chain(of_element).any(|known| name.eq_ignore_ascii_case(known));
    let is_language = element == "code" && name.eq_ignore_ascii_case("class");
    if !is_known && !is_language {
        return Err(TAG);
    }
    let Some(value) = behind.trim_start_matches([' ', '\t']).strip_prefix('=') else { return Ok(behind) };
    let value = value.trim_start_matches([' ', '\t']);
    let (value, behind) = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value.get(1..).unwrap_or_default().split_once(quote).ok_or(TAG)?,
        _ => word(value, |b| !matches!(b, b' ' | b'\t' | b'"' | b'\'' | b'=' | b'<' | b'>' | b'`')),
    };
    if ["href", "src"].iter().any(|known| name.eq_ignore_ascii_case(known)) {
        let head = value.split(['/', '?', '#']).next().unwrap_or_default();
        if head.contains([' ', '\t', '<', ')']) {
            return Err(LINK);
        }
        destination(value)?;
    }
    if is_language && !value.strip_prefix("language-").is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_alphanumeric())) {
        return Err(TAG);
    }
    Ok(behind)
}

/// The bytes at the beginning that are of that kind, and the rest.
fn word(text: &str, is_part: impl Fn(u8) -> bool) -> (&str, &str) {
    let end = text.bytes().position(|byte| !is_part(byte)).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or(("", text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_readmes_have_is_taken() {
        for text in [
            "",
            "# nginx\n\nA *web* server, `docker run <image>` & more: 1 < 2, a <- b.",
            "```sh\ndocker run <image>\n```\n\n~~~\n<script>\n~~~",
            "1. Do\n\n   ```\n   <x>\n   ```\n2. More",
            "<!--monopod:start-->\n# x\n<!--monopod:end-->\n",
            "<!-- a\n<script>\n\n-->\ntext",
            "<div align=\"center\"><img src=\"https://a.example/x.png\" width=10 height='20'/></div>",
            "[a](https://b.example/c:d) ![b](img/x.png \"t\") <https://c.example> <me@example.com>\n\n[d]: mailto:x@example.com",
            "<details open>\n<summary>More</summary>\n\n```\n<x>\n```\n\n</details>",
            "<code class=\"language-go\">x</code>",
            "\\<script>",
            "``a ` <b onclick=x> `` c",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn what_is_active_is_refused() {
        for (text, line) in [
            ("a\n<script>alert(1)</script>", 2),
            ("<SCRIPT>", 1),
            ("<b onclick=alert(1)>", 1),
            ("<b style='x'>", 1),
            ("<iframe src=\"https://a.example\">", 1),
            ("<img src=x onerror=alert(1)>", 1),
            ("<img src=x\nonerror=alert(1)>", 1),
            ("<a href=\"javascript:alert(1)\">", 1),
            ("<a href=\" javascript:alert(1)\">", 1),
            ("<a href=\"java&#115;cript:alert(1)\">", 1),
            ("[a](javascript:alert(1))", 1),
            ("[a](JavaScript&colon;alert(1))", 1),
            ("[a](<java\tscript:alert(1)>)", 1),
            ("[a](\njavascript:alert(1))", 2),
            ("[a]: data:text/html,x", 1),
            ("[a]:\n  javascript:alert(1)", 2),
            ("<javascript:alert(1)>", 1),
            ("<svg>", 1),
            ("<!doctype html>", 1),
            ("<?php ?>", 1),
            ("<!--><script>", 1),
            ("<!-- --!><script> -->", 1),
            ("<!-- -->\n<script>", 2),
            ("<pre>\n\n```\n</pre><script>", 1),
        ] {
            assert_eq!(check(text).map_err(|refused| refused.line), Err(line), "{text}");
        }
    }

    /// Where one reader sees code and another one does not.
    #[test]
    fn code_is_what_everybody_takes_for_code() {
        for (text, line) in [
            ("`\n` <script> `", 2),
            ("\\` <script> `", 1),
            ("<div>\n`<script>`\n</div>", 2),
            ("<div>\n```\n<script>\n```", 2),
            ("<div>\n\\<script>", 2),
            ("a ` b\n```\n\n```\n<script>", 5),
            ("- ```\n  ```\n  <script>", 1),
            ("> ```\n> x", 1),
            ("- a\n\n  ```\n<script>\n  ```", 4),
            ("1. a\n\n    ```\n    <script>\n    ```", 4),
            ("para\n    ```\n    <b onclick=x>\n", 3),
            ("```\n  ```\n<script>", 2),
            ("```\n````\n<script>", 2),
            ("`` a ` <script> `", 1),
        ] {
            assert_eq!(check(text).map_err(|refused| refused.line), Err(line), "{text}");
        }
    }

    #[test]
    fn no_text_takes_long() {
        for unit in ["`", "<", "](", "``a", "<!--", "- ", "\\"] {
            let text = unit.repeat(super::super::Readme::MAX_LEN / unit.len());
            let _ = check(&text);
        }
    }
}
