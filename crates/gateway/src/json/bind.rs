//! Path, query and body of an HTTP request as the binary form of the method's request message.

use bytes::Bytes;
use contract::{
    Body,
    wire::{FieldError, JsonError, Request},
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

/// Whether the body is read as JSON, whatever its content type says. Only where the contract maps no body is a form possible:
/// there, an object is the whole message.
pub(super) fn is_json(target: &Target, headers: &HeaderMap, body: &[u8]) -> bool {
    let body = body.trim_ascii();
    let declared = || {
        headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(|value| {
            let kind = value.split(';').next().unwrap_or_default().trim();
            kind.eq_ignore_ascii_case("application/json")
        })
    };
    target.rule.body != Body::None || body.starts_with(b"{") || (!body.is_empty() && declared())
}

/// Binds a form: its pairs are parameters like those of the query.
///
/// # Errors
/// Invalid argument naming every parameter that is unknown or does not fit.
pub(super) fn form(request: &mut Request, body: &[u8]) -> Result<(), Error> {
    let form = std::str::from_utf8(body).map_err(|_| Error::field("body", "body must be a form or a JSON object"))?;
    query(request, form.trim())
}

/// Binds a JSON body and finishes the request.
///
/// # Errors
/// Invalid argument with the position in the JSON.
pub(super) fn body(mut request: Request, body: &[u8]) -> Result<Bytes, Error> {
    request.body(body).map_err(misread)?;
    Ok(request.finish().into())
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
