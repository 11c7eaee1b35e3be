//! Update masks. An update applied twice is applied once, and with itself changes nothing.
#![no_main]

use contract::{
    Message,
    chainguard::platform::{
        iam::v2beta1::{Group, Identity, Role, RoleBinding},
        registry::v2beta1::Repo,
    },
    mask,
};
use libfuzzer_sys::fuzz_target;
use prost_types::FieldMask;

fn update<M: Message + PartialEq + std::fmt::Debug>(current: &[u8], patch: &[u8], paths: &[&str]) {
    let (Ok(current), Ok(patch)) = (M::decode(current), M::decode(patch)) else { return };
    let mask = FieldMask { paths: paths.iter().map(|path| (*path).to_owned()).collect() };
    for mask in [None, Some(&mask)] {
        let Ok(once) = mask::apply(&current, &patch, mask) else { continue };
        assert!(mask::apply(&once, &patch, mask).as_ref() == Ok(&once), "{mask:?} twice on {current:?} with {patch:?}");
        assert!(mask::apply(&current, &current, mask).as_ref() == Ok(&current), "{mask:?} on {current:?} with itself");
    }
}

fuzz_target!(|input: (&[u8], &[u8], Vec<&str>)| {
    let (current, patch, paths) = input;
    update::<Group>(current, patch, &paths);
    update::<Identity>(current, patch, &paths);
    update::<Role>(current, patch, &paths);
    update::<RoleBinding>(current, patch, &paths);
    update::<Repo>(current, patch, &paths);
});
