//! Random histories, carried out on a real server and on a model that is small enough to be right: every answer must be
//! the same. `cargo xtask model` runs as many steps as one likes.

mod answer;
mod concurrent;
mod driver;
mod generate;
mod history;
mod nouns;
mod random;
mod rules;
mod shorten;
mod show;
mod state;
mod tally;

use std::time::Instant;

use driver::{Disagreement, Driver};
use generate::Generator;
use history::Step;
use tally::Tally;
use tokio::task::JoinSet;

/// Steps of one history; the next begins on a server of its own.
const LENGTH: usize = 2000;
/// Everything is compared after so many steps.
const COMPARE: usize = 250;
/// Histories that run at a time.
const AT_A_TIME: usize = 2;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_answers_as_the_model() {
    let steps = number("PROVOST_TEST_STEPS").unwrap_or(10_000);
    let steps = usize::try_from(steps).expect("a number of steps");
    let first = number("PROVOST_TEST_SEED").unwrap_or(1);
    let (begun, mut seed, mut left, mut done) = (Instant::now(), first, steps, 0);
    let (mut running, mut tally) = (JoinSet::new(), Tally::default());
    while left > 0 || !running.is_empty() {
        if left > 0 && running.len() < AT_A_TIME {
            let length = LENGTH.min(left);
            running.spawn(random_history(seed, length));
            (seed, left) = (seed + 1, left - length);
            continue;
        }
        match running.join_next().await.expect("histories are running").expect("a history ends") {
            Ok(history) => {
                done += history.steps();
                tally.add(history);
                println!("{done} of {steps} steps from seed {first} on, {:.0} s", begun.elapsed().as_secs_f64());
            }
            Err(failure) => failure.report().await,
        }
    }
    println!("{tally}");
    assert!(tally.by_ranks() > 0.0, "no page was found by ranks");
    if steps >= 10_000 {
        assert_eq!(tally.never(), Vec::<String>::new(), "rules that no step has reached");
    }
}

/// A history that was not answered as the model says.
struct Failure {
    seed: u64,
    length: usize,
    history: Vec<Step>,
    disagreement: Disagreement,
}

impl Failure {
    /// Panics with all that it takes to see it again.
    async fn report(self) {
        let Self { seed, length, history, disagreement } = self;
        println!("seed {seed}: {disagreement}\nshortening the {} steps before it", history.len());
        let (history, disagreement) = shorten::shorten(history, disagreement).await;
        let told: Vec<String> = history.iter().map(|step| format!("{step:?}")).collect();
        panic!(
            "{disagreement}\nafter these {} steps:\n{}\nAgain: cargo xtask model --seed {seed} --steps {length}",
            told.len(),
            told.join("\n"),
        );
    }
}

/// Makes up a history and plays it.
///
/// # Errors
/// The history as far as it came, and where server and model part.
async fn random_history(seed: u64, length: usize) -> Result<Tally, Failure> {
    let mut driver = Driver::begin().await;
    let mut generator = Generator::new(seed);
    let (mut history, mut tally) = (Vec::with_capacity(length), Tally::default());
    for number in 0..length {
        let step = generator.step(number, &driver.state);
        history.push(step.clone());
        let mut outcome = driver.step(&step).await.map(|answer| tally.count(&step, &answer));
        if outcome.is_ok() && ((number + 1) % COMPARE == 0 || number + 1 == length) {
            outcome = driver.compare_everything(number).await;
        }
        if let Err(disagreement) = outcome {
            driver.end().await;
            return Err(Failure { seed, length, history, disagreement });
        }
    }
    tally.found_by_ranks(driver.end().await);
    Ok(tally)
}

/// A number of the environment.
///
/// Panics when it is none.
#[expect(clippy::disallowed_methods, reason = "how long to run comes from the environment")]
fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is {text:?}, not a number")))
}
