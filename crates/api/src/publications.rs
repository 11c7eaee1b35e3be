//! What versions of published advisories have in common: which are asked for, and the days of reports.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    Error, ListRequest, Order, OrderField, Result, Rule, Timestamp, UidpFilter, Violations,
    error::Violation,
    registry::TagName,
    vulnerabilities::{ReferenceKind, Vulnerability},
};
use services::vulnerabilities::publications::{ImageRef, Published};

use crate::{list, time, uidp};

/// Most ids of a list of vulnerabilities.
const IDS: usize = 1000;
/// Most repositories of a report, and most tags of each.
const IMAGES: usize = 20;
/// The tag of an image that names none.
const LATEST: &str = "latest";

/// Documents of one advisory each, joined: each package once, in byte order. `parts` takes a document apart.
pub(crate) fn joined<D, A>(documents: Vec<D>, parts: fn(D) -> (String, Vec<A>)) -> BTreeMap<String, Vec<A>> {
    let mut packages = BTreeMap::<String, Vec<A>>::new();
    for (package, advisories) in documents.into_iter().map(parts) {
        packages.entry(package).or_default().extend(advisories);
    }
    packages
}

/// The package that an advisory is about.
pub(crate) fn package(published: &Published) -> String {
    published.advisory.spec.artifact_name.clone()
}

/// The vulnerabilities that documents are asked for.
///
/// # Errors
/// Invalid argument when they are too many.
pub(crate) fn cves(cves: &[String]) -> Result<Vec<String>> {
    let mut violations = Violations::default();
    let cves = list::any_of("cves", cves, &mut violations);
    violations.check()?;
    Ok(cves)
}

/// What a list of vulnerabilities is asked for.
#[derive(Debug)]
pub(crate) struct Asked<'r> {
    pub(crate) id: &'r str,
    pub(crate) ids: &'r [String],
    pub(crate) page_size: i32,
    pub(crate) page_token: &'r str,
    pub(crate) order_by: &'r str,
    pub(crate) skip: i32,
}

impl Asked<'_> {
    /// The page, and the ids that the vulnerabilities may have: any where there are none. `None` when no vulnerability can be meant.
    ///
    /// # Errors
    /// Invalid argument for too many ids, and for a bad order or page.
    pub(crate) fn read(&self) -> Result<Option<(ListRequest, Vec<String>)>> {
        let mut ids: BTreeSet<_> = self.ids.iter().take(IDS * 10).collect();
        if ids.len() > IDS || self.ids.len() > IDS * 10 {
            return Err(Error::field("ids", format!("ids must have at most {IDS} different entries")));
        }
        let page = ListRequest::parse(UidpFilter::default(), self.page_size, self.page_token, "", self.skip)?;
        let page = ListRequest { order: order(self.order_by)?, ..page };
        let only = self.id.to_owned();
        if !only.is_empty() {
            if !ids.is_empty() && !ids.contains(&only) {
                return Ok(None);
            }
            ids = BTreeSet::from([&only]);
        }
        Ok(Some((page, ids.into_iter().cloned().collect())))
    }
}

/// Reads `order_by`, of which the one field is `id`.
fn order(text: &str) -> Result<Order> {
    let words: Vec<_> = text.split_ascii_whitespace().collect();
    let descending = match words[..] {
        [] | ["id"] | ["id", "asc"] => false,
        ["id", "desc"] => true,
        _ => {
            let description = "order_by must be id, optionally followed by asc or desc".to_owned();
            return Err(Error::fields(Rule::OrderBy, vec![Violation { field: "order_by".to_owned(), description }]));
        }
    };
    Ok(Order { field: OrderField::Name, descending })
}

/// The images of a report: each by its repository and its tags.
pub(crate) fn images<'r>(
    images: impl ExactSizeIterator<Item = (&'r str, &'r [String])>,
    violations: &mut Violations,
) -> Vec<ImageRef> {
    if !(1..=IMAGES).contains(&images.len()) {
        violations.add("image_refs", format!("image_refs must have 1 to {IMAGES} entries"));
        return Vec::new();
    }
    let image = |(index, (repo, tags)): (usize, (&str, &[String]))| {
        let field = format!("image_refs[{index}]");
        let repo = uidp::parse(&format!("{field}.repo"), repo, violations);
        let tags_field = format!("{field}.tags");
        let tags = list::within(&tags_field, tags, IMAGES, violations).iter().enumerate();
        let tags: Vec<_> =
            tags.filter_map(|(index, tag)| TagName::parse(&format!("{tags_field}[{index}]"), tag, violations)).collect();
        let tags = if tags.is_empty() { vec![TagName::trusted(LATEST)] } else { tags };
        Some(ImageRef { repo: repo?, tags })
    };
    images.enumerate().filter_map(image).collect()
}

/// A day of a report, which must be there.
pub(crate) fn day(field: &str, at: Option<&prost_types::Timestamp>, violations: &mut Violations) -> Option<Timestamp> {
    if at.is_none() {
        violations.add(field, format!("{field} is required"));
    }
    time::parse(field, at?, violations)
}

/// What is said of a vulnerability, without its references and severities, which versions write otherwise.
pub(crate) fn references<W>(vulnerability: &Vulnerability, to_wire: fn(i32, String) -> W) -> Vec<W> {
    let references = vulnerability.spec.references.iter();
    references.map(|reference| to_wire(kind(reference.kind), reference.url.clone())).collect()
}

/// The number of what is to be found at a reference, which all versions give the same.
fn kind(kind: ReferenceKind) -> i32 {
    use contract::chainguard::platform::advisory::v2beta1::reference::Type;
    let kind = match kind {
        ReferenceKind::Unspecified => Type::Unspecified,
        ReferenceKind::Advisory => Type::Advisory,
        ReferenceKind::Article => Type::Article,
        ReferenceKind::Detection => Type::Detection,
        ReferenceKind::Discussion => Type::Discussion,
        ReferenceKind::Report => Type::Report,
        ReferenceKind::Fix => Type::Fix,
        ReferenceKind::Introduced => Type::Introduced,
        ReferenceKind::Package => Type::Package,
        ReferenceKind::Evidence => Type::Evidence,
        ReferenceKind::Web => Type::Web,
    };
    kind.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked<'r>(id: &'r str, ids: &'r [String]) -> Asked<'r> {
        Asked { id, ids, page_size: 0, page_token: "", order_by: "", skip: 0 }
    }

    #[test]
    fn ids_are_those_that_both_filters_admit() {
        let ids = ["b", "a", "b"].map(str::to_owned);
        let read = |id| asked(id, &ids).read().map(|read| read.map(|(_, ids)| ids)).map_err(|error| error.rule());
        assert_eq!(read(""), Ok(Some(vec!["a".to_owned(), "b".to_owned()])));
        assert_eq!(read("b"), Ok(Some(vec!["b".to_owned()])));
        assert_eq!(read("c"), Ok(None));
        assert_eq!(asked("c", &[]).read().map(|read| read.map(|(_, ids)| ids)).ok(), Some(Some(vec!["c".to_owned()])));
    }

    #[test]
    fn different_ids_are_counted() {
        let many: Vec<_> = (0..IDS).map(|id| id.to_string()).chain(["0".to_owned()]).collect();
        assert!(asked("", &many).read().is_ok());
        let more: Vec<_> = (0..=IDS).map(|id| id.to_string()).collect();
        assert_eq!(asked("", &more).read().map(|_| ()).map_err(|error| error.rule()), Err(Rule::Field));
    }

    #[test]
    fn the_one_order_has_two_directions() {
        let by = |text| order(text).map(|order| order.descending).map_err(|error| error.rule());
        assert_eq!([by(""), by("id"), by("id asc"), by("id desc")], [Ok(false), Ok(false), Ok(false), Ok(true)]);
        assert_eq!([by("uid"), by("id up"), by("id asc desc")], [Err(Rule::OrderBy); 3]);
    }

    #[test]
    fn kinds_of_references_have_one_number() {
        use contract::chainguard::platform::advisory::{reference::Type as Old, v2beta1::reference::Type as New};
        for number in 0..12 {
            let new = New::try_from(number).ok().map(|known| known.as_str_name().trim_start_matches("TYPE_").to_owned());
            assert_eq!(Old::try_from(number).ok().map(|known| known.as_str_name().to_owned()), new, "{number}");
        }
    }
}
