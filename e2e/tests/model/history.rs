//! What happens: steps that name everything by the step that made it, so that a history can be played again, and
//! shortened, on a server that gives other identifiers.

use std::collections::BTreeMap;

use serde_json::Value;
use testkit::Transport;

use crate::model::nouns::Noun;

/// One call of one caller.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The step's number, which stays when others are left out.
    pub(crate) number: usize,
    /// Seconds that pass before it.
    pub(crate) wait: i64,
    pub(crate) caller: Caller,
    pub(crate) transport: Transport,
    pub(crate) validate_only: bool,
    pub(crate) if_match: Option<Match>,
    pub(crate) action: Action,
}

/// Whose token the call bears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    /// No token.
    Nobody,
    /// A text that is no token.
    Garbage,
    /// The token that this step got; none when it got none.
    Bearer(usize),
}

/// Names a thing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ref {
    /// One of those that a new server has.
    Initial(usize),
    /// Made by this step; the second number counts what one step made.
    Made(usize, usize),
    /// A place below another where nothing is.
    Below(Box<Ref>),
    /// A place without a parent where nothing is.
    Nowhere,
}

/// What `If-Match` says.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Match {
    /// The entity tag that was last seen of the thing.
    Seen,
    /// `*`.
    Any,
    /// A tag that nothing ever had.
    Other,
}

/// What callers wish a thing to be.
#[derive(Clone, Debug)]
pub(crate) struct Wish {
    pub(crate) noun: Noun,
    /// By their paths, such as `oidc.issuer`; what is not here is not sent.
    pub(crate) fields: BTreeMap<&'static str, Field>,
}

/// What a field is to be.
#[derive(Clone, Debug)]
pub(crate) enum Field {
    Is(Value),
    /// The development issuer of the server.
    Issuer,
    /// The UID of this thing.
    Uid(Ref),
    /// The UIDs of these, by keys of a map.
    Uids(BTreeMap<&'static str, Ref>),
}

#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// A token of ours for an operator.
    Operate,
    /// A token of ours for the development issuer's token with this subject.
    Exchange {
        subject: String,
        identity: Option<Ref>,
        narrowing: Narrowing,
    },
    /// A token of ours for the caller's own.
    Narrow {
        narrowing: Narrowing,
    },
    Create {
        parent: Option<Ref>,
        wish: Wish,
    },
    /// Bindings of identities, each to a role or to that of the batch.
    Batch {
        parent: Ref,
        role: Option<Ref>,
        entries: Vec<(Ref, Option<Ref>)>,
    },
    /// Mappings of an identity provider go, all or none.
    BatchDelete {
        parent: Ref,
        names: Vec<Ref>,
    },
    /// Who has this subject at the development issuer becomes a user, with the code of an invite or without.
    Register {
        subject: &'static str,
        invite: Option<Ref>,
    },
    /// A user deletes an account.
    Leave {
        uid: Ref,
    },
    /// Makes a repository, or all of a group, public or private.
    Publish {
        noun: Noun,
        uid: Ref,
        public: bool,
    },
    /// Whether it is public.
    Visibility {
        noun: Noun,
        uid: Ref,
    },
    /// Says how much an organization may have.
    Limit {
        uid: Ref,
        limits: BTreeMap<&'static str, i32>,
    },
    /// How much it may have, and has.
    Limits {
        uid: Ref,
    },
    Get {
        noun: Noun,
        uid: Ref,
    },
    Update {
        uid: Ref,
        wish: Wish,
        mask: Vec<&'static str>,
    },
    Delete {
        noun: Noun,
        uid: Ref,
    },
    List(List),
}

impl Action {
    /// The method that carries it out.
    pub(crate) fn method(&self) -> String {
        let of = |verb: &str, noun: &Noun| format!("{verb}{}", noun.declared().one);
        match self {
            Self::Operate | Self::Exchange { .. } | Self::Narrow { .. } => "Exchange".to_owned(),
            Self::Create { wish, .. } => of("Create", &wish.noun),
            Self::Batch { .. } => "BatchCreateRoleBindings".to_owned(),
            Self::BatchDelete { .. } => "BatchDeleteExternalGroupRoleMappings".to_owned(),
            Self::Register { .. } => "Register".to_owned(),
            Self::Leave { .. } => "Delete".to_owned(),
            Self::Publish { noun, .. } => of("Set", noun) + "Visibility",
            Self::Visibility { noun, .. } => of("Get", noun) + "Visibility",
            Self::Limit { .. } => "SetResourceLimits".to_owned(),
            Self::Limits { .. } => "GetResourceLimits".to_owned(),
            Self::Get { noun, .. } => of("Get", noun),
            Self::Update { wish, .. } => of("Update", &wish.noun),
            Self::Delete { noun, .. } => of("Delete", noun),
            Self::List(list) => format!("List{}", list.noun.declared().many),
        }
    }
}

/// What a token keeps; nothing said keeps everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Narrowing {
    pub(crate) scopes: Vec<Ref>,
    pub(crate) capabilities: Vec<&'static str>,
}

/// A list, read from its first page on for some pages.
#[derive(Clone, Debug)]
pub(crate) struct List {
    pub(crate) noun: Noun,
    pub(crate) tree: Tree,
    /// By the names of filters.
    pub(crate) filters: BTreeMap<&'static str, Field>,
    pub(crate) order: Order,
    pub(crate) page_size: i32,
    pub(crate) skip: i32,
    /// What every page after the first skips.
    pub(crate) skip_between: i32,
    pub(crate) pages: usize,
}

/// Which part of the tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub(crate) ancestors_of: Option<Ref>,
    pub(crate) descendants_of: Option<Ref>,
    pub(crate) children_of: Option<Above>,
    pub(crate) in_root: bool,
    pub(crate) ids: Vec<Ref>,
}

/// What children are below.
#[derive(Clone, Debug)]
pub(crate) enum Above {
    /// `/`, the place of whatever has no parent.
    Everything,
    Thing(Ref),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    pub(crate) by: By,
    pub(crate) descending: bool,
    /// As it is written in the request.
    pub(crate) text: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// What the list takes without being told.
    Default,
    Uid,
    Name,
    Created,
    /// What no list offers.
    Unknown,
}
