//! Measuring things in turn, and what figures come to.

use std::time::{Duration, Instant};

use crate::Result;

/// The medians of two things that were measured in turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Medians {
    pub(crate) ours: f64,
    pub(crate) reference: f64,
}

/// Measures one thing and the other, `rounds` times each, after a round that does not count.
pub(crate) async fn in_turn(
    rounds: usize,
    mut ours: impl AsyncFnMut() -> Result<f64>,
    mut reference: impl AsyncFnMut() -> Result<f64>,
) -> Result<Medians> {
    ours().await?;
    reference().await?;
    let (mut a, mut b) = (Vec::with_capacity(rounds), Vec::with_capacity(rounds));
    for _ in 0..rounds {
        a.push(ours().await?);
        b.push(reference().await?);
    }
    Ok(Medians { ours: median(a), reference: median(b) })
}

/// Measures any number of things, `rounds` times each, after a round that does not count; the median of each.
pub(crate) async fn all_in_turn<T>(
    rounds: usize,
    things: &[T],
    mut figure: impl AsyncFnMut(&T) -> Result<f64>,
) -> Result<Vec<f64>> {
    let mut figures = vec![Vec::with_capacity(rounds); things.len()];
    for round in 0..=rounds {
        for (thing, figures) in things.iter().zip(&mut figures) {
            let figure = figure(thing).await?;
            if round > 0 {
                figures.push(figure);
            }
        }
    }
    Ok(figures.into_iter().map(median).collect())
}

/// The middle of the figures; of two in the middle the greater. There must be one.
pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

/// By how much the second grows with each one of the first: the slope of the line that is nearest to all points, by least
/// squares.
pub(crate) fn slope(points: &[(f64, f64)]) -> f64 {
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.iter().map(|_| 1.0).sum::<f64>();
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let both: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    both / points.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>()
}

/// How often a second `work` is done, tried for `time`.
pub(crate) async fn rate(time: Duration, mut work: impl AsyncFnMut() -> Result<()>) -> Result<f64> {
    let (begin, mut done) = (Instant::now(), 0u32);
    loop {
        work().await?;
        done += 1;
        let passed = begin.elapsed();
        if passed >= time {
            return Ok(f64::from(done) / passed.as_secs_f64());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        let told = [vec![3.0, 1.0, 2.0], vec![9.0], vec![4.0, 1.0]].map(|figures| median(figures).to_string());
        assert_eq!(told, ["2", "9", "4"]);
        assert!(median(Vec::new()).is_nan());
    }

    #[test]
    fn the_slope_is_that_of_the_nearest_line() {
        // One that is as often too high as too low changes nothing.
        let points = [(0.0, 1.0), (1.0, 4.0), (2.0, 5.0), (3.0, 6.0), (4.0, 9.0)];
        assert!((slope(&points) - 1.8).abs() < 1e-9);
        assert!(slope(&[]).is_nan());
    }
}
