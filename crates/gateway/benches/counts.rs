//! How many instructions the router takes: `cargo xtask counts`.

#![expect(missing_docs, reason = "the macros write modules and functions of their own")]
#![expect(clippy::expect_used, reason = "a bench whose contract cannot be routed has nothing to measure")]

use std::hint::black_box;

use contract::Verb;
use gateway::testing::Routes;
use gungraun::{library_benchmark, library_benchmark_group, main};

/// The whole contract, a verb and a path that has been looked up before.
fn case(verb: Verb, path: &'static str) -> (Routes, Verb, &'static str) {
    let routes = Routes::new().expect("the contract can be routed");
    let _ = routes.find(verb, path);
    (routes, verb, path)
}

#[library_benchmark(setup = case)]
#[bench::of_a_list(Verb::Get, "/iam/v2beta1/groups")]
#[bench::of_a_resource(Verb::Get, "/iam/v2beta1/groups/3f0c1de2ab4459b87c6d5e4f30211203fedcba98/89abcdef01234567")]
#[bench::of_a_custom_verb(Verb::Post, "/iam/v2beta1/roleBindings:batchCreate")]
#[bench::of_escapes(Verb::Get, "/iam/v2beta1/groups/3f0c1de2ab4459b87c6d5e4f30211203fedcba98%2F89abcdef01234567")]
#[bench::of_nothing(Verb::Get, "/iam/v2beta1/unheard/of")]
fn router((routes, verb, path): (Routes, Verb, &'static str)) -> (bool, Routes) {
    let found = routes.find(black_box(verb), black_box(path)).is_some();
    (found, routes)
}

library_benchmark_group!(name = routes, benchmarks = router);
main!(library_benchmark_groups = routes);
