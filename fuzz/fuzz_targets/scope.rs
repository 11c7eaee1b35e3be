//! Where requests act. What is found before anything is decoded is what the decoded request says, and what is counted is what is
//! built: a request is decoded after it was counted.
#![no_main]

use contract::{
    Endpoint, Message, Rpc,
    chainguard::platform::iam::v2beta1::{
        Identity, UpdateIdentityRequest,
        identity::Relationship,
        rpc::{BatchCreateRoleBindings, CreateIdentity, GetGroup, UpdateGroup, UpdateIdentity, UpdateRole},
    },
    scope,
    wire::Request,
};
use libfuzzer_sys::fuzz_target;
use prost::Message as _;

fn agree<R: Rpc>(input: &[u8]) {
    let endpoint = Endpoint::<(), ()>::new::<R, _, _, R::Response>(|(), _| async { Err(()) });
    if let Ok(counted) = endpoint.count(input.to_vec().into())
        && let Ok(call) = endpoint.decode(counted)
    {
        assert_eq!(scope::find(R::METHOD.scope, input), Ok(call.scope()), "{}", R::METHOD.path);
    }
    for rule in R::METHOD.http {
        let mut request = Request::new(R::METHOD, rule);
        let found = request.scope(input).map(|found| found.map(|text| text.into_owned()));
        if request.body(input).is_ok() {
            let request = R::Request::decode(request.finish().as_slice()).expect("what was bound decodes");
            assert_eq!(found, Ok(request.scope().map(str::to_owned)), "{} as JSON", R::METHOD.path);
        }
    }
}

fuzz_target!(|input: &[u8]| {
    agree::<GetGroup>(input);
    agree::<UpdateGroup>(input);
    agree::<CreateIdentity>(input);
    agree::<UpdateIdentity>(input);
    agree::<UpdateRole>(input);
    agree::<BatchCreateRoleBindings>(input);
    let endpoint = Endpoint::<(), ()>::new::<UpdateIdentity, _, _, _>(|(), _| async { Ok(Identity::default()) });
    if let Ok(counted) = endpoint.count(input.to_vec().into())
        && let Ok(call) = endpoint.decode(counted)
    {
        let request = UpdateIdentityRequest::decode(call.wire()).expect("what was decoded decodes");
        assert!(request.update_mask.is_none_or(|mask| mask.paths.len() <= 1000), "more was built than is counted");
        if let Some(Relationship::ClaimMatch(rule)) = request.identity.and_then(|identity| identity.relationship) {
            assert!(rule.claims.len() <= 32 && rule.claim_patterns.len() <= 32, "more was built than is counted");
        }
    }
});
