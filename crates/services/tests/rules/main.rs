//! The rules of the use cases, told by actors against a real store.

#[cfg(test)]
mod bootstrap;
#[cfg(test)]
mod concurrency;
#[cfg(test)]
mod events;
#[cfg(test)]
mod groups;
#[cfg(test)]
mod identities;
#[cfg(test)]
mod lists;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod replays;
#[cfg(test)]
mod repos;
#[cfg(test)]
mod role_bindings;
#[cfg(test)]
mod roles;
#[cfg(test)]
mod updates;
#[cfg(test)]
mod whoami;
#[cfg(test)]
mod world;
