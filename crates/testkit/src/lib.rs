//! Tests at the front door: a real server per test, actors that hold real tokens, and transcripts of whole answers.
//!
//! [`scenario()`] runs a story once over JSON and once over gRPC, each on a server of its own whose clock stands still and
//! whose identifiers are counted, and insists that both transcripts are the same text.

mod actor;
mod aws;
mod clock;
mod clouds;
mod contest;
mod entropy;
mod golden;
mod issuer;
pub mod openmetrics;
mod place;
mod proxy;
pub mod samples;
mod scenario;
mod server;
mod sink;
mod transcript;
mod transport;

pub use actor::Actor;
pub use aws::{AwsPrincipal, AwsSts, Mishap, Signing};
pub use clock::FixedClock;
pub use clouds::{CREDENTIAL, Clouds, Received};
pub use contest::change_at_once;
pub use entropy::CountedEntropy;
pub use golden::golden;
pub use issuer::{Fault, Issuer};
pub use openmetrics::Exposition;
pub use proxy::{Line, Proxy};
pub use samples::{Does, Place, Sample};
pub use scenario::{Scenario, scenario, scenario_on};
pub use server::{Setup, TestServer};
pub use sink::{Delivered, Sink};
pub use transcript::Transcript;
pub use transport::{Doors, Outcome, Transport};
