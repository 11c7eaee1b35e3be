//! What every message of the contract can do beyond its binary form.

/// A message of the contract.
pub trait Message: prost::Message + Default + Clone + Send + Sync + 'static {
    /// The full name, such as `chainguard.platform.iam.v2beta1.Group`.
    const NAME: &'static str;

    /// Appends the proto3 JSON form.
    ///
    /// Every field is written, in the order of its declaration, under its JSON name: unset message fields as `null`, empty
    /// lists and maps as such. Left out are only unset members of a oneof and unset `optional` fields. 64-bit integers are
    /// strings, enums names (numbers when the name is unknown), timestamps have three fraction digits and end in `Z`.
    fn write_json(&self, out: &mut String);

    /// The value of the field that says where in the tree the message acts, looked for in the embedded resource too.
    ///
    /// `None` when the message has no such field, or when the embedded resource that has it is absent.
    fn scope(&self) -> Option<&str>;

    /// The required fields of this message itself that are unset or empty, by proto name.
    ///
    /// A `false` counts as filled in; a zero of an integer or enum does not.
    fn missing(&self) -> Vec<&'static str>;
}

/// `google.protobuf.Empty`.
impl Message for () {
    const NAME: &'static str = "google.protobuf.Empty";

    fn write_json(&self, out: &mut String) {
        out.push_str("{}");
    }

    fn scope(&self) -> Option<&str> {
        None
    }

    fn missing(&self) -> Vec<&'static str> {
        Vec::new()
    }
}
