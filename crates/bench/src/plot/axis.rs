//! An axis: where values stand on it, and which of them are named.

/// How values are spread over an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Evenly, from zero on.
    Linear,
    /// Each tenfold takes the same room. Only values above zero have a place.
    Logarithmic,
}

/// An axis of a chart.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    scale: Scale,
    least: f64,
    most: f64,
    /// The values that are named, in order.
    pub(super) ticks: Vec<f64>,
}

impl Axis {
    /// An axis with room for these values, from one named value to another.
    pub(super) fn around(scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        let usable = |value: &f64| value.is_finite() && (scale == Scale::Linear || *value > 0.0);
        let (least, most) = values.filter(usable).fold((f64::MAX, f64::MIN), |(a, b), value| (a.min(value), b.max(value)));
        let ticks = match scale {
            Scale::Linear => evenly(most),
            Scale::Logarithmic => decades(least, most),
        };
        let (least, most) = (ticks.first().copied().unwrap_or(0.0), ticks.last().copied().unwrap_or(1.0));
        Self { scale, least, most, ticks }
    }

    /// Where a value stands, from 0 at the beginning to 1 at the end.
    pub(super) fn place(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.least) / (self.most - self.least),
            Scale::Logarithmic => (value / self.least).log10() / (self.most / self.least).log10(),
        }
    }
}

/// From zero up to `most` or a little more, in four to ten steps of 1, 2 or 5 times a power of ten.
fn evenly(most: f64) -> Vec<f64> {
    let most = if most > 0.0 { most } else { 1.0 };
    let power = 10f64.powf((most / 4.0).log10().floor());
    let step = [5.0, 2.0].map(|digit| digit * power).into_iter().find(|step| most / step >= 4.0).unwrap_or(power);
    let mut ticks = vec![0.0];
    // Each is made of a whole number of steps, so that no error adds up.
    for count in 1..=10u32 {
        if ticks.last().is_some_and(|last| *last >= most * (1.0 - 1e-9)) {
            break;
        }
        ticks.push(f64::from(count) * step);
    }
    ticks
}

/// 1, 2 and 5 times the powers of ten around `least` and `most`, or the powers alone when there are many.
fn decades(least: f64, most: f64) -> Vec<f64> {
    let (least, most) = if least <= most { (least, most) } else { (1.0, 1.0) };
    let digits: &[f64] = if most / least > 1e3 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let mut ticks = Vec::new();
    let mut power = 10f64.powf(least.log10().floor());
    while power < most * 100.0 {
        ticks.extend(digits.iter().map(|digit| digit * power));
        power *= 10.0;
    }
    let below = |tick: &&f64| **tick <= least * (1.0 + 1e-9);
    let begin = ticks.iter().take_while(below).count().saturating_sub(1);
    let inside = ticks.iter().skip(begin + 1).take_while(|tick| **tick < most * (1.0 - 1e-9)).count();
    ticks.into_iter().skip(begin).take(inside + 2).collect()
}

/// A value in few letters: 1000 is 1k, a million is 1M.
pub(super) fn named(value: f64) -> String {
    let (value, unit) = match value {
        value if value >= 1e6 => (value / 1e6, "M"),
        value if value >= 1e3 => (value / 1e3, "k"),
        value => (value, ""),
    };
    let digits = format!("{value:.4}");
    format!("{}{unit}", digits.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(scale: Scale, values: &[f64]) -> Vec<String> {
        Axis::around(scale, values.iter().copied()).ticks.into_iter().map(named).collect()
    }

    #[test]
    fn ticks_are_round_and_hold_all_values() {
        assert_eq!(ticks(Scale::Linear, &[0.3, 1.7]), ["0", "0.2", "0.4", "0.6", "0.8", "1", "1.2", "1.4", "1.6", "1.8"]);
        assert_eq!(ticks(Scale::Linear, &[875_000.0]), ["0", "200k", "400k", "600k", "800k", "1M"]);
        assert_eq!(ticks(Scale::Linear, &[]), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(ticks(Scale::Logarithmic, &[1e3, 1e6]), ["1k", "2k", "5k", "10k", "20k", "50k", "100k", "200k", "500k", "1M"]);
        assert_eq!(ticks(Scale::Logarithmic, &[0.06, 3.0]), ["0.05", "0.1", "0.2", "0.5", "1", "2", "5"]);
        assert_eq!(ticks(Scale::Logarithmic, &[0.06, 300.0]), ["0.01", "0.1", "1", "10", "100", "1k"]);
        assert_eq!(ticks(Scale::Logarithmic, &[1.0]), ["1", "2"]);
        assert_eq!(ticks(Scale::Logarithmic, &[0.0, f64::NAN]), ["1", "2"]);
    }

    #[test]
    fn a_tenfold_takes_the_same_room_anywhere() {
        let axis = Axis::around(Scale::Logarithmic, [1e3, 1e6].into_iter());
        let places = [1e3, 1e4, 1e5, 1e6].map(|value| format!("{:.3}", axis.place(value)));
        assert_eq!(places, ["0.000", "0.333", "0.667", "1.000"]);
        let axis = Axis::around(Scale::Linear, [10.0].into_iter());
        assert_eq!(axis.place(5.0).to_string(), "0.5");
    }
}
