//! Events as text for everything but terminals: the lines of the library's own format, written without its styles and its
//! detours, which cost as much as all the rest of a request's line.

use std::{
    fmt::{self, Debug, Write as _},
    time::{SystemTime, UNIX_EPOCH},
};

use contract::prost_types::Timestamp;
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    field::RecordFields,
    fmt::{
        FmtContext, FormatEvent, FormatFields,
        format::{Format, Full, Writer},
        time::FormatTime,
    },
    registry::LookupSpan,
};

/// Writes events; those within spans, and records of the `log` crate, as the library does.
#[derive(Debug)]
pub(super) struct Line(Format<Full, Utc>);

/// Writes the time in UTC with microseconds (RFC 3339).
#[derive(Clone, Copy, Debug)]
pub(super) struct Utc;

/// Writes fields as `name="text"` and `name=1`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain;

impl FormatTime for Utc {
    #[expect(clippy::disallowed_methods, reason = "a line tells when it was written, whatever the server takes for now")]
    fn format_time(&self, out: &mut Writer<'_>) -> fmt::Result {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let seconds = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
        let nanos = i32::try_from(now.subsec_nanos()).unwrap_or(0);
        let mut text = String::with_capacity(32);
        contract::json::timestamp(&mut text, &Timestamp { seconds, nanos });
        // In quotes and with milliseconds, to which what is left is added.
        let mut rest = itoa::Buffer::new();
        let rest = rest.format(1000 + now.subsec_micros() % 1000);
        out.write_str(text.trim_matches('"').trim_end_matches('Z'))?;
        out.write_str(rest.get(1..).unwrap_or_default())?;
        out.write_char('Z')
    }
}

impl Default for Line {
    fn default() -> Self {
        Self(Format::default().with_timer(Utc).with_ansi(false))
    }
}

impl<S, N> FormatEvent<S, N> for Line
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut out: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let metadata = event.metadata();
        if metadata.target() == "log" || context.event_scope().is_some() {
            return self.0.format_event(context, out, event);
        }
        Utc.format_time(&mut out)?;
        out.write_str(match *metadata.level() {
            Level::ERROR => " ERROR ",
            Level::WARN => "  WARN ",
            Level::INFO => "  INFO ",
            Level::DEBUG => " DEBUG ",
            Level::TRACE => " TRACE ",
        })?;
        out.write_str(metadata.target())?;
        out.write_str(": ")?;
        context.format_fields(out.by_ref(), event)?;
        out.write_char('\n')
    }
}

impl<'w> FormatFields<'w> for Plain {
    fn format_fields<R: RecordFields>(&self, mut out: Writer<'w>, fields: R) -> fmt::Result {
        // Gathered first: `out` is somebody's writer, which is asked once.
        let mut fieldwise = Fieldwise { text: String::with_capacity(512), first: true, result: Ok(()) };
        fields.record(&mut fieldwise);
        fieldwise.result.and_then(|()| out.write_str(&fieldwise.text))
    }
}

struct Fieldwise {
    text: String,
    first: bool,
    result: fmt::Result,
}

impl Fieldwise {
    /// Writes one field; the message goes without its name.
    fn field(&mut self, name: &str, value: impl FnOnce(&mut String) -> fmt::Result) {
        // What the `log` crate's records say of their origin stands in the line already.
        if self.result.is_ok() && !name.starts_with("log.") {
            self.name(name);
            self.result = value(&mut self.text);
        }
    }

    fn name(&mut self, name: &str) {
        if !std::mem::take(&mut self.first) {
            self.text.push(' ');
        }
        if name != "message" {
            self.text.push_str(name.strip_prefix("r#").unwrap_or(name));
            self.text.push('=');
        }
    }
}

impl Visit for Fieldwise {
    fn record_str(&mut self, field: &Field, value: &str) {
        let name = field.name();
        self.field(name, |out| if name == "message" { OneLine(out).write_str(value) } else { quoted(out, value) });
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.field(field.name(), |out| out.write_str(if value { "true" } else { "false" }));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.field(field.name(), |out| out.write_str(itoa::Buffer::new().format(value)));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.field(field.name(), |out| out.write_str(itoa::Buffer::new().format(value)));
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        let name = field.name();
        self.field(name, |out| write!(OneLine(out), "{value}"));
        let sources: Vec<_> = std::iter::successors(value.source(), |error| error.source()).map(ToString::to_string).collect();
        if !sources.is_empty() {
            self.field(&format!("{name}.sources"), |out| write!(OneLine(out), "[{}]", sources.join(", ")));
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.field(field.name(), |out| write!(OneLine(out), "{value:?}"));
    }
}

/// Writes a text in quotes, its quotes and control characters escaped.
fn quoted(out: &mut String, text: &str) -> fmt::Result {
    let is_plain = |byte: u8| matches!(byte, b' ' | b'!' | b'#'..=b'[' | b']'..=b'~');
    // All are looked at, many at a time: most texts are plain.
    if text.bytes().fold(true, |so_far, byte| so_far & is_plain(byte)) {
        out.push('"');
        out.push_str(text);
        out.push('"');
        return Ok(());
    }
    write!(out, "{text:?}")
}

/// Escapes control characters: an event is one line, and nobody's text moves a cursor.
struct OneLine<'a>(&'a mut String);

impl fmt::Write for OneLine<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some(at) = rest.find(char::is_control) {
            let (plain, tail) = rest.split_at(at);
            self.0.push_str(plain);
            let mut characters = tail.chars();
            self.0.extend(characters.next().into_iter().flat_map(char::escape_default));
            rest = characters.as_str();
        }
        self.0.push_str(rest);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io,
        sync::{Arc, Mutex},
    };

    use super::*;

    /// An error with a cause.
    #[derive(Debug)]
    struct Outer(io::Error);

    impl fmt::Display for Outer {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("outer")
        }
    }

    impl std::error::Error for Outer {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// What is logged by `work`, by ours and by the library's own format, without the digits of the time.
    fn logged(work: fn()) -> [String; 2] {
        let lines = Lines::default();
        let format = || {
            let lines = lines.clone();
            let format = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_timer(Utc).with_ansi(false);
            format.with_writer(move || lines.clone())
        };
        let told = || {
            let told = String::from_utf8(std::mem::take(&mut *lines.0.lock().unwrap())).unwrap();
            told.lines().fold(String::new(), |text, line| {
                let (time, rest) = line.split_at_checked("2026-11-20T20:25:14.876123Z".len()).unwrap_or((line, ""));
                text + &time.replace(|c: char| c.is_ascii_digit(), "0") + rest + "\n"
            })
        };
        tracing::subscriber::with_default(format().event_format(Line::default()).fmt_fields(Plain).finish(), work);
        let ours = told();
        tracing::subscriber::with_default(format().finish(), work);
        [ours, told()]
    }

    #[test]
    fn lines_are_those_of_the_library() {
        let [ours, library] = logged(|| {
            tracing::info!(target: "access", verb = "GET", status = 200_u16, rule = None::<&str>, caller = Some("a"), "request");
            tracing::warn!(ok = true, ratio = 0.5, below = -1, peer = %"::1", list = ?["a", "b"], "said {}", "it");
            tracing::error!(text = "a \"b\" \\ \n \u{1b}[1m é", r#type = "t");
            tracing::debug!(error = &Outer(io::Error::other("inner")) as &dyn std::error::Error);
            tracing::trace_span!("outer", n = 1).in_scope(|| tracing::trace_span!("inner").in_scope(|| tracing::info!("within")));
        });
        assert_eq!(ours, library);
        assert_eq!(ours.lines().count(), 5);
    }

    #[test]
    fn an_event_is_one_line() {
        let [ours, _] = logged(|| tracing::info!(peer = %"a\nb", "said {}", "it\n\u{1b}[2J"));
        assert_eq!(ours.lines().count(), 1);
        assert!(ours.ends_with("said it\\n\\u{1b}[2J peer=a\\nb\n"), "{ours}");
    }

    #[test]
    fn times_have_microseconds() {
        let mut text = String::new();
        Utc.format_time(&mut Writer::new(&mut text)).unwrap();
        let time: jiff::Timestamp = text.parse().unwrap();
        assert!((time.as_second() - jiff::Timestamp::now().as_second()).abs() < 60);
        assert_eq!((text.len(), text.ends_with('Z')), ("2026-11-20T20:25:14.876123Z".len(), true));
    }
}
