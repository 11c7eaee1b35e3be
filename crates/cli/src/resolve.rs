//! From what users write, a UID, a name or a path, to the UID; and from nothing at all, by asking.

use std::collections::BTreeMap;

use client::Client;
use contract::chainguard::platform::iam::v2beta1::{ListRoleBindingsRequest, rpc::ListRoleBindings};
use domain::Uidp;

use crate::{
    exit::{Exit, Failure},
    global::Global,
    listing::all,
    paths::Paths,
    plain::plain,
    prompt,
};

mod kind;
mod near;

pub(crate) use kind::Kind;

/// How many things a choice on the terminal offers, and among how many a similar name is looked for.
const MOST: usize = 2000;

/// A thing that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) uid: String,
    /// Its name; `None` for a UID that nobody looked up.
    name: Option<String>,
}

impl Found {
    /// How to speak of it, before it is deleted for example: `NAME (UID)` where that is known, with its path when somebody
    /// is there to read it.
    ///
    /// # Errors
    /// When the server does not answer.
    pub(crate) async fn title(&self, global: &Global, client: &Client, kind: Kind) -> Result<String, Failure> {
        if !global.ask {
            return Ok(self.name.as_ref().map_or_else(|| self.uid.clone(), |name| format!("{} ({})", plain(name), self.uid)));
        }
        let name = match &self.name {
            Some(name) => Some(name.clone()),
            None => kind.name_of(client, &self.uid).await?,
        };
        let Some(name) = name else { return Ok(self.uid.clone()) };
        let paths = Paths::above(client, [self.uid.as_str()]).await?;
        Ok(format!("{} ({})", plain(&paths.of(&self.uid, &name)), self.uid))
    }
}

/// The UID of the `kind` that `given` means; asks when there is none.
///
/// # Errors
/// When it means nothing or more than one thing.
pub(crate) async fn uid(global: &Global, client: &Client, kind: Kind, given: Option<String>) -> Result<String, Failure> {
    Ok(find(global, client, kind, given).await?.uid)
}

/// As [`uid`], for a filter that may be absent.
///
/// # Errors
/// As [`uid`].
pub(crate) async fn optional(
    global: &Global,
    client: &Client,
    kind: Kind,
    given: Option<String>,
) -> Result<Option<String>, Failure> {
    match given {
        Some(_) => Ok(Some(uid(global, client, kind, given).await?)),
        None => Ok(None),
    }
}

/// As [`uid`], with the name.
///
/// # Errors
/// As [`uid`].
pub(crate) async fn find(global: &Global, client: &Client, kind: Kind, given: Option<String>) -> Result<Found, Failure> {
    let Some(text) = given else { return pick(global, client, kind).await };
    // No name has such a character.
    if kind == Kind::Identity && text.contains('@') {
        return with_address(global, client, &text).await;
    }
    // A UID is taken as it is. So is anything where there are no names to look for: the server says what is wrong with it.
    if text.parse::<Uidp>().is_ok() || !kind.has_names() {
        return Ok(Found { uid: text, name: None });
    }
    let last = text.rsplit('/').next().unwrap_or(&text);
    let mut found = kind.named(client, last).await?;
    if found.len() > 1 || text.contains('/') {
        let paths = Paths::above(client, found.iter().map(|found| found.uid.as_str())).await?;
        let mut at: Vec<_> = found.into_iter().map(|found| (paths.of(&found.uid, last), found)).collect();
        at.retain(|(path, _)| *path == text || path.strip_suffix(&text).is_some_and(|before| before.ends_with('/')));
        // A whole path goes before the end of one. A name alone is no path: it means every one of that name.
        if text.contains('/') && at.iter().any(|(path, _)| *path == text) {
            at.retain(|(path, _)| *path == text);
        }
        if at.len() > 1 {
            return one_of(global, kind, &text, at);
        }
        found = at.into_iter().map(|(_, found)| found).collect();
    }
    match found.pop() {
        Some(found) => Ok(found),
        None => Err(nothing(client, kind, &text).await),
    }
}

/// The one whose verified email address is `address`, among those who hold a role that the caller sees.
async fn with_address(global: &Global, client: &Client, address: &str) -> Result<Found, Failure> {
    let bindings = all::<ListRoleBindings>(client, ListRoleBindingsRequest::default()).await?;
    let identities = bindings.into_iter().filter_map(|binding| binding.identity);
    let meant = identities.filter(|identity| identity.email.eq_ignore_ascii_case(address));
    let found: BTreeMap<_, _> = meant.map(|identity| (identity.uid, identity.name)).collect();
    let mut found: Vec<_> = found.into_iter().map(|(uid, name)| (name.clone(), Found { uid, name: Some(name) })).collect();
    if found.len() > 1 {
        return one_of(global, Kind::Identity, address, found);
    }
    found.pop().map(|(_, found)| found).ok_or_else(|| {
        let message = format!("nobody with the address {address:?} holds a role that you can see");
        Failure::new(Exit::NotFound, message).hint("give the UID, which they see with `provost auth status -o id`")
    })
}

/// Asks which of several.
fn one_of(global: &Global, kind: Kind, text: &str, mut at: Vec<(String, Found)>) -> Result<Found, Failure> {
    const SHOWN: usize = 10;
    at.sort_by(|a, b| (&a.0, &a.1.uid).cmp(&(&b.0, &b.1.uid)));
    let lines: Vec<_> = at.iter().map(|(path, found)| (path.clone(), found.uid.clone())).collect();
    if global.ask {
        let chosen = prompt::choose(&format!("Which {} {text}?", kind.noun()), &lines)?;
        return at.into_iter().nth(chosen).map(|(_, found)| found).ok_or_else(|| Failure::failed("nothing was chosen"));
    }
    let shown: Vec<_> = lines.iter().take(SHOWN).map(|(path, uid)| format!("\n  {}  {uid}", plain(path))).collect();
    let more = lines.len().saturating_sub(SHOWN);
    let more = if more == 0 { String::new() } else { format!("\n  and {more} more") };
    let message = format!("the {} name {text:?} is ambiguous, it stands for{}{more}", kind.noun(), shown.concat());
    Err(Failure::usage(message).hint("use the UID, or a path that only one of them has"))
}

/// Nothing has that name: says which ones are similar.
async fn nothing(client: &Client, kind: Kind, text: &str) -> Failure {
    let listed = format!("see which there are: provost {} list", kind.command());
    // This is help for somebody who failed already: a second failure would hide the first.
    let all = kind.all(client, MOST).await.unwrap_or_default();
    let last = text.rsplit('/').next().unwrap_or(text);
    let mut near: Vec<_> =
        near::to(last, all.iter().filter_map(|found| found.name.as_deref())).into_iter().map(str::to_owned).collect();
    if text.contains('/') {
        let like: Vec<_> = all.iter().filter(|found| found.name.as_ref().is_some_and(|name| near.contains(name))).collect();
        let paths = Paths::above(client, like.iter().map(|found| found.uid.as_str())).await.unwrap_or_default();
        near = like.iter().map(|found| paths.of(&found.uid, found.name.as_deref().unwrap_or_default())).collect();
        near.sort();
        near.truncate(3);
    }
    let near: Vec<_> = near.into_iter().map(|name| format!("{name:?}")).collect();
    let hint = if near.is_empty() { listed } else { format!("did you mean {}? {listed}", near.join(" or ")) };
    Failure::new(Exit::NotFound, format!("no {} named {text:?} is visible to you", kind.noun())).hint(hint)
}

/// Lets the user choose among all that are visible.
async fn pick(global: &Global, client: &Client, kind: Kind) -> Result<Found, Failure> {
    let missing = || Failure::usage(format!("no {} was named", kind.noun()));
    if !global.ask {
        return Err(missing());
    }
    let all = kind.all(client, MOST).await?;
    if all.is_empty() {
        return Err(missing().hint(format!("there is none to choose from: provost {} list", kind.command())));
    }
    let paths = Paths::above(client, all.iter().map(|found| found.uid.as_str())).await?;
    let path = |found: &Found| paths.of(&found.uid, found.name.as_deref().unwrap_or_default());
    let mut lines: Vec<_> = all.into_iter().map(|found| ((path(&found), found.uid.clone()), found)).collect();
    lines.sort_by(|a, b| a.0.cmp(&b.0));
    let cut = if lines.len() < MOST { "" } else { " (the first 2000; there may be more)" };
    let (lines, mut found): (Vec<_>, Vec<_>) = lines.into_iter().unzip();
    let chosen = prompt::choose(&format!("Which {}?{cut}", kind.noun()), &lines)?;
    if chosen < found.len() { Ok(found.swap_remove(chosen)) } else { Err(missing()) }
}
