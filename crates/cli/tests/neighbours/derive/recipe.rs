//! What is made large, and how: every way that the descriptor of a request allows.

use contract::Method;
use prost_reflect::Kind;

use super::fields::{self, Target};

/// A class of attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// As many elements of a list as there is room for.
    Elements,
    /// As many entries of a map.
    Entries,
    /// As deep as there is room for.
    Nesting,
    /// The longest text, or bytes.
    Text,
    /// Masks: one path again and again beside a large value, paths that contradict each other, paths that do not exist.
    Mask,
    /// Numbers and enumerations, packed.
    Packed,
    /// Fields that the contract does not know.
    Unknown,
    /// One field that can be there once, again and again.
    Again,
}

impl Class {
    pub(crate) const ALL: [Self; 8] =
        [Self::Elements, Self::Entries, Self::Nesting, Self::Text, Self::Mask, Self::Packed, Self::Unknown, Self::Again];
}

/// How masks are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paths {
    /// The field that the recipe fills, again and again.
    Repeated,
    /// All that exist, in both spellings, parents beside children, and the star.
    Contradictory,
    /// As many as there is room for, none of which exists.
    Unknown,
}

/// One way to make a request of a method large.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    pub(crate) class: Class,
    /// The field that is filled; none for what the contract does not know.
    pub(crate) target: Option<Target>,
    /// The mask beside it.
    pub(crate) mask: Option<(Target, Paths)>,
}

impl Recipe {
    /// What it fills, in words.
    pub(crate) fn name(&self) -> String {
        let field = self.target.as_ref().map(Target::name);
        match (&self.mask, field) {
            (Some((_, paths)), Some(field)) => format!("{field}, paths {paths:?}"),
            (Some((_, paths)), None) => format!("paths {paths:?}"),
            (None, field) => field.unwrap_or_else(|| "beside the contract".to_owned()),
        }
    }
}

/// Every recipe of a class for a method. Empty where its request has nothing of the kind.
pub(crate) fn recipes(method: &Method, class: Class) -> Vec<Recipe> {
    let targets = fields::targets(&fields::request(method));
    let filled = |fits: &dyn Fn(&Target) -> bool| {
        let fitting = targets.iter().filter(|target| fits(target));
        fitting.map(|target| Recipe { class, target: Some(target.clone()), mask: None }).collect()
    };
    match class {
        Class::Elements => filled(&|target| target.field().is_list() && !target.field().is_packed()),
        Class::Entries => filled(&|target| target.field().is_map()),
        Class::Text => filled(&|target| is_text(target) && !target.field().is_list()),
        Class::Packed => filled(&|target| target.field().is_list() && target.field().is_packed()),
        Class::Again => filled(&|target| !target.field().is_list() && !target.field().is_map()),
        Class::Nesting | Class::Unknown => vec![Recipe { class, target: None, mask: None }],
        Class::Mask => masks(&targets),
    }
}

fn is_text(target: &Target) -> bool {
    matches!(target.field().kind(), Kind::String | Kind::Bytes)
}

/// Every large value beside a mask that names it often, and the masks that are large themselves.
fn masks(targets: &[Target]) -> Vec<Recipe> {
    let mut found = Vec::new();
    for mask in targets.iter().filter(|target| target.is_mask()) {
        let recipe = |target, paths| Recipe { class: Class::Mask, target, mask: Some((mask.clone(), paths)) };
        let beside = |target: &&Target| {
            let below = target.path.len() > 1 && !target.parents().iter().any(|parent| parent == mask.field());
            below && (target.field().is_map() || is_text(target) || target.field().is_list())
        };
        // Maps first: they cost most to copy.
        let mut large: Vec<_> = targets.iter().filter(beside).collect();
        large.sort_by_key(|target| !target.field().is_map());
        found.extend(large.into_iter().map(|target| recipe(Some(target.clone()), Paths::Repeated)));
        found.push(recipe(None, Paths::Contradictory));
        found.push(recipe(None, Paths::Unknown));
    }
    found
}

/// The paths of a mask of at most `room` bytes.
pub(crate) fn paths(recipe: &Recipe, all: &[Target], room: usize) -> Vec<String> {
    const TIMES: usize = 400;
    let below = |name: &str| name.split_once('.').map(|(_, path)| path.to_owned());
    let Some((_, paths)) = &recipe.mask else { return Vec::new() };
    let mut all: Vec<String> = match paths {
        Paths::Repeated => {
            let path = recipe.target.as_ref().and_then(|target| below(&target.name())).unwrap_or_default();
            vec![path; TIMES]
        }
        Paths::Contradictory => {
            let both = all.iter().flat_map(|target| [target.name(), target.json_name()]).filter_map(|name| below(&name));
            let once: Vec<_> = both.chain(["*".to_owned()]).collect();
            once.iter().cloned().cycle().take(once.len() * TIMES).collect()
        }
        Paths::Unknown => (0..room / 4).map(|number| format!("u{number:x}")).collect(),
    };
    let mut size = 0;
    all.retain(|path| {
        // Its length, and what separates it from the next on either wire.
        size += path.len() + 3;
        size <= room
    });
    all
}
