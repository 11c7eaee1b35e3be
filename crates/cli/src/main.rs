//! The `provost` program.

use std::process::ExitCode;

use tikv_jemallocator::Jemalloc;

/// Memory for many threads that free what others took, as a server's do (ADR 13).
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> ExitCode {
    cli::run()
}
