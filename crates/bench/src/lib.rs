//! What the program costs, beside the least that the same work can cost on the same machine: `provost bench`. Charts of that, and
//! a soak, are made by the tool of this crate, which is not shipped.
//!
//! Every ratio comes from one run: ours and the reference are measured in turn, several times, and the medians are compared.
//! So a figure does not depend on how fast the machine is, and little on what else it does meanwhile.
//!
//! It measures release builds only in earnest: in others the references are slow as well.

mod cases;
mod error;
mod host;
mod load;
mod measure;
mod plot;
mod process;
mod reference;
mod report;
mod run;
mod served;
mod soak;
mod world;

pub use error::Error;
pub use host::Host;
pub use plot::{Chart, Line, Scale};
pub use report::{Budget, Report, Row, Verdict};
pub use run::{Options, run};
pub use soak::{Soak, soak};

/// What a measurement answers, or why it could not be made.
pub type Result<T> = std::result::Result<T, Error>;
