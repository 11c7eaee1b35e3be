//! Where in the tree a request acts, found in its binary form before anything is built of it.

use prost::encoding::WireType;

use crate::bounds::{Fields, take};

/// A field on the way from a request to the text that says where it acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopeField {
    /// Its number.
    pub number: u32,
    /// Its name in the contract.
    pub name: &'static str,
    /// Its name in JSON.
    pub json_name: &'static str,
}

/// A request is not well-formed on the way to its scope, or has too many fields before it: decoding it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable;

/// What [`Message::scope`](crate::Message::scope) of the decoded request will be, at the cost of one pass over its outermost
/// fields. `way` is that of its method.
///
/// # Errors
/// [`Unreadable`] only for what does not decode either. Not everything that does not decode is noticed.
pub fn find<'w>(way: &[ScopeField], wire: &'w [u8]) -> Result<Option<&'w str>, Unreadable> {
    let mut found = unset(way);
    look(way, wire, &mut Fields::default(), &mut found)?;
    Ok(found)
}

/// What a request says that sets nothing: a text of its own is empty, and one in a message that is absent is absent too.
pub(crate) fn unset<'w, T: From<&'w str>>(way: &[ScopeField]) -> Option<T> {
    (way.len() == 1).then(|| "".into())
}

/// As [`find`], in an encoding that adds to what others have brought: pieces of a message flow together, and of a text the last
/// one counts.
pub(crate) fn look<'w, T: From<&'w str>>(
    way: &[ScopeField],
    mut wire: &'w [u8],
    fields: &mut Fields,
    found: &mut Option<T>,
) -> Result<(), Unreadable> {
    let Some((field, below)) = way.split_first() else { return Ok(()) };
    while !wire.is_empty() {
        let (number, wire_type) = fields.key(&mut wire).map_err(|_| Unreadable)?;
        if number != field.number {
            fields.skip(wire_type, number, &mut wire).map_err(|_| Unreadable)?;
            continue;
        }
        if wire_type != WireType::LengthDelimited {
            return Err(Unreadable);
        }
        let value = take(&mut wire).ok().flatten().ok_or(Unreadable)?;
        if below.is_empty() {
            *found = Some(str::from_utf8(value).map_err(|_| Unreadable)?.into());
        } else {
            found.get_or_insert_with(|| "".into());
            look(below, value, fields, found)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use prost::Message as _;
    use prost_reflect::{DynamicMessage, ReflectMessage as _};

    use super::*;
    use crate::{
        METHODS, Message, Method, Rpc, arbitrary,
        chainguard::platform::iam::v2beta1::rpc::{
            BatchCreateRoleBindings, CreateIdentity, GetGroup, UpdateGroup, UpdateIdentity, UpdateRole,
        },
        descriptors::request_of,
    };

    fn method_of(message: &DynamicMessage) -> Option<&'static Method> {
        METHODS.iter().find(|method| method.request == message.descriptor().full_name())
    }

    /// What a decoded message says.
    fn decoded(way: &[ScopeField], message: &DynamicMessage) -> Option<String> {
        let (field, below) = way.split_first()?;
        let value = message.get_field_by_number(field.number)?;
        if below.is_empty() {
            return value.as_str().map(str::to_owned);
        }
        if message.has_field_by_number(field.number) { decoded(below, value.as_message()?) } else { None }
    }

    /// What decodes has the scope that was found before.
    fn agree<R: Rpc>(wire: &[u8]) {
        let Ok(message) = R::Request::decode(wire) else { return };
        assert_eq!(find(R::METHOD.scope, wire), Ok(message.scope()), "{} {wire:?}", R::METHOD.path);
    }

    fn all_agree(wire: &[u8]) {
        agree::<GetGroup>(wire);
        agree::<UpdateGroup>(wire);
        agree::<CreateIdentity>(wire);
        agree::<UpdateIdentity>(wire);
        agree::<UpdateRole>(wire);
        agree::<BatchCreateRoleBindings>(wire);
        for method in METHODS {
            if let Ok(message) = DynamicMessage::decode(request_of(method).clone(), wire) {
                let found = find(method.scope, wire).map(|found| found.map(str::to_owned));
                assert_eq!(found, Ok(decoded(method.scope, &message)), "{} {wire:?}", method.path);
            }
        }
    }

    #[test]
    fn the_last_text_counts_and_pieces_flow_together() {
        let update = |wire: &[u8]| find(UpdateGroup::METHOD.scope, wire).map(|found| found.map(str::to_owned));
        assert_eq!(update(&[]), Ok(None));
        assert_eq!(update(&[0x0a, 0x00]), Ok(Some(String::new())));
        assert_eq!(update(&[0x0a, 0x03, 0x0a, 0x01, b'a', 0x0a, 0x00]), Ok(Some("a".to_owned())));
        assert_eq!(update(&[0x0a, 0x03, 0x0a, 0x01, b'a', 0x0a, 0x03, 0x0a, 0x01, b'b']), Ok(Some("b".to_owned())));
        assert_eq!(update(&[0x0a, 0x06, 0x0a, 0x01, b'a', 0x0a, 0x01, b'c']), Ok(Some("c".to_owned())));
        for bad in [&[0x0a][..], &[0x0a, 0x02, 0x0a], &[0x08, 0x01], &[0x0a, 0x03, 0x0a, 0x01, 0xff], &[0x0a, 0x02, 0x08, 0x01]] {
            assert_eq!(update(bad), Err(Unreadable), "{bad:?}");
            all_agree(bad);
        }
    }

    #[test]
    fn every_scoped_method_has_a_way() {
        for method in METHODS {
            let scoped = matches!(method.access, crate::Access::Scoped([_, ..]));
            assert!(!scoped || !method.scope.is_empty(), "{}", method.path);
        }
        let names = |method: &Method| method.scope.iter().map(|field| field.name).collect::<Vec<_>>().join(".");
        assert_eq!((names(GetGroup::METHOD), names(UpdateGroup::METHOD)), ("uid".to_owned(), "group.uid".to_owned()));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn the_scope_is_that_of_the_decoded_message(
            message in arbitrary::message(), again in arbitrary::message(),
            at in any::<prop::sample::Index>(), byte in any::<u8>(),
        ) {
            let Some(method) = method_of(&message) else { return Ok(()) };
            let mut wire = message.encode_to_vec();
            if method_of(&again).is_some_and(|other| other.request == method.request) {
                wire.extend(again.encode_to_vec());
            } else {
                wire.extend(message.encode_to_vec());
            }
            all_agree(&wire);
            let length = wire.len();
            if let Some(hit) = (length > 0).then(|| at.index(length)).and_then(|at| wire.get_mut(at)) {
                *hit = byte;
            }
            all_agree(&wire);
            all_agree(wire.get(..at.index(length + 1)).unwrap_or_default());
        }

        #[test]
        fn any_bytes_agree(wire in prop::collection::vec(prop_oneof![Just(0x0a_u8), Just(0x12), Just(1), Just(b'a'), any::<u8>()], 0..24)) {
            all_agree(&wire);
        }
    }
}
