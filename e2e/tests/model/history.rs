//! What happens: steps that name everything by the step that made it, so that a history can be played again, and
//! shortened, on a server that gives other identifiers.

use std::collections::BTreeSet;

use testkit::Transport;

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noun {
    Group,
    Identity,
    Role,
    Binding,
    Repo,
    Tag,
}

impl Noun {
    pub(crate) const ALL: [Self; 6] = [Self::Group, Self::Identity, Self::Role, Self::Binding, Self::Repo, Self::Tag];
}

/// What callers wish a thing to be.
#[derive(Clone, Debug)]
pub(crate) enum Wish {
    Group {
        name: String,
        description: String,
        verified: bool,
        kind: Kind,
    },
    Identity {
        name: String,
        description: String,
        proof: Proof,
    },
    Role {
        name: String,
        description: String,
        capabilities: BTreeSet<&'static str>,
    },
    Binding {
        identity: Ref,
        role: Ref,
    },
    /// The tier is as the contract numbers it.
    Repo {
        name: String,
        description: String,
        tier: usize,
        tags: Vec<String>,
    },
    /// The digest is one of a few; 0 for none.
    Tag {
        name: String,
        digest: u8,
        deprecated: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Unspecified = 0,
    Starter = 1,
    Customer = 2,
}

/// How an identity proves itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// By a token of the development issuer with this subject.
    Subject(String),
    /// As this part of the platform, for which nobody has a token.
    Principal(i32),
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
    /// Empty for any.
    pub(crate) name: String,
    /// The kind of proof, as the contract numbers it; 0 for any.
    pub(crate) proof: i32,
    pub(crate) identity: Option<Ref>,
    pub(crate) group: Option<Ref>,
    pub(crate) role: Option<Ref>,
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
    Uid,
    Name,
    Created,
    /// What no list offers.
    Unknown,
}
