//! The one error vocabulary. It knows no transport: `gateway` turns it into a gRPC status and an HTTP answer at one point.

mod rule;

use std::{error::Error as StdError, fmt, time::Duration};

pub use rule::Rule;

use crate::change::Noun;

/// The class of an error, named after the canonical codes of google.rpc.Code (AIP-193).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The request can never succeed as it is.
    InvalidArgument,
    /// The caller did not prove who it is.
    Unauthenticated,
    /// The caller may not do this here.
    PermissionDenied,
    /// The resource does not exist.
    NotFound,
    /// A resource with that unique key exists.
    AlreadyExists,
    /// The system is not in the state that the request needs.
    FailedPrecondition,
    /// Lost against a concurrent change; read again and retry.
    Aborted,
    /// A limit of this server was reached for now; retry later.
    ResourceExhausted,
    /// The request took longer than it may.
    DeadlineExceeded,
    /// The method exists in the contract but not yet in this server.
    Unimplemented,
    /// A part that the server depends on does not answer; retry later.
    Unavailable,
    /// A defect of the server; details are in its log under the request id.
    Internal,
}

/// How long a message that names several violations may become, in bytes.
const SUMMARY: usize = 1024;

/// One failed condition of the system's state (google.rpc.PreconditionFailure).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Precondition {
    /// A stable name such as `RESOURCE_NOT_EMPTY`.
    pub kind: &'static str,
    /// What the condition is about: usually a UIDP.
    pub subject: String,
    /// What is wrong and what to do.
    pub description: String,
}

/// One field that does not have the value that it must have (google.rpc.BadRequest).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Path of the field: snake case, dots between levels, relative to the resource for fields of the resource.
    pub field: String,
    /// What is wrong and what would be right.
    pub description: String,
}

/// What a caller learns about a failure beyond kind and message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Fields with wrong values, one entry each.
    Fields(Vec<Violation>),
    /// Conditions that do not hold.
    Preconditions(Vec<Precondition>),
    /// The resource that the error is about.
    Resource {
        /// What kind of resource.
        noun: Noun,
        /// Its identifier.
        uid: String,
    },
    /// When a retry makes sense.
    RetryAfter(Duration),
    /// Documents that have to be accepted first, as the version of the API writes it that is called (`TermsNotAcceptedDetail`).
    TermsNotAccepted {
        /// Whether that is v1.
        old: bool,
        /// The documents, one entry each.
        missing: Vec<MissingDocument>,
    },
}

/// A document that has to be accepted before a method can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingDocument {
    /// Its id.
    pub id: String,
    /// Its title.
    pub label: String,
    /// Where it can be read.
    pub url: String,
}

/// A failure with an outside half (kind, rule, message, details) and an inside half (the cause), which only the log sees.
pub struct Error(Box<Inner>);

struct Inner {
    kind: Kind,
    rule: Rule,
    message: String,
    details: Vec<Detail>,
    /// Violations that are not among the details.
    omitted: usize,
    cause: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// An error of `kind` for `rule`; `message` is shown to the caller as it is.
    pub fn new(kind: Kind, rule: Rule, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { kind, rule, message: message.into(), details: Vec::new(), omitted: 0, cause: None }))
    }

    /// The request as a whole cannot be accepted; `why` follows the prefix that every such message has.
    pub fn invalid(rule: Rule, why: impl std::fmt::Display) -> Self {
        Self::new(Kind::InvalidArgument, rule, format!("Invalid argument: {why}"))
    }

    /// One field has a wrong value.
    pub fn field(field: impl Into<String>, description: impl Into<String>) -> Self {
        Self::fields(Rule::Field, vec![Violation { field: field.into(), description: description.into() }])
    }

    /// Several fields have wrong values. What is beyond [`Violations::MAX`] is counted and left out.
    #[must_use]
    pub fn fields(rule: Rule, violations: Vec<Violation>) -> Self {
        Self::listing(rule, violations, 0)
    }

    /// Several fields have wrong values, and `more` that are not listed.
    fn listing(rule: Rule, mut violations: Vec<Violation>, more: usize) -> Self {
        let omitted = more.saturating_add(violations.len().saturating_sub(Violations::MAX));
        violations.truncate(Violations::MAX);
        let message = invalid(&violations, omitted);
        let mut error = Self::new(Kind::InvalidArgument, rule, message).with(Detail::Fields(violations));
        error.0.omitted = omitted;
        error
    }

    /// The same error, with fields called as `rename` says; `None` leaves a path as it is. A description that begins with the name of
    /// its field follows.
    #[must_use]
    pub fn renamed(mut self, rename: impl Fn(&str) -> Option<String>) -> Self {
        let omitted = self.0.omitted;
        for detail in &mut self.0.details {
            let Detail::Fields(violations) = detail else { continue };
            let mut changed = false;
            for violation in violations.iter_mut() {
                if let Some(field) = rename(&violation.field) {
                    violation.rename(field);
                    changed = true;
                }
            }
            if changed {
                self.0.message = invalid(violations, omitted);
            }
        }
        self
    }

    /// A condition of the system's state does not hold. `kind` is the violation's type.
    pub fn precondition(rule: Rule, kind: &'static str, subject: impl Into<String>, description: impl Into<String>) -> Self {
        let (subject, description) = (subject.into(), description.into());
        let message = format!("Precondition failed: {description}");
        Self::new(Kind::FailedPrecondition, rule, message).with(Detail::Preconditions(vec![Precondition {
            kind,
            subject,
            description,
        }]))
    }

    /// The resource still has `children` below it, such as `child repos`.
    pub fn not_empty(noun: Noun, uid: impl Into<String>, children: &str) -> Self {
        let description = format!("cannot delete {} with {children}", noun.title());
        Self::precondition(Rule::NotEmpty, "RESOURCE_NOT_EMPTY", uid, description)
    }

    /// No resource of that kind has this identifier.
    pub fn not_found(noun: Noun, uid: impl Into<String>) -> Self {
        let uid = uid.into();
        Self::new(Kind::NotFound, Rule::NoSuchResource, format!("{} {uid} not found", noun.title()))
            .with(Detail::Resource { noun, uid })
    }

    /// The caller may not do this here. The message names what is missing, never whether the thing exists.
    pub fn denied(rule: Rule, message: impl Into<String>) -> Self {
        Self::new(Kind::PermissionDenied, rule, message)
    }

    /// The caller did not prove who it is.
    pub fn unauthenticated(rule: Rule, message: impl Into<String>) -> Self {
        Self::new(Kind::Unauthenticated, rule, message)
    }

    /// A defect of the server or its storage. The caller learns only that; `cause` goes to the log.
    pub fn internal(cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::new(Kind::Internal, Rule::Internal, "internal error; the server's log has more under the request id").because(cause)
    }

    /// Adds a detail.
    #[must_use]
    pub fn with(mut self, detail: Detail) -> Self {
        self.0.details.push(detail);
        self
    }

    /// Adds the cause, which only the log sees.
    #[must_use]
    pub fn because(mut self, cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    /// The class.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// The precise reason.
    #[must_use]
    pub fn rule(&self) -> Rule {
        self.0.rule
    }

    /// What the caller reads.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// How many violations are not among the details.
    #[must_use]
    pub fn omitted(&self) -> usize {
        self.0.omitted
    }

    /// What the caller's program reads.
    #[must_use]
    pub fn details(&self) -> &[Detail] {
        &self.0.details
    }
}

/// The last segment of a field's path, which descriptions call it by.
pub(crate) fn last_segment(field: &str) -> &str {
    field.rsplit('.').next().unwrap_or(field)
}

impl Violation {
    fn rename(&mut self, field: String) {
        let (from, to) = (last_segment(&self.field), last_segment(&field));
        if let Some(rest) = self.description.strip_prefix(from).filter(|rest| rest.starts_with(' ')) {
            self.description = format!("{to}{rest}");
        }
        self.field = field;
    }
}

/// The message about these violations.
fn invalid(violations: &[Violation], omitted: usize) -> String {
    format!("Invalid argument: {}", summary(violations, omitted))
}

/// The violations as one text of about [`SUMMARY`] bytes, and how many there are that it does not name.
fn summary(violations: &[Violation], omitted: usize) -> String {
    let mut text = String::new();
    for (index, Violation { field, description }) in violations.iter().enumerate() {
        if index > 0 && text.len() + field.len() + description.len() > SUMMARY {
            let more = omitted.saturating_add(violations.len() - index);
            return format!("{text}; and {more} more");
        }
        text.extend([if index > 0 { "; " } else { "" }, field, ": ", description]);
    }
    if omitted > 0 { format!("{text}; and {omitted} more") } else { text }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("rule", &self.0.rule)
            .field("message", &self.0.message)
            .field("details", &self.0.details)
            .field("omitted", &self.0.omitted)
            .field("cause", &self.0.cause)
            .finish()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.cause.as_ref().map(|cause| &**cause as &(dyn StdError + 'static))
    }
}

/// Collects field violations so that one answer names them all.
#[derive(Clone, Debug, Default)]
pub struct Violations {
    listed: Vec<Violation>,
    /// Those beyond [`Self::MAX`].
    more: usize,
}

impl Violations {
    /// Most violations that one answer names, so that an error is never longer than its request deserves.
    pub const MAX: usize = 100;

    /// Adds a violation, unless the field already has one. Those beyond [`Self::MAX`] are counted only.
    pub fn add(&mut self, field: impl Into<String>, description: impl Into<String>) {
        let field = field.into();
        if self.listed.iter().any(|known| known.field == field) {
            return;
        }
        if self.listed.len() < Self::MAX {
            self.listed.push(Violation { field, description: description.into() });
        } else {
            self.more = self.more.saturating_add(1);
        }
    }

    /// Adds what was found elsewhere, as [`Self::add`] does.
    pub fn append(&mut self, other: Self) {
        for Violation { field, description } in other.listed {
            self.add(field, description);
        }
        self.more = self.more.saturating_add(other.more);
    }

    /// Whether no violation was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// The error that names all violations, if there are any.
    ///
    /// # Errors
    /// [`Kind::InvalidArgument`] when at least one violation was added.
    pub fn check(self) -> Result<(), Error> {
        if self.listed.is_empty() { Ok(()) } else { Err(Error::listing(Rule::Field, self.listed, self.more)) }
    }

    /// What was read, or the error that names all violations. INVARIANT: who gives `None` has added a violation.
    ///
    /// # Errors
    /// [`Kind::InvalidArgument`] when at least one violation was added.
    pub fn finish<T>(self, read: Option<T>) -> Result<T, Error> {
        self.check()?;
        read.ok_or_else(|| Error::internal("a value was refused without a violation"))
    }
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 12] = [
        Self::InvalidArgument,
        Self::Unauthenticated,
        Self::PermissionDenied,
        Self::NotFound,
        Self::AlreadyExists,
        Self::FailedPrecondition,
        Self::Aborted,
        Self::ResourceExhausted,
        Self::DeadlineExceeded,
        Self::Unimplemented,
        Self::Unavailable,
        Self::Internal,
    ];

    /// The canonical name, such as `INVALID_ARGUMENT`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::Unauthenticated => "UNAUTHENTICATED",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::NotFound => "NOT_FOUND",
            Self::AlreadyExists => "ALREADY_EXISTS",
            Self::FailedPrecondition => "FAILED_PRECONDITION",
            Self::Aborted => "ABORTED",
            Self::ResourceExhausted => "RESOURCE_EXHAUSTED",
            Self::DeadlineExceeded => "DEADLINE_EXCEEDED",
            Self::Unimplemented => "UNIMPLEMENTED",
            Self::Unavailable => "UNAVAILABLE",
            Self::Internal => "INTERNAL",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_name_each_field_once_and_not_without_end() {
        let mut violations = Violations::default();
        for i in 0..2 * Violations::MAX {
            violations.add(format!("ids[{}]", i / 2), "is bad");
            violations.add(format!("ids[{i}]"), "is bad");
        }
        let error = violations.check().expect_err("violations were added");
        let [Detail::Fields(fields)] = error.details() else { panic!("{error:?}") };
        let distinct: std::collections::HashSet<_> = fields.iter().map(|violation| &violation.field).collect();
        assert_eq!((fields.len(), distinct.len()), (Violations::MAX, Violations::MAX));
    }

    #[test]
    fn lists_of_violations_have_an_end_however_they_were_made() {
        let violation = |i: usize| Violation { field: format!("f{i}"), description: "is bad".to_owned() };
        let error = Error::fields(Rule::Field, (0..100_000).map(violation).collect());
        assert!(matches!(error.details(), [Detail::Fields(fields)] if fields.len() == Violations::MAX));
        assert!(error.message().len() < 20 * Violations::MAX, "{}", error.message().len());
    }

    #[test]
    fn what_an_answer_does_not_name_is_counted() {
        let mut violations = Violations::default();
        for i in 0..Violations::MAX + 73 {
            violations.add(format!("ids[{i}]"), "is bad");
        }
        let error = violations.check().expect_err("violations were added");
        assert_eq!(error.omitted(), 73);
        let named = error.message().matches("is bad").count();
        let more = Violations::MAX + 73 - named;
        assert!(error.message().ends_with(&format!("is bad; and {more} more")), "{}", error.message());
        assert!(error.message().len() < SUMMARY + 100, "{}", error.message().len());
        let violation = |i: usize| Violation { field: format!("f{i}"), description: "is bad".to_owned() };
        let error = Error::fields(Rule::Field, (0..103).map(violation).collect());
        assert_eq!(error.omitted(), 3);
        assert_eq!(Error::field("name", "is bad").message(), "Invalid argument: name: is bad");
        let error = Error::fields(Rule::Field, (0..3).map(violation).collect());
        assert_eq!((error.message(), error.omitted()), ("Invalid argument: f0: is bad; f1: is bad; f2: is bad", 0));
    }

    #[test]
    fn what_was_read_counts_only_without_violations() {
        assert_eq!(Violations::default().finish(Some(1)).ok(), Some(1));
        assert_eq!(Violations::default().finish(None::<()>).map_err(|error| error.kind()), Err(Kind::Internal));
        let mut violations = Violations::default();
        violations.add("name", "is bad");
        assert_eq!(violations.finish(Some(1)).map_err(|error| error.kind()), Err(Kind::InvalidArgument));
    }

    #[test]
    fn fields_are_called_as_the_wire_calls_them() {
        let mut violations = Violations::default();
        violations.add("keys.expires_at", "expires_at must be in the future");
        violations.add("keys.issuer", "expires_at has nothing to do with it");
        violations.add("name", "name is required");
        let error = violations.check().expect_err("there are three");
        let error = error.renamed(|path| path.strip_prefix("keys.").map(|field| format!("static.{}", field.replace("_at", ""))));
        let expected = "Invalid argument: static.expires: expires must be in the future; \
                        static.issuer: expires_at has nothing to do with it; name: name is required";
        assert_eq!(error.message(), expected);
        let fields = |error: &Error| match error.details() {
            [Detail::Fields(violations)] => violations.iter().map(|violation| violation.field.clone()).collect::<Vec<_>>(),
            details => panic!("{details:?}"),
        };
        assert_eq!(fields(&error), ["static.expires", "static.issuer", "name"]);
        let other = Error::invalid(Rule::Json, "is bad").renamed(|_| Some("x".to_owned()));
        assert_eq!((other.message(), other.details().len()), ("Invalid argument: is bad", 0));
    }
}
