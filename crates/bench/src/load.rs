//! Load: many connections that ask, from threads of their own.

pub(crate) mod asker;
pub(crate) mod grpc;
pub(crate) mod http;

use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};

use crate::{Error, Result};

/// What asks for the same thing again and again.
pub(crate) trait Asks: Send + 'static {
    /// Asks once; an answer that is no success is an error.
    fn ask(&mut self) -> impl Future<Output = Result<()>> + Send;
}

/// The threads that all clients share: what they cost is the same for whoever answers, and not taken from its threads.
#[derive(Debug)]
pub(crate) struct Clients(Option<Runtime>);

impl Clients {
    /// One thread: of few cores most are left to who answers.
    pub(crate) fn new() -> Result<Self> {
        Self::of(1)
    }

    /// As many threads as there are cores, so that clients are not what limits the load.
    pub(crate) fn on_all_cores() -> Result<Self> {
        Self::of(std::thread::available_parallelism()?.get())
    }

    fn of(threads: usize) -> Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(threads).thread_name("load").enable_all().build()?;
        Ok(Self(Some(runtime)))
    }

    /// Runs `work` on the threads.
    pub(crate) async fn run<T: Send + 'static>(&self, work: impl Future<Output = Result<T>> + Send + 'static) -> Result<T> {
        let runtime = self.0.as_ref().ok_or_else(|| Error::new("the clients are gone"))?;
        runtime.spawn(work).await?
    }

    /// Lets all of `askers` ask for `time`, each one question after the other; answers per second.
    pub(crate) async fn load<A: Asks>(&self, askers: &mut Vec<A>, time: Duration) -> Result<f64> {
        let mut crowd = std::mem::take(askers);
        let (back, rate) = self
            .run(async move {
                let begin = Instant::now();
                let tasks: Vec<_> = crowd.drain(..).map(|asker| tokio::spawn(until(asker, begin + time))).collect();
                let mut answers = 0;
                for task in tasks {
                    let (asker, count) = task.await??;
                    crowd.push(asker);
                    answers += count;
                }
                Ok((crowd, f64::from(answers) / begin.elapsed().as_secs_f64()))
            })
            .await?;
        *askers = back;
        Ok(rate)
    }
}

async fn until<A: Asks>(mut asker: A, end: Instant) -> Result<(A, u32)> {
    let mut answers = 0;
    while Instant::now() < end {
        asker.ask().await?;
        answers += 1;
    }
    Ok((asker, answers))
}

impl Drop for Clients {
    fn drop(&mut self) {
        // A runtime may not wait for its threads inside another one.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
