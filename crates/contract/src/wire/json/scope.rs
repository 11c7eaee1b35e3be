//! Where in the tree a request acts, found in a JSON text before anything is made of it.

use std::borrow::Cow;

use super::syntax::Parser;
use crate::{
    Body,
    scope::{ScopeField, Unreadable},
};

/// Adds to `found` what the body of a binding says about where its request acts. Nothing grows with the text.
///
/// # Errors
/// [`Unreadable`] only for what cannot be read either. Not everything that cannot be read is noticed.
pub(in crate::wire) fn look<'a>(
    way: &[ScopeField],
    body: Body,
    json: &'a [u8],
    found: &mut Option<Cow<'a, str>>,
) -> Result<(), Unreadable> {
    let Some((field, below)) = way.split_first() else { return Ok(()) };
    let mut parser = Parser::new(str::from_utf8(json).map_err(|_| Unreadable)?);
    match body {
        Body::All => object(&mut parser, way, found),
        Body::Field(name) if name == field.name => value(&mut parser, below, found),
        Body::Field(_) | Body::None => Ok(()),
    }
}

/// Reads the value of a field on the way; `below` are the fields that follow it.
fn value<'a>(parser: &mut Parser<'a>, below: &[ScopeField], found: &mut Option<Cow<'a, str>>) -> Result<(), Unreadable> {
    match parser.next() {
        // Null counts as absent.
        Some(b'n') => parser.pass().ok_or(Unreadable),
        Some(b'"') if below.is_empty() => {
            *found = Some(parser.text().ok_or(Unreadable)?);
            Ok(())
        }
        Some(b'{') if !below.is_empty() => {
            found.get_or_insert_default();
            object(parser, below, found)
        }
        _ => Err(Unreadable),
    }
}

fn object<'a>(parser: &mut Parser<'a>, way: &[ScopeField], found: &mut Option<Cow<'a, str>>) -> Result<(), Unreadable> {
    let Some((field, below)) = way.split_first() else { return Ok(()) };
    if parser.next() != Some(b'{') {
        return Err(Unreadable);
    }
    parser.step();
    if parser.next() == Some(b'}') {
        parser.step();
        return Ok(());
    }
    loop {
        let key = (parser.next() == Some(b'"')).then(|| parser.text()).flatten().ok_or(Unreadable)?;
        if parser.next() != Some(b':') {
            return Err(Unreadable);
        }
        parser.step();
        if key == field.name || key == field.json_name {
            value(parser, below, found)?;
        } else {
            parser.next();
            parser.pass().ok_or(Unreadable)?;
        }
        let end = parser.next();
        parser.step();
        match end {
            Some(b',') => {}
            Some(b'}') => return Ok(()),
            _ => return Err(Unreadable),
        }
    }
}
