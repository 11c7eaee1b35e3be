//! The `provost` program once more, made with the tests that start it as a process of its own: they need no other build, and it is
//! never older than they are.

use std::process::ExitCode;

use tikv_jemallocator::Jemalloc;

/// As the program has it (ADR 13): these tests measure memory.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> ExitCode {
    cli::run()
}
