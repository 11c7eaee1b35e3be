//! Texts to values. Every error completes a sentence that begins with the setting's name.

use std::{fmt::Display, net::SocketAddr, ops::RangeInclusive, path::PathBuf, str::FromStr, time::Duration};

use domain::{iam::TermsDocument, text::excerpt};
use sts::jws::TokenAlgorithm;

use super::Kind;

/// The parts of a text from a variable or flag: lists have commas between them. An empty text of a list is an empty list.
pub(super) fn parts(kind: Kind, text: &str) -> Vec<String> {
    match kind {
        Kind::List | Kind::Providers | Kind::Terms if text.is_empty() => Vec::new(),
        Kind::List | Kind::Providers | Kind::Terms => text.split(',').map(|part| part.trim().to_owned()).collect(),
        Kind::Switch | Kind::Count | Kind::Text => vec![text.to_owned()],
    }
}

/// The one value of a setting.
pub(super) fn one<T>(texts: &[String], read: impl Fn(&str) -> Result<T, String>) -> Result<T, String> {
    match texts {
        [text] => read(text),
        _ => Err("is given several times".to_owned()),
    }
}

/// The values of a list.
pub(super) fn each<T>(texts: &[String], read: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    texts.iter().map(|text| if text.is_empty() { Err("has an empty entry".to_owned()) } else { read(text) }).collect()
}

/// `off`, or what `read` makes of the text.
pub(super) fn or_off<T>(text: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, String> {
    if text == "off" { Ok(None) } else { read(text).map(Some).map_err(|why| format!("{why}, or off")) }
}

/// A yes or a no.
pub(crate) fn switch(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Ok(true),
        "false" | "no" | "off" | "0" => Ok(false),
        _ => Err(format!("{text:?} is neither true nor false")),
    }
}

pub(super) fn count<T: FromStr + PartialOrd + Display>(text: &str, range: RangeInclusive<T>) -> Result<T, String> {
    let refuse = || format!("{text:?} is not a whole number from {} to {}", range.start(), range.end());
    text.parse().ok().filter(|count| range.contains(count)).ok_or_else(refuse)
}

#[expect(clippy::unnecessary_wraps, reason = "a reader like the others")]
pub(super) fn path(text: &str) -> Result<PathBuf, String> {
    Ok(PathBuf::from(text))
}

#[expect(clippy::unnecessary_wraps, reason = "a reader like the others")]
pub(super) fn text(text: &str) -> Result<String, String> {
    Ok(text.to_owned())
}

pub(super) fn token_algorithm(text: &str) -> Result<TokenAlgorithm, String> {
    TokenAlgorithm::from_name(&text.to_ascii_uppercase()).ok_or_else(|| format!("{text:?} is neither ES256 nor RS256"))
}

pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    let example = match text.parse::<std::net::IpAddr>() {
        Ok(ip) => SocketAddr::new(ip, 8080).to_string(),
        Err(_) => "127.0.0.1:8080 or [::1]:8080".to_owned(),
    };
    text.parse().map_err(|_| format!("{text:?} is not an address and a port, such as {example}"))
}

/// A whole number with its unit, of at least a millisecond and at most a week.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let refuse =
        || format!("{text:?} is not a time from 1ms to 7d, written as a whole number with ms, s, m, h or d, such as 90s");
    time(text, Duration::from_millis(1)..=Duration::from_hours(7 * 24)).ok_or_else(refuse)
}

/// The same, of at most ten minutes, or none.
pub(super) fn delay(text: &str) -> Result<Duration, String> {
    let refuse = || format!("{text:?} is not a time from 0s to 10m, written as a whole number with ms, s or m, such as 5s");
    time(text, Duration::ZERO..=Duration::from_mins(10)).ok_or_else(refuse)
}

/// The same, of at least a minute and at most a year: how long people need not do something again.
pub(super) fn long_duration(text: &str) -> Result<Duration, String> {
    let refuse = || format!("{text:?} is not a time from 1m to 365d, written as a whole number with s, m, h or d, such as 30d");
    time(text, Duration::from_mins(1)..=Duration::from_hours(365 * 24)).ok_or_else(refuse)
}

/// How long something is kept, at least a day: what reads on from where it was need not hurry more than that. `None` is forever.
pub(super) fn kept(text: &str) -> Result<Option<Duration>, String> {
    let day = Duration::from_hours(24);
    let refuse = || format!("{text:?} is neither a time from 1d to 3650d, such as 90d, nor `forever`");
    if text == "forever" { Ok(None) } else { time(text, day..=day * 3650).map(Some).ok_or_else(refuse) }
}

fn time(text: &str, range: RangeInclusive<Duration>) -> Option<Duration> {
    let units = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];
    number_and_unit(text, &units).map(Duration::from_millis).filter(|time| range.contains(time))
}

/// A whole number with its unit, of at least a kibibyte and at most a gibibyte: what one client makes the server hold.
pub(super) fn size(text: &str) -> Result<usize, String> {
    size_to(text, "1GiB", 1 << 30)
}

/// The same, of at most a tebibyte: what all clients together make the server hold.
pub(super) fn memory(text: &str) -> Result<usize, String> {
    size_to(text, "1024GiB", 1 << 40)
}

fn size_to(text: &str, name: &str, largest: u64) -> Result<usize, String> {
    let units = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("B", 1)];
    let parsed = number_and_unit(text, &units).filter(|bytes| (1024..=largest).contains(bytes));
    let refuse =
        || format!("{text:?} is not a size from 1KiB to {name}, written as a whole number with B, KiB, MiB or GiB, such as 4MiB");
    parsed.and_then(|bytes| usize::try_from(bytes).ok()).ok_or_else(refuse)
}

/// The number times what its unit stands for.
fn number_and_unit(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    let (_, factor) = units.iter().find(|(name, _)| *name == unit.trim_start())?;
    number.parse::<u64>().ok()?.checked_mul(*factor)
}

/// An issuer and the audiences that its tokens may have, with blanks between them.
pub(super) fn provider(text: &str) -> Result<sts::Provider, String> {
    let mut words = text.split_ascii_whitespace().map(str::to_owned);
    let issuer = words.next().ok_or("has an empty entry")?;
    Ok(sts::Provider { issuer, audiences: words.collect() })
}

/// A document: id, label and URL with `|` between them, and behind another one the methods, with blanks between them.
pub(super) fn terms(text: &str) -> Result<TermsDocument, String> {
    let refuse = || {
        let text = excerpt(text);
        format!(
            "{text:?} is not ID|LABEL|URL|METHODS, such as tos.v1|Terms of service|https://example.com/tos|package.Service/Method"
        )
    };
    let mut parts = text.splitn(4, '|').map(|part| part.trim().to_owned());
    let (Some(id), Some(label), Some(url)) = (parts.next(), parts.next(), parts.next()) else { return Err(refuse()) };
    let methods = parts.next().unwrap_or_default();
    if id.is_empty() || label.is_empty() || url.is_empty() || methods.contains('|') {
        return Err(refuse());
    }
    Ok(TermsDocument { id, label, url, methods: methods.split_ascii_whitespace().map(str::to_owned).collect() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times_and_sizes_have_units() {
        let ms = |text| duration(text).map(|time| time.as_millis()).ok();
        assert_eq!(
            [ms("90s"), ms("10 m"), ms("1h"), ms("500ms"), ms("7d")].map(Option::unwrap_or_default),
            [90_000, 600_000, 3_600_000, 500, 604_800_000]
        );
        for bad in ["", "1", "h", "0s", "-1s", "1.5h", "8d", "99999999999999999999h", "1 hour", "1M"] {
            assert!(duration(bad).is_err_and(|why| why.contains("such as 90s")), "{bad}");
        }
        assert_eq!([delay("0s"), delay("5s"), delay("10m")].map(|time| time.map(|time| time.as_secs())), [Ok(0), Ok(5), Ok(600)]);
        for bad in ["0", "601s", "", "-1s"] {
            assert!(delay(bad).is_err_and(|why| why.contains("from 0s to 10m")), "{bad}");
        }
        assert_eq!(
            [long_duration("60s"), long_duration("365d")].map(Result::unwrap_or_default).map(|time| time.as_secs()),
            [60, 31_536_000]
        );
        assert_eq!(
            [kept("1d"), kept("3650d"), kept("forever")].map(Result::unwrap).map(|time| time.map(|time| time.as_secs())),
            [Some(86_400), Some(315_360_000), None]
        );
        for bad in ["23h", "3651d", "never", "0"] {
            assert!(kept(bad).is_err_and(|why| why.contains("nor `forever`")), "{bad}");
        }
        for bad in ["59s", "366d", "", "30"] {
            assert!(long_duration(bad).is_err_and(|why| why.contains("from 1m to 365d")), "{bad}");
        }
        assert_eq!(
            [size("32KiB"), size("4 MiB"), size("1GiB"), size("2000B")].map(Result::unwrap),
            [32 << 10, 4 << 20, 1 << 30, 2000]
        );
        for bad in ["", "4", "4MB", "4mib", "0KiB", "2GiB", "100B", "KiB"] {
            assert!(size(bad).is_err_and(|why| why.contains("from 1KiB to 1GiB") && why.contains("such as 4MiB")), "{bad}");
        }
        assert_eq!([memory("1KiB"), memory("2GiB"), memory("1024GiB")].map(Result::unwrap), [1 << 10, 2 << 30, 1 << 40]);
        for bad in ["", "100B", "1025GiB", "1TiB"] {
            assert!(memory(bad).is_err_and(|why| why.contains("from 1KiB to 1024GiB")), "{bad}");
        }
    }

    #[test]
    fn errors_show_what_would_be_right() {
        assert_eq!(address("127.0.0.1").unwrap_err(), "\"127.0.0.1\" is not an address and a port, such as 127.0.0.1:8080");
        assert_eq!(address("::1").unwrap_err(), "\"::1\" is not an address and a port, such as [::1]:8080");
        assert_eq!(count::<u32>("0", 1..=10).unwrap_err(), "\"0\" is not a whole number from 1 to 10");
        assert!(or_off("never", duration).unwrap_err().ends_with(", or off"));
        assert_eq!(or_off("off", duration), Ok(None));
        assert_eq!(parts(Kind::List, "a, b"), ["a", "b"]);
        assert!(parts(Kind::List, "").is_empty());
        assert!(each(&parts(Kind::List, "a,,b"), text).is_err());
    }

    #[test]
    fn documents_have_three_parts_and_methods() {
        let document = terms("tos.v1 | Terms, and more | https://example.com/tos | a.B/C  d.E/F").expect("a document");
        assert_eq!((document.id.as_str(), document.label.as_str()), ("tos.v1", "Terms, and more"));
        assert_eq!((document.url.as_str(), document.methods), ("https://example.com/tos", vec!["a.B/C".into(), "d.E/F".into()]));
        assert_eq!(terms("a|b|c").map(|document| document.methods), Ok(Vec::new()));
        for bad in ["", "a", "a|b", "a||c", "|b|c", "a|b|", "a|b|c|d|e"] {
            assert!(terms(bad).is_err_and(|why| why.contains("is not ID|LABEL|URL|METHODS")), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(number in 1u64..=600_000) {
            prop_assert_eq!(duration(&format!("{number}ms")), Ok(Duration::from_millis(number)));
            prop_assert_eq!(size(&format!("{}B", number + 1024)), Ok(usize::try_from(number).unwrap() + 1024));
        }

        #[test]
        fn nothing_makes_a_reader_panic(text in "\\PC{0,24}|[0-9]{0,24}[a-zA-Z]{0,4}") {
            let _ = (duration(&text), delay(&text), size(&text), memory(&text), switch(&text), address(&text), count::<u32>(&text, 1..=9), provider(&text), terms(&text));
            for kind in [Kind::List, Kind::Text] {
                let _ = each(&parts(kind, &text), address);
            }
        }
    }
}
