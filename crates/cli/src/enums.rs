//! Values of the contract's enums as users write them: in any case, and without the prefix of the enum.

/// The value that `text` names. `name` answers a value's name on the wire, which begins with `prefix`.
///
/// # Errors
/// The names that there are, when it names none.
pub(crate) fn named<T: TryFrom<i32>>(text: &str, prefix: &str, name: fn(&T) -> &'static str) -> Result<T, String> {
    let wanted = text.to_ascii_uppercase();
    let known = (1..).map_while(|number| T::try_from(number).ok());
    let known = known.map(|value| (name(&value).strip_prefix(prefix).unwrap_or_else(|| name(&value)), value));
    let mut names = Vec::new();
    for (name, value) in known {
        if name == wanted {
            return Ok(value);
        }
        names.push(name);
    }
    Err(format!("must be one of {}", names.join(", ")))
}
