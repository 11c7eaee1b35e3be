//! The registered RPCs over a real store: requests go in as bytes and answers come out as messages, as at the door.

#[cfg(test)]
mod accounts;
#[cfg(test)]
mod groups;
#[cfg(test)]
mod identities;
#[cfg(test)]
#[cfg(test)]
mod repos;
#[cfg(test)]
mod role_bindings;
#[cfg(test)]
mod roles;
#[cfg(test)]
mod server;
