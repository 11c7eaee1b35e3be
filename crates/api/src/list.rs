//! List requests: what every one of them carries, and their answers.

use contract::{ListAnswer, Message, Paging, chainguard::platform::common::UidpFilter};
use domain::{Error, ListRequest, Page, Result, Rule, Violations};

use crate::uidp;

/// What a list without pages is asked for: the part of the tree, nothing where nothing can be in it, and the noun's filter.
pub(crate) type Asked<F> = (Option<domain::UidpFilter>, F);

/// Most items of an answer that has no pages.
const WHOLE_ITEMS: u64 = 10_000;
/// Most bytes of such an answer in binary form.
const WHOLE_BYTES: usize = 16 << 20;

/// Reads what list requests carry after the filters of the noun, whose violations are in `violations`. Who asks for no order gets
/// `order`.
///
/// # Errors
/// Invalid argument for a bad filter, size, skip or order.
pub(crate) fn parse(request: &impl contract::ListRequest, order: &str, mut violations: Violations) -> Result<ListRequest> {
    let Paging { uidp, page_size, page_token, order_by, skip } = request.paging();
    let filter = uidp::filter(uidp, &mut violations);
    violations.check()?;
    let order = if order_by.trim().is_empty() { order } else { &order_by };
    ListRequest::parse(filter, page_size, &page_token, order, skip)
}

/// The answer with a page.
pub(crate) fn answer<T, A: ListAnswer>(page: Page<T>, to_wire: fn(&T) -> A::Item) -> A {
    let total = i64::try_from(page.total).unwrap_or(i64::MAX);
    // It arrived as a positive `int32`.
    let skipped = i32::try_from(page.skipped).unwrap_or(i32::MAX);
    A::page(page.items.iter().map(to_wire).collect(), page.next_page_token, total, skipped)
}

/// A filter by text: an empty one admits everything.
pub(crate) fn filter(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// Most values of a filter that admits several.
pub(crate) const VALUES: usize = 100;

/// A filter by several texts, one of which must be there: none at all admits everything.
pub(crate) fn any_of(field: &str, texts: &[String], violations: &mut Violations) -> Vec<String> {
    within(field, texts, VALUES, violations).to_vec()
}

/// Longest text that is searched for, in bytes.
const QUERY: usize = 255;

/// A text that is searched for; nothing and a violation of `field` where it is too long.
pub(crate) fn query(field: &str, text: &str, violations: &mut Violations) -> String {
    if text.len() > QUERY {
        violations.add(field, format!("{} must be at most {QUERY} bytes", crate::field::last(field)));
        return String::new();
    }
    text.to_owned()
}

/// The values of a filter; nothing and a violation of `field` where they are more than `most`.
pub(crate) fn within<'a, T>(field: &str, values: &'a [T], most: usize, violations: &mut Violations) -> &'a [T] {
    if values.len() <= most {
        return values;
    }
    violations.add(field, format!("{} must have at most {most} entries", crate::field::last(field)));
    &[]
}

/// Which part of the tree a list without pages covers: `uidp` and, unless it is empty, the one resource `id`. `None` when nothing
/// can be in both.
///
/// # Errors
/// Invalid argument for a bad filter; `violations` has those of the noun's other filters.
pub(crate) fn part(uidp: Option<UidpFilter>, id: &str, mut violations: Violations) -> Result<Option<domain::UidpFilter>> {
    let mut filter = uidp::filter(uidp, &mut violations);
    let id = uidp::optional("id", id, &mut violations);
    violations.check()?;
    let Some(id) = id else { return Ok(Some(filter)) };
    if !filter.ids.is_empty() && !filter.ids.contains(&id) {
        return Ok(None);
    }
    filter.ids = vec![id];
    Ok(Some(filter))
}

/// All items of a list, for an answer that has no pages. Each page is read by itself, as clients of other versions do; what is there
/// all the time is in the answer once.
///
/// # Errors
/// Failed precondition when they are too many, or too large, for one answer; what reading a page answers.
pub(crate) async fn whole<T, W: Message, F>(
    part: Option<domain::UidpFilter>,
    page: impl Fn(ListRequest) -> F,
    to_wire: fn(&T) -> W,
) -> Result<Vec<W>>
where
    F: Future<Output = Result<Page<T>>>,
{
    let (mut items, mut bytes) = (Vec::new(), 0);
    let Some(part) = part else { return Ok(items) };
    let mut request = ListRequest::first(part);
    loop {
        let read = page(request.clone()).await?;
        if read.total > WHOLE_ITEMS {
            return Err(too_long(&format!("{WHOLE_ITEMS} items; it has {}", read.total)));
        }
        for item in &read.items {
            let item = to_wire(item);
            bytes += item.encoded_len();
            if bytes > WHOLE_BYTES {
                return Err(too_long(&format!("{} MiB", WHOLE_BYTES >> 20)));
            }
            items.push(item);
        }
        if read.next_page_token.is_empty() {
            return Ok(items);
        }
        request.page_token = read.next_page_token;
    }
}

fn too_long(limit: &str) -> Error {
    let description = format!("a list without pages has at most {limit}; narrow it by a filter, or use the list of v2beta1");
    Error::precondition(Rule::ListTooLong, "LIST_TOO_LONG", "", description)
}

#[cfg(test)]
mod tests {
    use contract::chainguard::platform::iam::{self as v1, v2beta1::ListGroupsRequest};
    use domain::{Order, OrderField, Uidp};

    use super::*;

    fn request(order_by: &str) -> ListGroupsRequest {
        ListGroupsRequest {
            page_size: 7,
            page_token: "t".into(),
            order_by: order_by.into(),
            skip: 3,
            ..ListGroupsRequest::default()
        }
    }

    #[test]
    fn the_common_fields_are_read() {
        let request = parse(&request("name desc"), "", Violations::default()).expect("it is fine");
        assert_eq!((request.page_size, request.page_token.as_str(), request.skip), (7, "t", 3));
        assert!(request.order.descending && request.order.field == OrderField::Name);
    }

    #[test]
    fn who_asks_for_no_order_gets_that_of_the_noun() {
        let order = |asked| parse(&request(asked), "created_at desc", Violations::default()).map(|request| request.order).ok();
        let newest_first = Order { field: OrderField::CreatedAt, descending: true };
        assert_eq!([order(""), order(" "), order("uid")], [Some(newest_first), Some(newest_first), Some(Order::default())]);
    }

    #[test]
    fn violations_of_filters_come_first() {
        let refused = |violations| {
            let request = ListGroupsRequest { page_size: -1, ..request("") };
            parse(&request, "", violations).map_err(|error| error.rule())
        };
        let mut violations = Violations::default();
        violations.add("identity", "is bad");
        assert_eq!(refused(violations), Err(Rule::Field));
        assert_eq!(refused(Violations::default()), Err(Rule::PageSize));
    }

    #[test]
    fn an_identifier_narrows_the_filter() {
        let id = |byte| Uidp::root_from([byte; 20]);
        let part = |ids: &[u8], wanted: &str| {
            let uidp = UidpFilter { ids: ids.iter().map(|byte| id(*byte).to_string()).collect(), ..UidpFilter::default() };
            part(Some(uidp), wanted, Violations::default()).map(|part| part.map(|part| part.ids)).map_err(|error| error.rule())
        };
        assert_eq!(part(&[1, 2], ""), Ok(Some(vec![id(1), id(2)])));
        assert_eq!(part(&[1, 2], id(2).as_str()), Ok(Some(vec![id(2)])));
        assert_eq!(part(&[], id(3).as_str()), Ok(Some(vec![id(3)])));
        assert_eq!(part(&[1], id(3).as_str()), Ok(None));
        assert_eq!(part(&[], "x"), Err(Rule::Field));
    }

    /// All of a list of `total` items with descriptions of `length` bytes.
    async fn read(total: u64, length: usize) -> Result<usize> {
        let page = |request: ListRequest| async move {
            let from = request.page_token.parse().unwrap_or(0);
            let to = total.min(from + u64::from(request.page_size));
            let next_page_token = if to < total { to.to_string() } else { String::new() };
            Ok(Page { items: vec![length; usize::try_from(to - from).expect("few")], next_page_token, total, skipped: 0 })
        };
        let to_wire = |length: &usize| v1::Group { description: "x".repeat(*length), ..v1::Group::default() };
        Ok(whole(Some(domain::UidpFilter::default()), page, to_wire).await?.len())
    }

    #[tokio::test]
    async fn whole_lists_have_an_end() {
        assert_eq!(read(0, 1).await.ok(), Some(0));
        assert_eq!(read(450, 1).await.ok(), Some(450));
        assert_eq!(read(10_000, 1).await.ok(), Some(10_000));
        let message = async |total, length| read(total, length).await.map_err(|error| error.message().to_owned()).err();
        let end = "narrow it by a filter, or use the list of v2beta1";
        let expected = format!("Precondition failed: a list without pages has at most 10000 items; it has 10001; {end}");
        assert_eq!(message(10_001, 1).await, Some(expected));
        let expected = format!("Precondition failed: a list without pages has at most 16 MiB; {end}");
        assert_eq!(message(200, 100_000).await, Some(expected));
    }
}
