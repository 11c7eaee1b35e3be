//! Path, query and body of an HTTP request as the binary form of the method's request message.

use contract::{
    Body,
    wire::{Document, FieldError, JsonError, Request},
};
use domain::{Error, Rule, error::Violation};
use http::{HeaderMap, header::CONTENT_TYPE};

use super::{Target, query::pairs};

/// Binds what the path captured.
///
/// # Errors
/// Invalid argument when a value does not fit its field.
pub(super) fn path(request: &mut Request, captures: Vec<(&str, String)>) -> Result<(), Error> {
    captures.into_iter().try_for_each(|(field, value)| request.path(field, &value)).map_err(|error| misfits(vec![error]))
}

/// Binds the query.
///
/// # Errors
/// Invalid argument naming every parameter that is unknown or does not fit.
pub(super) fn query(request: &mut Request, query: &str) -> Result<(), Error> {
    request.query(pairs(query)?).map_err(misfits)
}

/// Binds the body and finishes the request.
///
/// A body is JSON whatever its content type says. Only where the contract maps no body is a form possible: then its pairs
/// are parameters like those of the query, and a JSON object is the whole message.
///
/// # Errors
/// Invalid argument with the position in the JSON, or naming the parameter.
pub(super) fn body(mut request: Request, target: &Target, headers: &HeaderMap, body: &[u8]) -> Result<Vec<u8>, Error> {
    if target.rule.body != Body::None {
        request.body(body).map_err(misread)?;
        return Ok(request.finish());
    }
    if is_json(headers, body) {
        let message = contract::message_descriptor(target.method.request)
            .ok_or_else(|| Error::internal(format!("the contract has no {}", target.method.request)))?;
        let mut wire = Vec::new();
        let document = Document::parse(body).map_err(misread)?;
        document.append(&mut wire, &message, Body::All).map_err(misread)?;
        // What path and query say comes later and wins, as everywhere.
        wire.extend(request.finish());
        return Ok(wire);
    }
    let form = std::str::from_utf8(body).map_err(|_| Error::field("body", "body must be a form or a JSON object"))?;
    query(&mut request, form.trim())?;
    Ok(request.finish())
}

fn is_json(headers: &HeaderMap, body: &[u8]) -> bool {
    let body = body.trim_ascii();
    let declared = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(|value| {
        let kind = value.split(';').next().unwrap_or_default().trim();
        kind.eq_ignore_ascii_case("application/json")
    });
    body.starts_with(b"{") || (declared && !body.is_empty())
}

fn misfits(errors: Vec<FieldError>) -> Error {
    let violation = |FieldError { field, problem }| Violation { field, description: problem };
    Error::fields(Rule::Field, errors.into_iter().map(violation).collect())
}

fn misread(error: JsonError) -> Error {
    let JsonError { message, line, column, path } = error;
    let field = if path.is_empty() { "body".to_owned() } else { path };
    Error::fields(Rule::Json, vec![Violation { field, description: format!("{message} (line {line}, column {column})") }])
}
