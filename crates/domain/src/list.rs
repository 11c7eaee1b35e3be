//! Lists: what every list request carries and every list answer returns.

use crate::{
    error::{Error, Rule, Violation},
    uidp::Uidp,
};

/// The common part of a list request, validated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListRequest {
    /// Which part of the tree.
    pub uidp: UidpFilter,
    /// How many items at most: 1 to 200.
    pub page_size: u32,
    /// Where to go on; empty for the first page.
    pub page_token: String,
    /// In which order.
    pub order: Order,
    /// How many items to pass over, counted from the cursor.
    pub skip: u32,
}

impl ListRequest {
    /// The page size when none is asked for.
    pub const DEFAULT_PAGE_SIZE: u32 = 50;
    /// The largest page; greater wishes get this.
    pub const MAX_PAGE_SIZE: u32 = 200;

    /// Validates the parts of a list request as they arrive on the wire (AIP-158, AIP-132).
    ///
    /// # Errors
    /// Invalid argument for a negative page size or skip, an unknown order or a filter that is no UIDP.
    pub fn parse(uidp: UidpFilter, page_size: i32, page_token: &str, order_by: &str, skip: i32) -> Result<Self, Error> {
        let refuse = |rule, field: &str, description: &str| {
            Error::fields(rule, vec![Violation { field: field.into(), description: description.into() }])
        };
        let page_size =
            u32::try_from(page_size).map_err(|_| refuse(Rule::PageSize, "page_size", "page_size must not be negative"))?;
        let skip = u32::try_from(skip).map_err(|_| refuse(Rule::Skip, "skip", "skip must not be negative"))?;
        Ok(Self {
            uidp,
            page_size: if page_size == 0 { Self::DEFAULT_PAGE_SIZE } else { page_size.min(Self::MAX_PAGE_SIZE) },
            page_token: page_token.to_owned(),
            order: Order::parse(order_by)?,
            skip,
        })
    }

    /// The first page of `uidp` in the order of identifiers, as large as a page may be: for who reads a list to its end.
    #[must_use]
    pub fn first(uidp: UidpFilter) -> Self {
        Self { uidp, page_size: Self::MAX_PAGE_SIZE, page_token: String::new(), order: Order::default(), skip: 0 }
    }
}

/// Which part of the tree a list covers. Members combine with AND.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UidpFilter {
    /// Only resources above this one.
    pub ancestors_of: Option<Uidp>,
    /// Only this resource and everything below it.
    pub descendants_of: Option<Uidp>,
    /// Only the next level below this place.
    pub children_of: Option<ParentFilter>,
    /// Only roots.
    pub in_root: bool,
    /// Only these; empty for any.
    pub ids: Vec<Uidp>,
}

/// A parent in a filter: a resource, or the place above every root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParentFilter {
    /// `/`: roots are its children.
    Root,
    /// This resource.
    At(Uidp),
}

/// What a list is sorted by; the identifier always breaks ties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum OrderField {
    /// The identifier, in byte order.
    #[default]
    Uid,
    /// The name, in byte order.
    Name,
    /// When it was made.
    CreatedAt,
    /// What only this noun's lists can be ordered by, as its rows call it.
    Own(&'static str),
}

/// A sort order, `field [asc|desc]` (AIP-132).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Order {
    /// By what.
    pub field: OrderField,
    /// Greatest first.
    pub descending: bool,
}

impl Order {
    /// Reads `order_by`. Fields: `uid`, `name`, `created_at`; `createdAt`, `create_time` and `createTime` mean the last too.
    ///
    /// # Errors
    /// Invalid argument naming what is allowed.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut words = text.split_ascii_whitespace();
        let field = match words.next() {
            None => return Ok(Self::default()),
            Some("uid") => OrderField::Uid,
            Some("name") => OrderField::Name,
            Some("created_at" | "createdAt" | "create_time" | "createTime") => OrderField::CreatedAt,
            Some(_) => return Err(Self::refused()),
        };
        let descending = match (words.next(), words.next()) {
            (None | Some("asc"), None) => false,
            (Some("desc"), None) => true,
            _ => return Err(Self::refused()),
        };
        Ok(Self { field, descending })
    }

    fn refused() -> Error {
        let description = "order_by must be one of uid, name, created_at, each optionally followed by asc or desc".to_owned();
        Error::fields(Rule::OrderBy, vec![Violation { field: "order_by".into(), description }])
    }
}

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The items, in order.
    pub items: Vec<T>,
    /// Where the next page goes on; empty on the last.
    pub next_page_token: String,
    /// How many items the whole list has, exactly.
    pub total: u64,
    /// How many items this request skipped.
    pub skipped: u32,
}

/// The error for a page token that cannot be used.
#[must_use]
pub fn page_token_refused(rule: Rule) -> Error {
    let description = match rule {
        Rule::PageTokenMismatch => {
            "page_token belongs to a list with other filters or order; repeat them unchanged or start without it"
        }
        _ => "page_token is not one that this server made; start again without it",
    };
    let violation = Violation { field: "page_token".into(), description: description.into() };
    Error::fields(rule, vec![violation])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn orders_read_both_spellings() {
        let order = |text| Order::parse(text).ok();
        assert_eq!(order(""), Some(Order::default()));
        assert_eq!(order(" name  desc "), Some(Order { field: OrderField::Name, descending: true }));
        assert_eq!(order("createTime asc"), Some(Order { field: OrderField::CreatedAt, descending: false }));
        for bad in ["size", "name up", "name asc desc", "name,uid", "NAME"] {
            assert_eq!(order(bad), None, "{bad}");
        }
    }

    #[test]
    fn sizes_have_their_bounds() {
        let size = |n| ListRequest::parse(UidpFilter::default(), n, "", "", 0).map(|r| r.page_size).ok();
        assert_eq!([size(0), size(1), size(200), size(9999), size(-1)], [Some(50), Some(1), Some(200), Some(200), None]);
        assert!(ListRequest::parse(UidpFilter::default(), 1, "", "", -1).is_err());
    }

    proptest! {
        #[test]
        fn whatever_is_read_as_an_order_was_spelled_as_one(
            text in prop_oneof!["\\PC{0,40}", " ?(uid|name|created_?at|createdAt|create_?[tT]ime|size)?( {0,2}(asc|desc|up|ASC)){0,2} ?"],
        ) {
            let names = [
                (OrderField::Uid, &["uid"][..]),
                (OrderField::Name, &["name"]),
                (OrderField::CreatedAt, &["created_at", "createdAt", "create_time", "createTime"]),
            ];
            let words: Vec<_> = text.split_ascii_whitespace().collect();
            let field = |word: &str| names.iter().find(|(_, spellings)| spellings.contains(&word)).map(|(field, _)| *field);
            let expected = match words[..] {
                [] => Some(Order::default()),
                [name] | [name, "asc"] => field(name).map(|field| Order { field, descending: false }),
                [name, "desc"] => field(name).map(|field| Order { field, descending: true }),
                _ => None,
            };
            prop_assert_eq!(Order::parse(&text).ok(), expected);
        }

        #[test]
        fn sizes_stay_within_their_bounds(page_size: i32, skip: i32) {
            match ListRequest::parse(UidpFilter::default(), page_size, "", "", skip) {
                Ok(read) => {
                    prop_assert!((1..=ListRequest::MAX_PAGE_SIZE).contains(&read.page_size) && page_size >= 0);
                    prop_assert_eq!(i64::from(read.skip), i64::from(skip));
                }
                Err(error) => prop_assert_eq!(error.rule(), if page_size < 0 { Rule::PageSize } else { Rule::Skip }),
            }
        }
    }
}
