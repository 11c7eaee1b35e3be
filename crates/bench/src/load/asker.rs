//! One connection on which one question follows the other: what an answer costs while nobody else asks.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use super::http::Connection;
use crate::Result;

/// Somebody who asks one question after the other.
#[derive(Debug)]
pub(crate) struct Asker(Connection);

impl Asker {
    /// Connects to a server.
    pub(crate) async fn open(address: SocketAddr) -> Result<Self> {
        Ok(Self(Connection::open(address, Vec::new()).await?))
    }

    /// Sends a request and reads the answer, which must be a success.
    pub(crate) async fn ask(&mut self, request: Vec<u8>) -> Result<()> {
        self.0.set(request);
        self.0.body().await.map(drop)
    }

    /// How long an answer takes, in milliseconds: the mean of those that come within `time`, of one at least.
    pub(crate) async fn millis(&mut self, time: Duration, mut request: impl FnMut() -> Vec<u8>) -> Result<f64> {
        let (mut answers, mut taken) = (0u32, Duration::ZERO);
        while answers == 0 || taken < time {
            let request = request();
            let begin = Instant::now();
            self.ask(request).await?;
            taken += begin.elapsed();
            answers += 1;
        }
        Ok(taken.as_secs_f64() * 1e3 / f64::from(answers))
    }

    /// How long 99 of 100 answers take at most, in milliseconds, of so many after a tenth that does not count.
    pub(crate) async fn slowest_of_99(&mut self, answers: u64, mut request: impl FnMut(u64) -> Vec<u8>) -> Result<f64> {
        let mut taken = Vec::new();
        for number in 0..answers + answers / 10 {
            let request = request(number);
            let begin = Instant::now();
            self.ask(request).await?;
            if number >= answers / 10 {
                taken.push(begin.elapsed());
            }
        }
        taken.sort_unstable();
        let slowest = taken.len().saturating_sub(taken.len() / 100 + 1);
        Ok(taken.get(slowest).copied().unwrap_or_default().as_secs_f64() * 1e3)
    }
}
