//! Generates what list requests and their answers have in common (AIP-132, AIP-158), for those that have all of it.

use std::fmt::Write as _;

use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use crate::{Result, names};

/// Fields of a list request with pages.
const REQUEST: [&str; 5] = ["uidp", "page_size", "page_token", "order_by", "skip"];
/// Fields of its answer, beside the items.
const ANSWER: [&str; 3] = ["next_page_token", "total_count", "skipped"];

/// Appends `ListRequest` or `ListAnswer` for a message that is one.
pub(crate) fn implement(message: &MessageDescriptor, code: &mut String) -> Result<()> {
    let has = |fields: &[&str]| fields.iter().all(|field| message.get_field_by_name(field).is_some());
    let path = names::message(message);
    if has(&REQUEST) {
        write!(
            code,
            "\nimpl crate::ListRequest for {path} {{\n\
             fn paging(&self) -> crate::Paging {{ crate::Paging {{ uidp: self.uidp.clone(), page_size: self.page_size, \
             page_token: self.page_token.clone(), order_by: self.order_by.clone(), skip: self.skip, \
             }} }}\n}}\n"
        )?;
    }
    if has(&ANSWER)
        && let Some(items) = message.fields().find(FieldDescriptor::is_list)
        && let Kind::Message(item) = items.kind()
    {
        let (items, item) = (names::field(items.name()), names::message(&item));
        write!(
            code,
            "\nimpl crate::ListAnswer for {path} {{\ntype Item = {item};\n\
             fn page(items: Vec<{item}>, next_page_token: String, total: i64, skipped: i32) -> Self {{ \
             Self {{ {items}: items, next_page_token, total_count: Some(total), skipped, ..Self::default() }} }}\n}}\n"
        )?;
    }
    Ok(())
}
