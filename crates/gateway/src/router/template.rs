//! Path templates of `google.api.http` rules: what they are made of, how they are read and what they match.
//!
//! ```text
//! template = "/" segment { "/" segment } [ ":" verb ]
//! segment  = "*" | "**" | literal | "{" field [ "=" segment { "/" segment } ] "}"
//! field    = name { "." name }
//! ```
//!
//! `**` may stand anywhere, once per template, and matches any number of segments, none included.

use std::fmt;

/// A compiled template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    segments: Vec<Segment>,
    /// The place of the one `**`, if there is one.
    many: Option<usize>,
    verb: Option<Box<str>>,
    variables: Vec<Variable>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    /// This text.
    Literal(Box<str>),
    /// Any one segment.
    One,
    /// Any number of segments.
    Many,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Variable {
    field: Box<str>,
    /// The template segments that it captures.
    first: usize,
    len: usize,
}

/// A template is not one that this server can route. Says where and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TemplateError {
    at: usize,
    problem: &'static str,
}

/// A captured part of a path: the field that it fills and its text, still percent-encoded.
pub(crate) type Capture<'t, 'p> = (&'t str, &'p str);

impl Template {
    /// Reads a template.
    pub(crate) fn parse(text: &str) -> Result<Self, TemplateError> {
        Parser { text, at: 0 }.template()
    }

    /// The custom verb after the colon.
    pub(crate) fn verb(&self) -> Option<&str> {
        self.verb.as_deref()
    }

    /// The literal segments before the first wildcard.
    pub(crate) fn literal_prefix(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().map_while(|segment| match segment {
            Segment::Literal(text) => Some(&**text),
            Segment::One | Segment::Many => None,
        })
    }

    /// The fields that the path fills, in the order of the template.
    #[cfg(test)]
    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(|variable| &*variable.field)
    }

    /// How specific the template is: of several that match a path, the greatest is meant.
    /// A verb wins, then the longer literal prefix, then the absence of `**`, then the length.
    pub(crate) fn rank(&self) -> impl Ord + use<> {
        (self.verb.is_some(), self.literal_prefix().count(), self.many.is_none(), self.segments.len())
    }

    /// Whether both match exactly the same paths.
    pub(crate) fn matches_like(&self, other: &Self) -> bool {
        self.segments == other.segments && self.verb == other.verb
    }

    /// Whether it matches the segments of a path, whose verb was already split off and compared.
    pub(crate) fn matches(&self, path: &Segments<'_>) -> bool {
        let has_length = match self.many {
            None => path.len() == self.segments.len(),
            Some(_) => path.len() + 1 >= self.segments.len(),
        };
        let fits = |(at, segment): (usize, &Segment)| match segment {
            Segment::Literal(text) => path.get(self.start(at, path)) == Some(&**text),
            Segment::One => path.get(self.start(at, path)).is_some_and(|text| !text.is_empty()),
            Segment::Many => true,
        };
        has_length && self.segments.iter().enumerate().all(fits)
    }

    /// What it captures of a path that it matches.
    pub(crate) fn captures<'t, 'p>(&'t self, path: &Segments<'p>) -> impl Iterator<Item = Capture<'t, 'p>> {
        self.variables.iter().map(move |variable| {
            let (from, to) = (self.start(variable.first, path), self.start(variable.first + variable.len, path));
            (&*variable.field, path.join(from, to))
        })
    }

    /// The path segment where a template segment starts: those after `**` are moved by what `**` swallowed.
    fn start(&self, segment: usize, path: &Segments<'_>) -> usize {
        match self.many {
            Some(many) if segment > many => (segment + path.len()).saturating_sub(self.segments.len()),
            _ => segment,
        }
    }
}

/// A path cut at its slashes, without copying it.
#[derive(Debug)]
pub(crate) struct Segments<'p> {
    path: &'p str,
    /// Where each segment starts, and one past the end of the path.
    starts: Vec<usize>,
}

impl<'p> Segments<'p> {
    /// Cuts `path`, which starts with a slash.
    pub(crate) fn cut(path: &'p str) -> Self {
        let mut starts = Vec::with_capacity(16);
        starts.extend(path.match_indices('/').map(|(at, _)| at + 1).chain([path.len() + 1]));
        Self { path, starts }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn get(&self, at: usize) -> Option<&'p str> {
        (at < self.len()).then(|| self.join(at, at + 1))
    }

    /// The text from segment `first` up to segment `end`, without the slash after it. Empty when the range is.
    fn join(&self, first: usize, end: usize) -> &'p str {
        let edge = |at: usize| self.starts.get(at).copied();
        match (edge(first), edge(end)) {
            (Some(from), Some(to)) => self.path.get(from..to - 1).unwrap_or_default(),
            _ => "",
        }
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Parser<'t> {
    fn template(mut self) -> Result<Template, TemplateError> {
        let mut template = Template { segments: Vec::new(), many: None, verb: None, variables: Vec::new() };
        self.expect('/', "a template starts with a slash")?;
        self.segments(&mut template, false)?;
        if self.eat(':') {
            template.verb = Some(self.literal("a verb follows the colon")?.into());
        }
        if self.at != self.text.len() {
            return self.fail("unexpected text after the template");
        }
        let mut many = template.segments.iter().enumerate().filter(|(_, segment)| **segment == Segment::Many);
        template.many = many.next().map(|(at, _)| at);
        if many.next().is_some() {
            return self.fail("a template has at most one `**`");
        }
        Ok(template)
    }

    fn segments(&mut self, template: &mut Template, inside_variable: bool) -> Result<(), TemplateError> {
        loop {
            if self.eat('{') {
                if inside_variable {
                    return self.fail("a variable cannot hold another one");
                }
                self.variable(template)?;
            } else if self.rest().starts_with("**") {
                self.at += 2;
                template.segments.push(Segment::Many);
            } else if self.eat('*') {
                template.segments.push(Segment::One);
            } else {
                let text = self.literal("a segment is a literal, `*`, `**` or a variable")?;
                template.segments.push(Segment::Literal(text.into()));
            }
            if !self.eat('/') {
                return Ok(());
            }
        }
    }

    fn variable(&mut self, template: &mut Template) -> Result<(), TemplateError> {
        let field = self.take(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
        if field.split('.').any(str::is_empty) {
            return self.fail("a variable names a field");
        }
        if template.variables.iter().any(|known| *known.field == *field) {
            return self.fail("a field is captured once");
        }
        let first = template.segments.len();
        if self.eat('=') {
            self.segments(template, true)?;
        } else {
            template.segments.push(Segment::One);
        }
        self.expect('}', "a variable ends with a brace")?;
        template.variables.push(Variable { field: field.into(), first, len: template.segments.len() - first });
        Ok(())
    }

    fn literal(&mut self, problem: &'static str) -> Result<&'t str, TemplateError> {
        match self.take(|c| !matches!(c, '/' | ':' | '{' | '}' | '*' | '=') && !c.is_whitespace()) {
            "" => self.fail(problem),
            text => Ok(text),
        }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn expect(&mut self, wanted: char, problem: &'static str) -> Result<(), TemplateError> {
        if self.eat(wanted) { Ok(()) } else { self.fail(problem) }
    }

    fn fail<T>(&self, problem: &'static str) -> Result<T, TemplateError> {
        Err(TemplateError { at: self.at, problem })
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at character {}: {}", self.at, self.problem)
    }
}

impl std::error::Error for TemplateError {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn captures(template: &str, path: &str) -> Captured {
        let template = Template::parse(template).unwrap();
        let path = Segments::cut(path);
        let captures = template.matches(&path).then(|| template.captures(&path))?;
        Some(captures.into_iter().map(|(field, text)| (field.to_owned(), text.to_owned())).collect())
    }

    type Captured = Option<Vec<(String, String)>>;

    macro_rules! one {
        ($field:literal, $text:literal) => {
            Some(vec![($field.to_owned(), $text.to_owned())])
        };
    }

    #[test]
    fn many_matches_any_number_of_segments_anywhere() {
        assert_eq!(captures("/groups/{uid=**}", "/groups"), one!("uid", ""));
        assert_eq!(captures("/groups/{uid=**}", "/groups/"), one!("uid", ""));
        assert_eq!(captures("/groups/{uid=**}", "/groups/a"), one!("uid", "a"));
        assert_eq!(captures("/groups/{uid=**}", "/groups/a/b"), one!("uid", "a/b"));
        assert_eq!(captures("/repos/{uid=**}/readme", "/repos/a/b/readme"), one!("uid", "a/b"));
        assert_eq!(captures("/repos/{uid=**}/readme", "/repos/readme"), one!("uid", ""));
        assert_eq!(captures("/repos/{uid=**}/readme", "/repos/a/b"), None);
        assert_eq!(captures("/repos/{uid=**}/readme", "/repos"), None);
        assert_eq!(captures("/{name=a/**}/z", "/a/b/c/z"), one!("name", "a/b/c"));
        assert_eq!(captures("/{name=a/**}/z", "/a/z"), one!("name", "a"));
    }

    #[test]
    fn one_matches_exactly_one_segment() {
        assert_eq!(captures("/digests/{digest}/size", "/digests/sha256:ab/size"), one!("digest", "sha256:ab"));
        assert_eq!(captures("/digests/{digest}/size", "/digests//size"), None);
        assert_eq!(captures("/digests/{digest}/size", "/digests/a/b/size"), None);
        assert_eq!(captures("/delete/{id=*}", "/delete/x"), one!("id", "x"));
    }

    #[test]
    fn bad_templates_are_refused_with_a_reason() {
        for (text, problem) in [
            ("", "a template starts with a slash"),
            ("a", "a template starts with a slash"),
            ("/", "a segment is a literal, `*`, `**` or a variable"),
            ("/a//b", "a segment is a literal, `*`, `**` or a variable"),
            ("/{}", "a variable names a field"),
            ("/{a..b}", "a variable names a field"),
            ("/{a={b}}", "a variable cannot hold another one"),
            ("/{a", "a variable ends with a brace"),
            ("/{a}/{a}", "a field is captured once"),
            ("/**/{a=**}", "a template has at most one `**`"),
            ("/a:", "a verb follows the colon"),
            ("/a:b/c", "unexpected text after the template"),
        ] {
            assert_eq!(Template::parse(text).map_err(|e| e.problem), Err(problem), "{text}");
        }
    }

    fn segment() -> impl Strategy<Value = &'static str> {
        prop_oneof![Just("a"), Just("bc"), Just("*"), Just("{f}"), Just("{g.h=*}"), Just("{i=x/*}")]
    }

    proptest! {
        #[test]
        fn parsing_never_panics(text in "\\PC{0,60}") {
            let _ = Template::parse(&text);
        }

        #[test]
        fn near_misses_never_panic(text in "[/{}*:=.a]{0,24}", path in "(/[a:%]{0,3}){1,6}") {
            if let Ok(template) = Template::parse(&text) {
                let path = Segments::cut(&path);
                let _ = (template.matches(&path), template.captures(&path).count());
            }
        }

        #[test]
        fn a_path_made_from_a_template_matches_it(
            before in prop::collection::hash_set(segment(), 1..4),
            many in prop::option::of(prop::collection::vec("[a-z0-9:.]{1,5}", 0..4)),
            after in prop::collection::vec("[a-z]{1,4}", 0..3),
            fill in "[a-z0-9:%.]{1,6}",
        ) {
            let before: Vec<_> = before.into_iter().collect();
            let mut template: Vec<&str> = before.clone();
            let mut path: Vec<&str> = before.iter().map(|s| if s.starts_with('{') || *s == "*" { fill.as_str() } else { *s }).collect();
            let x_fill = format!("x/{fill}");
            before.iter().zip(path.iter_mut()).filter(|(s, _)| **s == "{i=x/*}").for_each(|(_, p)| *p = &x_fill);
            if let Some(many) = &many {
                template.push("{all=**}");
                path.extend(many.iter().map(String::as_str));
            }
            template.extend(after.iter().map(String::as_str));
            path.extend(after.iter().map(String::as_str));
            let (template, path) = (format!("/{}", template.join("/")), format!("/{}", path.join("/")));
            let captured = captures(&template, &path);
            prop_assert!(captured.is_some(), "{} {}", template, path);
            let all = captured.unwrap().into_iter().find(|(field, _)| field == "all").map(|(_, text)| text);
            prop_assert_eq!(all, many.map(|many| many.join("/")));
        }
    }
}
