//! The rules that errors name.

/// Why, more precisely: stable names that programs may match. They travel as `metadata.rule` of google.rpc.ErrorInfo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// A field does not have the value that it must have; the violations name it.
    Field,
    /// A required field is absent.
    Required,
    /// The body is not JSON, or not the JSON of the method's message.
    Json,
    /// The protobuf body does not decode.
    Protobuf,
    /// The update mask names an unknown field.
    UpdateMask,
    /// A field that never changes was given another value.
    Immutable,
    /// The order is not one that the list offers.
    OrderBy,
    /// The page size is negative.
    PageSize,
    /// The skip is negative.
    Skip,
    /// The page token was altered or is of another server.
    PageToken,
    /// The page token belongs to a list with other filters or order.
    PageTokenMismatch,
    /// The request is not readable HTTP or ends in the middle.
    Malformed,
    /// The path, query, header block or body is larger than the server accepts, or would become so when it is decoded.
    TooLarge,
    /// No such path.
    NoSuchPath,
    /// The path exists, but not with this HTTP method.
    MethodNotAllowed,
    /// No token was sent.
    TokenMissing,
    /// The token is not one of this server's, or is malformed, altered or of another audience.
    TokenInvalid,
    /// The token's lifetime is over.
    TokenExpired,
    /// The identity is gone or its relationship changed after the token was made, or the session of a refresh token has ended.
    TokenRevoked,
    /// The refresh token was used before.
    RefreshTokenReused,
    /// The caller lacks a capability at that place.
    CapabilityMissing,
    /// The caller would hand out a capability that it does not hold there.
    Escalation,
    /// Only operators of this server may do this.
    OperatorsOnly,
    /// Only the user itself may do this, with its own account.
    OwnAccountOnly,
    /// The invite has expired, or is meant for somebody else.
    InviteRefused,
    /// No identity accepts the presented token; the message names the claim.
    ClaimMismatch,
    /// The token's issuer is not one that may be used here.
    IssuerNotAllowed,
    /// The issuer's keys could not be fetched.
    IssuerUnavailable,
    /// No resource has this identifier.
    NoSuchResource,
    /// The name is taken in that group.
    NameTaken,
    /// The group, or the repository, has one already, and can have no other.
    OnePerGroup,
    /// The same is there already, and can be there once.
    Duplicate,
    /// The resource still has others below it.
    NotEmpty,
    /// What the resource lives in, or its organization, has as many of that kind as it may have.
    GroupFull,
    /// A role is bound, or is what some get who log in through an identity provider, and cannot go.
    RoleBound,
    /// The identity provider had a SCIM token before.
    ScimTokenIssued,
    /// The organization has fewer owners than SCIM needs.
    TooFewOwners,
    /// Documents have to be accepted first.
    TermsNotAccepted,
    /// The caller is no user, of whom alone such things are kept.
    NotAUser,
    /// An answer without pages would be longer than it may be.
    ListTooLong,
    /// The advisory was withdrawn.
    Withdrawn,
    /// The review of the event has ended.
    ReviewEnded,
    /// Nobody approves what they have written.
    OwnEvent,
    /// What a report is made of is not known.
    NoReportData,
    /// Built-in roles never change.
    BuiltIn,
    /// The identities, roles or groups do not belong together.
    OtherOrganization,
    /// `If-Match`, or an `etag` in the request, does not admit the current revision.
    EtagMismatch,
    /// Others changed the resource each time that the update was to be written.
    Contended,
    /// The idempotency key was used for another request.
    IdempotencyKeyReused,
    /// The first request with this idempotency key was applied, but its answer is lost.
    IdempotentAnswerLost,
    /// A request with this idempotency key is under way.
    IdempotentRequestRunning,
    /// The server is at one of its limits.
    Overloaded,
    /// Too much costly work of the same organization waits already, or it was asked for too often.
    OrganizationBusy,
    /// The request took too long.
    Timeout,
    /// The bytes under way of everybody, of strangers, of an address or of an identity are as many as may be.
    MemoryShare,
    /// The user has asked for access before, and has to wait for an answer, or after it.
    AlreadyAsked,
    /// The caller has looked for as many users in this minute as it may.
    LookupRate,
    /// An address has as many requests under way as it may.
    TooManyRequests,
    /// The body arrives too slowly.
    BodyTooSlow,
    /// The method is not in this server yet.
    NotImplemented,
    /// A dependency is down.
    Unavailable,
    /// A defect; nothing more is told outside.
    Internal,
}

impl Rule {
    /// Every rule, with its stable name and what it means: the source of the error catalogue.
    pub const ALL: [(Self, &'static str, &'static str); 62] = [
        (Self::Field, "FIELD", "A field does not have the value that it must have; the violations name it."),
        (Self::Required, "REQUIRED", "A required field is absent."),
        (Self::Json, "JSON", "The body is not JSON, or not the JSON of the method's message."),
        (Self::Protobuf, "PROTOBUF", "The protobuf body does not decode."),
        (Self::UpdateMask, "UPDATE_MASK", "The update mask names an unknown field."),
        (Self::Immutable, "IMMUTABLE", "A field that never changes was given another value."),
        (Self::OrderBy, "ORDER_BY", "The order is not one that the list offers."),
        (Self::PageSize, "PAGE_SIZE", "The page size is negative."),
        (Self::Skip, "SKIP", "The skip is negative."),
        (Self::PageToken, "PAGE_TOKEN", "The page token was altered or is of another server."),
        (Self::PageTokenMismatch, "PAGE_TOKEN_MISMATCH", "The page token belongs to a list with other filters or order."),
        (Self::Malformed, "MALFORMED", "The request is not readable HTTP or ends in the middle."),
        (
            Self::TooLarge,
            "TOO_LARGE",
            "The path, query, header block or body is larger than the server accepts, or would become so when it is decoded.",
        ),
        (Self::NoSuchPath, "NO_SUCH_PATH", "No such path."),
        (Self::MethodNotAllowed, "METHOD_NOT_ALLOWED", "The path exists, but not with this HTTP method."),
        (Self::TokenMissing, "TOKEN_MISSING", "No token was sent."),
        (
            Self::TokenInvalid,
            "TOKEN_INVALID",
            "The token is not one of this server's, or is malformed, altered or of another audience.",
        ),
        (Self::TokenExpired, "TOKEN_EXPIRED", "The token's lifetime is over."),
        (
            Self::TokenRevoked,
            "TOKEN_REVOKED",
            "The identity is gone or its relationship changed after the token was made, or the session of a refresh token has ended.",
        ),
        (
            Self::RefreshTokenReused,
            "REFRESH_TOKEN_REUSED",
            "The refresh token was used before, so its session has ended: somebody else may have it.",
        ),
        (Self::CapabilityMissing, "CAPABILITY_MISSING", "The caller lacks a capability at that place."),
        (Self::Escalation, "ESCALATION", "The caller would hand out a capability that it does not hold there."),
        (Self::OperatorsOnly, "OPERATORS_ONLY", "Only operators of this server may do this."),
        (
            Self::OwnAccountOnly,
            "OWN_ACCOUNT_ONLY",
            "Only the user itself may do this, with its own account and a token that was not narrowed.",
        ),
        (Self::InviteRefused, "INVITE_REFUSED", "The invite has expired, or is meant for another email address."),
        (Self::ClaimMismatch, "CLAIM_MISMATCH", "No identity accepts the presented token; the message names the claim."),
        (Self::IssuerNotAllowed, "ISSUER_NOT_ALLOWED", "The token's issuer is not one that may be used here."),
        (Self::IssuerUnavailable, "ISSUER_UNAVAILABLE", "The issuer's keys could not be fetched."),
        (Self::NoSuchResource, "NO_SUCH_RESOURCE", "No resource has this identifier."),
        (Self::NameTaken, "NAME_TAKEN", "The name is taken in that group."),
        (Self::OnePerGroup, "ONE_PER_GROUP", "The group, or the repo, has one already, and can have no other."),
        (Self::Duplicate, "DUPLICATE", "The same is there already, and can be there once."),
        (Self::NotEmpty, "NOT_EMPTY", "The resource still has others below it."),
        (
            Self::GroupFull,
            "GROUP_FULL",
            "What the resource is to live in, or its organization, has as many of that kind as it may have.",
        ),
        (
            Self::RoleBound,
            "ROLE_BOUND",
            "A role is bound, or is given to those who log in by an identity provider or a mapping of outside groups, and cannot go.",
        ),
        (
            Self::ScimTokenIssued,
            "SCIM_TOKEN_ISSUED",
            "The identity provider had a SCIM token before, which can be regenerated and not generated.",
        ),
        (
            Self::TooFewOwners,
            "TOO_FEW_OWNERS",
            "SCIM can be enabled where the organization has two owners who were appointed by hand.",
        ),
        (
            Self::TermsNotAccepted,
            "TERMS_NOT_ACCEPTED",
            "Documents have to be accepted first for the group, or one above it; `TermsNotAcceptedDetail` names them.",
        ),
        (Self::NotAUser, "NOT_A_USER", "Only users tell about themselves; the caller is a workload or an operator."),
        (
            Self::ListTooLong,
            "LIST_TOO_LONG",
            "An answer without pages, as lists of v1 have them, would be longer than it may be.",
        ),
        (Self::Withdrawn, "WITHDRAWN", "The advisory was withdrawn, and changes no more."),
        (Self::ReviewEnded, "REVIEW_ENDED", "The event of an advisory was approved or rejected, and changes no more."),
        (
            Self::OwnEvent,
            "OWN_EVENT",
            "Nobody approves an event of an advisory that they have written themselves, unless the server allows it.",
        ),
        (
            Self::NoReportData,
            "NO_REPORT_DATA",
            "What the report is made of is not known: digests that tags had, and approved events that something was fixed.",
        ),
        (Self::BuiltIn, "BUILT_IN", "Built-in roles never change."),
        (Self::OtherOrganization, "OTHER_ORGANIZATION", "The identities, roles or groups do not belong together."),
        (Self::EtagMismatch, "ETAG_MISMATCH", "`If-Match`, or an `etag` in the request, does not admit the current revision."),
        (
            Self::Contended,
            "CONTENDED",
            "Others changed the resource each time that the update was to be written, or too many updates of it are waiting.",
        ),
        (Self::IdempotencyKeyReused, "IDEMPOTENCY_KEY_REUSED", "The idempotency key was used for another request."),
        (
            Self::IdempotentAnswerLost,
            "IDEMPOTENT_ANSWER_LOST",
            "The first request with this idempotency key was applied, but its answer is lost.",
        ),
        (Self::IdempotentRequestRunning, "IDEMPOTENT_REQUEST_RUNNING", "A request with this idempotency key is under way."),
        (Self::Overloaded, "OVERLOADED", "The server is at one of its limits."),
        (
            Self::OrganizationBusy,
            "ORGANIZATION_BUSY",
            "Too much costly work of the same organization, or for tokens of the same address that are not verified yet, waits already: \
             patterns to compile, keys to read, long claims to match. Or account associations were checked too often.",
        ),
        (Self::Timeout, "TIMEOUT", "The request took too long."),
        (
            Self::MemoryShare,
            "MEMORY_SHARE",
            "The server, its strangers, the client's address or the caller has as many bytes under way as it may; the message says who.",
        ),
        (
            Self::AlreadyAsked,
            "ALREADY_ASKED",
            "The user has asked for access before, and has to wait for an answer, or after it.",
        ),
        (
            Self::LookupRate,
            "LOOKUP_RATE",
            "The caller has looked for as many users in this minute as it may: by rehearsed or refused bindings, or by asking for them.",
        ),
        (Self::TooManyRequests, "TOO_MANY_REQUESTS", "The client's address has as many requests under way as it may."),
        (Self::BodyTooSlow, "BODY_TOO_SLOW", "The body arrived more slowly than the server waits for."),
        (Self::NotImplemented, "NOT_IMPLEMENTED", "The method is not in this server yet."),
        (Self::Unavailable, "UNAVAILABLE", "A dependency is down."),
        (Self::Internal, "INTERNAL", "A defect; nothing more is told outside."),
    ];

    /// The stable name, such as `PAGE_TOKEN_MISMATCH`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(rule, ..)| *rule == self).map_or("INTERNAL", |(_, name, _)| name)
    }
}
