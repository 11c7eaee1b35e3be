//! List requests: what every one of them carries.

use contract::chainguard::platform::common::UidpFilter;
use domain::{Error, ListRequest, OrderField, Rule, Violations, error::Violation};

use crate::uidp;

/// The common fields of a list request as they arrive.
pub(crate) struct Wire {
    pub(crate) uidp: Option<UidpFilter>,
    pub(crate) page_size: i32,
    pub(crate) page_token: String,
    pub(crate) order_by: String,
    pub(crate) skip: i32,
}

/// The [`Wire`] of a list request. The messages have these fields in common, but no type that says so.
macro_rules! wire {
    ($request:expr) => {
        $crate::list::Wire {
            uidp: $request.uidp,
            page_size: $request.page_size,
            page_token: $request.page_token,
            order_by: $request.order_by,
            skip: $request.skip,
        }
    };
}
pub(crate) use wire;

/// Reads the common fields after the filters of the noun, whose violations are in `violations`.
///
/// # Errors
/// Invalid argument for a bad filter, size, skip or order.
pub(crate) fn parse(wire: Wire, mut violations: Violations) -> Result<ListRequest, Error> {
    let filter = uidp::filter(wire.uidp, &mut violations);
    violations.check()?;
    ListRequest::parse(filter, wire.page_size, &wire.page_token, &wire.order_by, wire.skip)
}

/// The request, for a noun that has no name to sort by.
///
/// # Errors
/// Invalid argument for the order by name.
pub(crate) fn nameless(request: ListRequest) -> Result<ListRequest, Error> {
    if request.order.field == OrderField::Name {
        let description = "order_by must be one of uid, created_at, optionally followed by asc or desc".to_owned();
        return Err(Error::fields(Rule::OrderBy, vec![Violation { field: "order_by".to_owned(), description }]));
    }
    Ok(request)
}

/// A filter by text: an empty one admits everything.
pub(crate) fn filter(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// A total for an answer.
pub(crate) fn count(total: u64) -> i64 {
    i64::try_from(total).unwrap_or(i64::MAX)
}

/// A skip for an answer. It arrived as a positive `int32`.
pub(crate) fn skipped(skip: u32) -> i32 {
    i32::try_from(skip).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wire(order_by: &str) -> Wire {
        Wire { uidp: None, page_size: 7, page_token: "t".into(), order_by: order_by.into(), skip: 3 }
    }

    #[test]
    fn the_common_fields_are_read() {
        let request = parse(wire("name desc"), Violations::default()).expect("it is fine");
        assert_eq!((request.page_size, request.page_token.as_str(), request.skip), (7, "t", 3));
        assert!(request.order.descending && request.order.field == OrderField::Name);
    }

    #[test]
    fn violations_of_filters_come_first() {
        let mut violations = Violations::default();
        violations.add("identity", "is bad");
        let refused = parse(Wire { page_size: -1, ..wire("") }, violations).map_err(|error| error.rule());
        assert_eq!(refused, Err(Rule::Field));
        let refused = parse(Wire { page_size: -1, ..wire("") }, Violations::default()).map_err(|error| error.rule());
        assert_eq!(refused, Err(Rule::PageSize));
    }

    #[test]
    fn what_has_no_name_is_not_sorted_by_it() {
        let read = |order| parse(wire(order), Violations::default()).and_then(nameless).map_err(|error| error.rule());
        assert_eq!(read("name").err(), Some(Rule::OrderBy));
        assert!(read("created_at").is_ok() && read("").is_ok());
    }

    #[test]
    fn empty_filters_admit_everything() {
        assert_eq!((filter(String::new()), filter("a".into())), (None, Some("a".into())));
        assert_eq!((count(u64::MAX), skipped(u32::MAX)), (i64::MAX, i32::MAX));
    }
}
