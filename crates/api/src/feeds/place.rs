//! Paths of feeds: `/FORM/GROUP/…`, where a group is its UID with all its segments.

use std::borrow::Cow;

use domain::{Error, Uidp};
use percent_encoding::percent_decode_str;
use services::vulnerabilities::feeds::Form;

/// What a path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// What is asked for.
    pub(super) form: Form,
    /// The group.
    pub(super) group: Uidp,
    /// What stands behind it, decoded.
    pub(super) rest: Vec<String>,
}

/// Digits of a folder's own segment.
const FOLDER: usize = 16;

impl Place {
    /// The place that the path names; `None` where no group can be meant.
    ///
    /// # Errors
    /// Invalid argument for what is no UTF-8 after decoding (RFC 3986 section 2.1).
    pub(super) fn parse(path: &str) -> Result<Option<Self>, Error> {
        let mut segments = path.split('/').skip(1).peekable();
        let form = match segments.next() {
            Some("osv") => Form::Osv,
            Some("vex") => Form::Vex,
            Some("secdb") => Form::Secdb,
            _ => return Ok(None),
        };
        let Some(mut group) = segments.next().and_then(|root| root.parse::<Uidp>().ok()) else { return Ok(None) };
        let is_folder =
            |segment: &&str| segment.len() == FOLDER && segment.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        while let Some(folder) = segments.next_if(is_folder) {
            let Ok(inner) = format!("{group}/{folder}").parse() else { return Ok(None) };
            group = inner;
        }
        let decode = |segment: &str| {
            let decoded = percent_decode_str(segment).decode_utf8();
            decoded.map(Cow::into_owned).map_err(|_| Error::field("path", "the path is not UTF-8 after percent-decoding"))
        };
        Ok(Some(Self { form, group, rest: segments.map(decode).collect::<Result<_, _>>()? }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(path: &str) -> Option<(String, Vec<String>)> {
        Place::parse(path).unwrap().map(|place| (place.group.to_string(), place.rest))
    }

    #[test]
    fn groups_have_all_their_segments() {
        let (org, folder) = ("a".repeat(40), "b".repeat(16));
        let rest = |rest: &[&str]| rest.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>();
        assert_eq!(parse(&format!("/osv/{org}/Go/all.zip")), Some((org.clone(), rest(&["Go", "all.zip"]))));
        assert_eq!(
            parse(&format!("/osv/{org}/{folder}/Rocky%20Linux/all.zip")),
            Some((format!("{org}/{folder}"), rest(&["Rocky Linux", "all.zip"])))
        );
        assert_eq!(parse(&format!("/osv/{org}")), Some((org.clone(), rest(&[]))));
        assert_eq!([parse("/osv/acme/Go"), parse("/osv/"), parse("/osv//x")], [None, None, None]);
        assert!(Place::parse(&format!("/osv/{org}/%ff")).is_err());
    }
}
