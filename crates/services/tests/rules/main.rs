//! What use cases do that no front door shows at will: races, repetitions, what is announced, and rights that were given up. What
//! callers see of each noun is told in `e2e`.

#[cfg(test)]
mod bootstrap;
#[cfg(test)]
mod concurrency;
#[cfg(test)]
mod events;
#[cfg(test)]
mod lists;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod replays;
#[cfg(test)]
mod rights;
#[cfg(test)]
mod updates;
#[cfg(test)]
mod whoami;
#[cfg(test)]
mod world;
