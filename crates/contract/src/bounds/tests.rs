use proptest::prelude::*;
use prost::Message as _;

use super::*;
use crate::{
    METHODS, Rpc, arbitrary,
    chainguard::platform::{
        iam::v2beta1::{
            BatchCreateRoleBindingsRequest, CreateIdentityRequest, CreateRoleBindingRequest, CreateRoleRequest, Identity, Role,
            UpdateGroupRequest,
            identity::{ClaimMatch, Relationship},
            rpc::{BatchCreateRoleBindings, CreateIdentity, CreateRole, UpdateGroup},
        },
        registry::v2beta1::{CustomOverlay, Repo, UpdateRepoRequest, custom_overlay, rpc::UpdateRepo},
    },
};

fn check(shape: &'static Shape, wire: impl AsRef<[u8]>) -> Result<u32, Undecodable> {
    super::check(shape, Bytes::copy_from_slice(wire.as_ref())).map(|counted| counted.elements())
}

fn judge<R: Rpc>(wire: &[u8]) -> Result<(), String> {
    match check(R::METHOD.shape, wire) {
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

fn judged<R: Rpc>(request: &R::Request) -> Result<(), String> {
    judge::<R>(&request.encode_to_vec())
}

fn batch(entries: usize) -> BatchCreateRoleBindingsRequest {
    let requests = vec![CreateRoleBindingRequest::default(); entries];
    BatchCreateRoleBindingsRequest { requests, ..BatchCreateRoleBindingsRequest::default() }
}

fn claims(entries: usize) -> CreateIdentityRequest {
    let claims = (0..entries).map(|number| (number.to_string(), String::new())).collect();
    let relationship = Some(Relationship::ClaimMatch(ClaimMatch { claims, ..ClaimMatch::default() }));
    CreateIdentityRequest { identity: Some(Identity { relationship, ..Identity::default() }), ..CreateIdentityRequest::default() }
}

fn capabilities(entries: usize) -> CreateRoleRequest {
    CreateRoleRequest { role: Some(Role { capabilities: vec![1; entries], ..Role::default() }), ..CreateRoleRequest::default() }
}

#[test]
fn what_is_counted_is_told() {
    let count = |shape, wire: Vec<u8>| check(shape, wire).expect("it is not too much");
    assert_eq!(count(BatchCreateRoleBindings::METHOD.shape, batch(25).encode_to_vec()), 25);
    assert_eq!(count(CreateIdentity::METHOD.shape, claims(32).encode_to_vec()), 32);
    assert_eq!(count(CreateRole::METHOD.shape, capabilities(3).encode_to_vec()), 3);
    assert_eq!(count(CreateRole::METHOD.shape, Vec::new()), 0);
}

#[test]
fn lists_and_maps_take_what_the_contract_says() {
    assert_eq!(judged::<BatchCreateRoleBindings>(&batch(25)), Ok(()));
    assert_eq!(judged::<BatchCreateRoleBindings>(&batch(26)), Err("requests has more than 25 entries".to_owned()));
    assert_eq!(judged::<CreateIdentity>(&claims(32)), Ok(()));
    let error = "identity.claim_match.claims has more than 32 entries".to_owned();
    assert_eq!(judged::<CreateIdentity>(&claims(33)), Err(error));
}

#[test]
fn lists_of_enums_take_as_many_as_there_are_values_packed_or_not() {
    let all = crate::enum_names("chainguard.capabilities.Capability").len();
    assert!(all > 100, "{all}");
    assert_eq!(judged::<CreateRole>(&capabilities(all)), Ok(()));
    let error = Err(format!("role.capabilities has more than {all} entries"));
    assert_eq!(judged::<CreateRole>(&capabilities(all + 1)), error);
    // One field for each: number 4 of a role, which is number 2 of the request.
    let mut role = Vec::new();
    for _ in 0..=all {
        role.extend([0x20, 0x01]);
    }
    let mut wire = Vec::new();
    prost::encoding::bytes::encode(2, &role, &mut wire);
    assert_eq!(CreateRoleRequest::decode(wire.as_slice()).unwrap().role.unwrap().capabilities.len(), all + 1);
    assert_eq!(judge::<CreateRole>(&wire), error);
}

/// A message that is encoded in pieces is one message, whose lists go on.
#[test]
fn pieces_of_a_message_are_counted_together() {
    let mut wire = claims(20).encode_to_vec();
    assert_eq!(judge::<CreateIdentity>(&wire), Ok(()));
    wire.extend(claims(20).encode_to_vec());
    assert_eq!(judge::<CreateIdentity>(&wire), Err("identity.claim_match.claims has more than 32 entries".to_owned()));
}

#[test]
fn elements_have_counts_of_their_own_and_places_in_errors() {
    let group = |members: usize| custom_overlay::accounts::Group {
        members: vec![String::new(); members],
        ..custom_overlay::accounts::Group::default()
    };
    let request = |members: &[usize]| {
        let groups = members.iter().map(|members| group(*members)).collect();
        let accounts = Some(custom_overlay::Accounts { groups, ..custom_overlay::Accounts::default() });
        let custom_overlay = Some(CustomOverlay { accounts, ..CustomOverlay::default() });
        UpdateRepoRequest { repo: Some(Repo { custom_overlay, ..Repo::default() }), update_mask: None }
    };
    assert_eq!(judged::<UpdateRepo>(&request(&[100; 100])), Ok(()));
    let error = "repo.custom_overlay.accounts.groups[2].members has more than 100 entries".to_owned();
    assert_eq!(judged::<UpdateRepo>(&request(&[100, 100, 101])), Err(error));
}

#[test]
fn what_is_not_well_formed_is_malformed() {
    for wire in [&[0x12][..], &[0x12, 0x05, 0x00], &[0x12, 0xff, 0xff, 0xff, 0xff, 0x0f], &[0x00]] {
        assert!(matches!(check(BatchCreateRoleBindings::METHOD.shape, wire), Err(Undecodable::Malformed(_))), "{wire:?}");
        assert!(BatchCreateRoleBindingsRequest::decode(wire).is_err(), "{wire:?}");
    }
}

/// Decoding takes the entry of a map for what it is, however its key says that it is written: what is counted would be
/// somewhere else from there on.
#[test]
fn entries_of_maps_are_written_as_messages() {
    let limits = |wire_type: u8| {
        let mut wire = Vec::new();
        prost::encoding::bytes::encode(1, &vec![4 << 3 | wire_type, 0], &mut wire);
        wire
    };
    for wire_type in [0, 1, 3, 4, 5] {
        let wire = limits(wire_type);
        assert!(UpdateGroupRequest::decode(wire.as_slice()).is_ok(), "{wire_type}: decoding has become as strict");
        assert!(matches!(check(UpdateGroup::METHOD.shape, wire), Err(Undecodable::Malformed(_))), "{wire_type}");
    }
    assert!(check(UpdateGroup::METHOD.shape, limits(2)).is_ok());
}

/// As a message that contains itself would be described: a list of itself, and one of itself.
static TREE: Shape = Shape {
    fields: &[
        Field {
            number: 1,
            name: "branches",
            entries: Some(Entries { most: LIST, may_be_empty: true, slot: 0 }),
            holds: Holds::Message { shape: &TREE, base: None },
        },
        Field { number: 2, name: "trunk", entries: None, holds: Holds::Message { shape: &TREE, base: None } },
    ],
};

fn nested(number: u32, levels: usize) -> Vec<u8> {
    (0..levels).fold(Vec::new(), |inner, _| {
        let mut outer = Vec::new();
        prost::encoding::bytes::encode(number, &inner, &mut outer);
        outer
    })
}

#[test]
fn nesting_has_a_limit() {
    let levels = usize::try_from(DEPTH).unwrap();
    for number in [1, 2] {
        assert!(check(&TREE, nested(number, levels - 1)).is_ok());
        assert!(matches!(check(&TREE, nested(number, levels)), Err(Undecodable::TooDeep)));
        assert!(matches!(check(&TREE, nested(number, 10_000)), Err(Undecodable::TooDeep)));
    }
}

#[test]
fn all_elements_together_have_a_limit() {
    let leaves = |count: usize| [0x0a, 0x00].repeat(count);
    let branches = |count: usize| {
        let mut wire = Vec::new();
        for _ in 0..count {
            prost::encoding::bytes::encode(1, &leaves(999), &mut wire);
        }
        wire
    };
    assert!(check(&TREE, branches(20)).is_ok());
    assert!(matches!(check(&TREE, branches(21)), Err(Undecodable::TooLarge)));
}

/// Whatever they are: one field of which the last value counts, fields of a message, unknown ones, and those of groups.
#[test]
fn all_fields_together_have_a_limit() {
    let most = usize::try_from(FIELDS).unwrap();
    let within = |outer: &[u8], inner: Vec<u8>, end: &[u8]| [outer, &inner, end].concat();
    let name = |count: usize| [0x12, 0x00].repeat(count);
    let group = |fields: Vec<u8>| {
        let mut wire = Vec::new();
        prost::encoding::bytes::encode(2, &fields, &mut wire);
        wire
    };
    let unknown = |count: usize| [0xf8, 0x07, 0x00].repeat(count);
    for (what, fits, too_many) in [
        ("again", name(most), name(most + 1)),
        ("within a message", group(name(most - 1)), group(name(most))),
        ("unknown", unknown(most), unknown(most + 1)),
        // A group begins and ends with a key each.
        (
            "in a group",
            within(&[0xfb, 0x07], unknown(most - 2), &[0xfc, 0x07]),
            within(&[0xfb, 0x07], unknown(most - 1), &[0xfc, 0x07]),
        ),
    ] {
        assert!(check(CreateRole::METHOD.shape, &fits).is_ok(), "{what}");
        assert!(matches!(check(CreateRole::METHOD.shape, &too_many), Err(Undecodable::TooManyFields)), "{what}");
        assert!(crate::scope::find(CreateRole::METHOD.scope, &too_many).is_err() || what == "within a message", "{what}");
    }
}

#[test]
fn groups_are_passed_over_and_end_where_they_began() {
    let judge = |wire: &[u8]| check(CreateRole::METHOD.shape, wire).map_err(|error| error.to_string());
    assert_eq!(judge(&[0xfb, 0x07, 0x08, 0x01, 0xfc, 0x07]), Ok(0));
    assert_eq!(judge(&[0xfb, 0x07, 0xfb, 0x07, 0xfc, 0x07, 0xfc, 0x07]), Ok(0));
    assert!(judge(&[0xfb, 0x07, 0x08, 0x01, 0x0c]).is_err_and(|error| error.contains("unexpected end group tag")));
    assert!(judge(&[0xfc, 0x07]).is_err_and(|error| error.contains("unexpected end group tag")));
    assert!(judge(&[0xfb, 0x07, 0x08, 0x01]).is_err());
    assert!(judge(&[0xfb, 0x07].repeat(33)).is_err_and(|error| error.contains("deeper than 32 levels")));
}

#[test]
fn numbers_of_fixed_width_are_counted_by_their_width() {
    static NUMBERS: Shape = Shape {
        fields: &[Field {
            number: 1,
            name: "numbers",
            entries: Some(Entries { most: 3, may_be_empty: true, slot: 0 }),
            holds: Holds::Numbers(|packed| packed.len() / 8),
        }],
    };
    let packed = |count: usize| {
        let mut wire = Vec::new();
        prost::encoding::double::encode_packed(1, &vec![1.5; count], &mut wire);
        wire
    };
    assert!(check(&NUMBERS, packed(3)).is_ok());
    assert!(check(&NUMBERS, packed(4)).is_err());
    let mut single = Vec::new();
    prost::encoding::double::encode_repeated(1, &[1.5; 4], &mut single);
    assert!(check(&NUMBERS, &single).is_err());
}

/// A method that is added is bounded without a line written for it.
#[test]
fn every_list_and_map_of_every_request_is_counted() {
    fn uncounted(message: &prost_reflect::MessageDescriptor, shape: Option<&'static Shape>, seen: &mut Vec<String>) {
        if seen.iter().any(|name| name == message.full_name()) {
            return;
        }
        seen.push(message.full_name().to_owned());
        for field in message.fields() {
            let known = shape.and_then(|shape| shape.fields.iter().find(|known| known.number == field.number()));
            if field.is_list() || field.is_map() {
                let entries = known.and_then(|known| known.entries.as_ref());
                assert!(entries.is_some_and(|entries| entries.most <= LIST), "{}", field.full_name());
            }
            if let prost_reflect::Kind::Message(inner) = field.kind() {
                let below = known.and_then(|known| match &known.holds {
                    Holds::Message { shape, .. } => Some(*shape),
                    _ => None,
                });
                uncounted(&inner, below, seen);
            }
        }
        seen.pop();
    }
    for method in METHODS {
        uncounted(crate::descriptors::request_of(method), Some(method.shape), &mut Vec::new());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Whatever passes is decoded, and whatever is cut is no more than malformed.
    #[test]
    fn messages_of_everyday_size_pass(message in arbitrary::message(), cut in any::<prop::sample::Index>()) {
        let descriptor = prost_reflect::ReflectMessage::descriptor(&message);
        let Some(method) = METHODS.iter().find(|method| method.request == descriptor.full_name()) else { return Ok(()) };
        let wire = message.encode_to_vec();
        prop_assert!(check(method.shape, &wire).is_ok());
        let cut = wire.get(..cut.index(wire.len() + 1)).unwrap_or_default();
        match check(method.shape, cut) {
            Ok(_) | Err(Undecodable::Malformed(_)) => {}
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}
