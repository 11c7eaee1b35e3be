//! Path variables and query parameters. What they are bound to is always an encoded request of the method.
#![no_main]

use contract::{METHODS, message_descriptor, wire::Request};
use libfuzzer_sys::fuzz_target;
use prost_reflect::DynamicMessage;

fuzz_target!(|input: (u8, &str, Vec<(&str, &str)>)| {
    let (number, value, pairs) = input;
    let method = &METHODS[usize::from(number) % METHODS.len()];
    for rule in method.http {
        let mut request = Request::new(method, rule);
        let variables = rule.template.split('{').skip(1).filter_map(|part| part.split(['=', '}']).next());
        for variable in variables {
            if request.path(variable, value).is_err() {
                return;
            }
        }
        if let Err(errors) = request.query(pairs.iter().copied()) {
            assert!(!errors.is_empty() && errors.len() <= 100, "errors are told, and not without end");
            return;
        }
        let wire = request.finish();
        let descriptor = message_descriptor(method.request).expect("a message of the contract");
        DynamicMessage::decode(descriptor, wire.as_slice()).expect("what was bound decodes");
    }
});
