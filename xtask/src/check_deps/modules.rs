//! The modules of a crate and which of them name which, read from its source. What only tests have is left out.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Item, UseTree};

/// A module by the names that lead to it from the crate's root, which has none.
pub(super) type Place = Vec<String>;

/// The names of a path as they are written, `crate`, `self` and `super` included.
type Names = Vec<String>;

/// How often a name may stand for another one.
const HOPS: usize = 16;

/// The modules of a crate.
#[derive(Debug, Default)]
pub(super) struct Modules(BTreeMap<Place, Module>);

#[derive(Debug, Default)]
struct Module {
    /// Names that it gives to what is elsewhere.
    aliases: BTreeMap<String, Names>,
    /// Where all names are taken from.
    globs: Vec<Names>,
    /// The paths that it names.
    paths: BTreeSet<Names>,
}

impl Modules {
    /// Reads a crate from its first file.
    ///
    /// # Errors
    /// Names the file that cannot be read.
    pub(super) fn read(file: &Path) -> Result<Self, String> {
        let mut modules = Self::default();
        let folder = file.parent().unwrap_or(file);
        modules.file(file, folder, Vec::new())?;
        Ok(modules)
    }

    fn file(&mut self, file: &Path, folder: &Path, place: Place) -> Result<(), String> {
        let text = fs::read_to_string(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        let parsed = syn::parse_file(&text).map_err(|error| format!("cannot parse {}: {error}", file.display()))?;
        self.items(parsed.items, folder, place)
    }

    fn items(&mut self, items: Vec<Item>, folder: &Path, place: Place) -> Result<(), String> {
        let mut module = Module::default();
        for item in items {
            match item {
                Item::Mod(inner) if !is_test(&inner.attrs) => {
                    let name = inner.ident.to_string();
                    let (folder, place) = (folder.join(&name), [place.as_slice(), &[name]].concat());
                    match inner.content {
                        Some((_, items)) => self.items(items, &folder, place)?,
                        None => self.file(&file_of(&folder)?, &folder, place)?,
                    }
                }
                Item::Use(import) if !is_test(&import.attrs) => module.import(&import.tree, &mut Vec::new()),
                Item::Mod(_) | Item::Use(_) => {}
                Item::Fn(function) if is_test(&function.attrs) => {}
                Item::Impl(block) if is_test(&block.attrs) => {}
                other => module.mention(other.to_token_stream()),
            }
        }
        self.0.insert(place, module);
        Ok(())
    }

    /// Which module names which other one, with a path that does so: arrows between modules of one parent. What is within a
    /// module counts as the module's; it may name what it is in, and that may name it.
    pub(super) fn arrows(&self) -> BTreeMap<(Place, Place), String> {
        let mut arrows = BTreeMap::new();
        for (from, module) in &self.0 {
            for path in &module.paths {
                for to in self.resolve(from, path, HOPS) {
                    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
                    if let (Some(one), Some(other)) = (from.get(..=common), to.get(..=common)) {
                        let how = format!("{} names {}", shown(from), path.join("::"));
                        arrows.entry((one.to_vec(), other.to_vec())).or_insert(how);
                    }
                }
            }
        }
        arrows
    }

    /// The modules that a path leads to: the one that has what it names, and those where it goes on under another name.
    fn resolve(&self, from: &[String], path: &[String], hops: usize) -> Vec<Place> {
        let (mut at, mut names) = (from.to_vec(), path.iter());
        let mut is_first = true;
        while let Some(name) = names.next() {
            match name.as_str() {
                "crate" => at.clear(),
                "self" => {}
                "super" => drop(at.pop()),
                name => {
                    at.push(name.to_owned());
                    if !self.0.contains_key(&at) {
                        at.pop();
                        let rest = [&[name.to_owned()], names.as_slice()].concat();
                        let Some(further) = self.alias(&at, &rest, hops) else {
                            // The first name is that of another crate.
                            return if is_first { Vec::new() } else { vec![at] };
                        };
                        return [vec![at], further].concat();
                    }
                }
            }
            is_first = false;
        }
        vec![at]
    }

    /// Where a path leads whose first name is not a module in this one, if that stands for something else.
    fn alias(&self, at: &[String], path: &[String], hops: usize) -> Option<Vec<Place>> {
        let (module, hops) = (self.0.get(at)?, hops.checked_sub(1)?);
        let (first, rest) = path.split_first()?;
        if let Some(known) = module.aliases.get(first) {
            return Some(self.resolve(at, &[known.as_slice(), rest].concat(), hops));
        }
        module.globs.iter().find_map(|glob| {
            let there = self.resolve(at, glob, hops).pop()?;
            let inner = [there.as_slice(), std::slice::from_ref(first)].concat();
            if self.0.contains_key(&inner) {
                let path = [&["crate".to_owned()], inner.as_slice(), rest].concat();
                return Some(self.resolve(&[], &path, hops));
            }
            self.alias(&there, path, hops)
        })
    }
}

impl Module {
    /// Takes up an import.
    fn import(&mut self, tree: &UseTree, before: &mut Names) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.import(&path.tree, before);
                before.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(tree, before)),
            UseTree::Name(name) => self.take_over(name.ident.to_string(), name.ident.to_string(), before),
            UseTree::Rename(rename) => self.take_over(rename.ident.to_string(), rename.rename.to_string(), before),
            UseTree::Glob(_) => {
                self.globs.push(before.clone());
                self.paths.insert(before.clone());
            }
        }
    }

    fn take_over(&mut self, name: String, alias: String, before: &[String]) {
        let path = if name == "self" { before.to_vec() } else { [before, &[name]].concat() };
        let alias = if alias == "self" { path.last().cloned().unwrap_or_default() } else { alias };
        self.paths.insert(path.clone());
        // What is in the module itself needs no other name, and an import of a crate would be its own.
        if path.len() > 1 {
            self.aliases.insert(alias, path);
        }
    }

    /// Takes up the paths in code that begin with `crate`, `self` or `super`; others begin with something imported.
    fn mention(&mut self, code: TokenStream) {
        let tokens: Vec<TokenTree> = code.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            match token {
                TokenTree::Ident(name) if ["crate", "self", "super"].iter().any(|first| name == first) => {
                    at = self.path(&tokens, at, &[]);
                }
                TokenTree::Group(group) => {
                    self.mention(group.stream());
                    at += 1;
                }
                _ => at += 1,
            }
        }
    }

    /// Takes up the path that begins at a token, behind other names; gives where it ends.
    fn path(&mut self, tokens: &[TokenTree], mut at: usize, before: &[String]) -> usize {
        let mut path = before.to_vec();
        while let Some(TokenTree::Ident(name)) = tokens.get(at) {
            path.push(name.to_string());
            at += 1;
            let is_colon = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(mark)) if mark.as_char() == ':');
            if !(is_colon(tokens.get(at)) && is_colon(tokens.get(at + 1))) {
                break;
            }
            at += 2;
        }
        match tokens.get(at) {
            // An import within a function.
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace && ends_open(tokens, at) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                let mut next = 0;
                while next < inner.len() {
                    next = self.path(&inner, next, &path).max(next + 1);
                }
                at + 1
            }
            _ => {
                if path.len() > before.len() {
                    self.paths.insert(path);
                }
                at
            }
        }
    }
}

/// Whether the token follows `::`.
fn ends_open(tokens: &[TokenTree], at: usize) -> bool {
    at.checked_sub(1)
        .and_then(|before| tokens.get(before))
        .is_some_and(|token| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ':'))
}

/// Whether something is there for tests alone.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.to_token_stream().to_string().replace(' ', "") == "#[cfg(test)]")
}

/// The file of a module, whose inner modules are in that folder.
fn file_of(folder: &Path) -> Result<PathBuf, String> {
    let candidates = [folder.with_extension("rs"), folder.join("mod.rs")];
    let found = candidates.into_iter().find(|file| file.is_file());
    found.ok_or_else(|| format!("there is no file for the module {}", folder.display()))
}

/// A module as people read it.
pub(super) fn shown(place: &[String]) -> String {
    if place.is_empty() { "the root".to_owned() } else { place.join("::") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arrows of a crate that is one text.
    fn arrows(text: &str) -> Vec<String> {
        let mut modules = Modules::default();
        let items = syn::parse_file(text).expect("is Rust").items;
        modules.items(items, Path::new("/nowhere"), Vec::new()).expect("has no files");
        modules.arrows().into_keys().map(|(from, to)| format!("{} -> {}", shown(&from), shown(&to))).collect()
    }

    #[test]
    fn imports_and_paths_in_code_are_arrows() {
        assert_eq!(arrows("mod a { use crate::b::Thing; } mod b {}"), ["a -> b"]);
        assert_eq!(arrows("mod a { use crate::{b, c::{self, d}, other}; } mod b {} mod c { mod d {} }"), ["a -> b", "a -> c"]);
        assert_eq!(arrows("mod a { fn f() { crate::b::g(1) } } mod b {}"), ["a -> b"]);
        assert_eq!(arrows("mod a { fn f() { vec![super::b::ONE]; } } mod b {}"), ["a -> b"]);
        assert_eq!(arrows("mod a { fn f() { use crate::{b::One, c}; } } mod b {} mod c {}"), ["a -> b", "a -> c"]);
        assert_eq!(arrows("mod a { use std::fmt; use other::b; } mod b {}"), Vec::<String>::new());
    }

    #[test]
    fn a_name_leads_to_what_it_stands_for() {
        assert_eq!(arrows("pub use b::Thing; mod a { use crate::Thing; } mod b {}"), ["a -> b"]);
        assert_eq!(arrows("pub use b::Thing as Other; mod a { fn f(_: &super::Other) {} } mod b {}"), ["a -> b"]);
        assert_eq!(arrows("pub use b::*; mod a { use crate::inner::X; } mod b { pub mod inner {} }"), ["a -> b"]);
        let through = "mod a { use crate::b::Thing; } mod b { pub use crate::c::Thing; } mod c {}";
        assert_eq!(arrows(through), ["a -> b", "a -> c", "b -> c"]);
    }

    #[test]
    fn what_is_within_a_module_is_the_modules() {
        assert_eq!(arrows("mod a { mod x { use crate::b::y; } } mod b { pub mod y {} }"), ["a -> b"]);
        assert_eq!(arrows("mod a { mod x { use super::y; } mod y {} }"), ["a::x -> a::y"]);
        assert_eq!(arrows("mod a { use self::x::One; struct Two; mod x { use super::Two; } }"), Vec::<String>::new());
    }

    #[test]
    fn what_only_tests_have_is_left_out() {
        assert_eq!(arrows("mod a { #[cfg(test)] mod tests { use crate::b; } } mod b {}"), Vec::<String>::new());
        assert_eq!(arrows("mod a { #[cfg(test)] use crate::b::Thing; } mod b {}"), Vec::<String>::new());
    }
}
