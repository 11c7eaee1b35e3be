//! A strict reader of the OpenMetrics text format, version 1.0.0: what a scraper may refuse, it refuses.

use std::collections::{BTreeMap, BTreeSet};

/// What `/metrics` answered.
#[derive(Debug)]
pub struct Exposition {
    /// The metric families in the order in which they were told.
    pub families: Vec<Family>,
}

/// A metric with all its series.
#[derive(Debug, Default)]
pub struct Family {
    /// Its name, without the suffixes of its samples.
    pub name: String,
    /// `counter`, `gauge`, `histogram` or `info`.
    pub kind: String,
    /// Its unit, if it has one.
    pub unit: Option<String>,
    /// What it means.
    pub help: String,
    /// Its samples.
    pub samples: Vec<Sample>,
}

/// One line with a value.
#[derive(Debug)]
pub struct Sample {
    /// The name with its suffix.
    pub name: String,
    /// The labels.
    pub labels: BTreeMap<String, String>,
    /// The value.
    pub value: f64,
}

impl Exposition {
    /// Reads an exposition.
    ///
    /// # Errors
    /// The first line that breaks a rule, and which.
    pub fn parse(text: &str) -> Result<Self, String> {
        let body = text.strip_suffix("# EOF\n").ok_or("it does not end with # EOF")?;
        let (mut families, mut names, mut series) = (Vec::<Family>::new(), BTreeSet::new(), BTreeSet::new());
        for line in body.split_terminator('\n') {
            let broken = |why: &str| format!("{why}: {line:?}");
            if let Some(meta) = line.strip_prefix("# ") {
                let mut words = meta.splitn(3, ' ');
                let (Some(keyword), Some(name), Some(value)) = (words.next(), words.next(), words.next()) else {
                    return Err(broken("metadata without a value"));
                };
                if families.last().is_none_or(|family| family.name != name) {
                    if !is_name(name) || !names.insert(name.to_owned()) {
                        return Err(broken("a name that is none, or that comes twice"));
                    }
                    families.push(Family { name: name.to_owned(), ..Family::default() });
                }
                let family = families.last_mut().ok_or("no family")?;
                match keyword {
                    _ if !family.samples.is_empty() => return Err(broken("metadata behind samples")),
                    "TYPE" if family.kind.is_empty() => value.clone_into(&mut family.kind),
                    "HELP" if family.help.is_empty() => value.clone_into(&mut family.help),
                    "UNIT" if family.unit.is_none() => family.unit = Some(value.to_owned()),
                    _ => return Err(broken("unknown or repeated metadata")),
                }
            } else {
                let sample = sample(line).ok_or_else(|| broken("no sample"))?;
                let family = families.last_mut().filter(|family| sample.name.starts_with(&family.name));
                let family = family.ok_or_else(|| broken("a sample outside its family"))?;
                if !series.insert((sample.name.clone(), sample.labels.clone())) {
                    return Err(broken("a series that comes twice"));
                }
                family.samples.push(sample);
            }
        }
        families.iter().try_for_each(Family::check)?;
        Ok(Self { families })
    }

    /// The sum of all samples of this name whose labels hold these; 0 when there are none.
    #[must_use]
    pub fn sum(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let fits = |sample: &&Sample| {
            sample.name == name && labels.iter().all(|(key, value)| sample.labels.get(*key).is_some_and(|known| known == value))
        };
        self.families.iter().flat_map(|family| &family.samples).filter(fits).map(|sample| sample.value).sum()
    }
}

impl Family {
    fn check(&self) -> Result<(), String> {
        let broken = |why: &str| Err(format!("{}: {why}", self.name));
        if self.help.is_empty() || self.samples.is_empty() {
            return broken("no help, or nothing told");
        }
        if self.unit.as_ref().is_some_and(|unit| !self.name.ends_with(&format!("_{unit}"))) {
            return broken("the unit is not at the end of the name");
        }
        let suffixes: &[&str] = match self.kind.as_str() {
            "counter" => &["_total"],
            "gauge" => &[""],
            "info" => &["_info"],
            "histogram" => &["_sum", "_count", "_bucket"],
            _ => return broken("an unknown type"),
        };
        for sample in &self.samples {
            if !suffixes.iter().any(|suffix| sample.name.strip_suffix(suffix) == Some(&self.name)) {
                return broken("a sample whose name does not fit the type");
            }
            if !sample.value.is_finite() || self.kind != "gauge" && sample.value < 0.0 {
                return broken("a value that cannot be");
            }
        }
        if self.kind == "histogram" { self.check_buckets() } else { Ok(()) }
    }

    /// Buckets come in rising order, hold what the ones before them hold, and end with the count at infinity.
    fn check_buckets(&self) -> Result<(), String> {
        let mut rows: BTreeMap<_, Vec<(f64, f64)>> = BTreeMap::new();
        for sample in self.samples.iter().filter(|sample| sample.name.ends_with("_bucket")) {
            let mut labels = sample.labels.clone();
            let bound = labels.remove("le").and_then(|bound| bound.parse().ok());
            rows.entry(labels)
                .or_default()
                .push((bound.ok_or_else(|| format!("{}: a bucket without bound", self.name))?, sample.value));
        }
        for sample in self.samples.iter().filter(|sample| sample.name.ends_with("_count")) {
            let row = rows.remove(&sample.labels).unwrap_or_default();
            let rises = row.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1);
            let ends = row.last().is_some_and(|(bound, count)| *bound == f64::INFINITY && (count - sample.value).abs() < 0.5);
            if !(rises && ends) {
                return Err(format!("{}: buckets out of order", self.name));
            }
        }
        if rows.is_empty() { Ok(()) } else { Err(format!("{}: buckets without a count", self.name)) }
    }
}

fn is_name(text: &str) -> bool {
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    text.starts_with(is_first) && text.chars().all(|c| is_first(c) || c.is_ascii_digit())
}

/// Reads `name{label="value",…} number`. Exemplars and timestamps are not expected.
fn sample(line: &str) -> Option<Sample> {
    let end = line.find(['{', ' '])?;
    let (name, rest) = line.split_at_checked(end)?;
    let (labels, value) = match rest.strip_prefix('{') {
        Some(rest) => {
            let mut labels = BTreeMap::new();
            let mut rest = rest;
            while !rest.starts_with('}') {
                let (key, after) = rest.split_once("=\"")?;
                let (value, after) = quoted(after)?;
                if !is_name(key) || labels.insert(key.to_owned(), value).is_some() {
                    return None;
                }
                rest = match after.strip_prefix(',') {
                    Some(after) if !after.starts_with('}') => after,
                    Some(_) => return None,
                    None => after,
                };
            }
            (labels, rest.strip_prefix("} ")?)
        }
        None => (BTreeMap::new(), rest.strip_prefix(' ')?),
    };
    (is_name(name) && !value.contains(' ')).then_some(())?;
    Some(Sample { name: name.to_owned(), labels, value: value.parse().ok()? })
}

/// The text up to the closing quote, and what follows.
fn quoted(text: &str) -> Option<(String, &str)> {
    let (mut value, mut chars) = (String::new(), text.char_indices());
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((value, text.get(at + 1..)?)),
            '\\' => value.push(match chars.next()?.1 {
                'n' => '\n',
                c @ ('\\' | '"') => c,
                _ => return None,
            }),
            c => value.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_scraper_may_refuse_is_refused() {
        let good = "# HELP a_seconds Help.\n# TYPE a_seconds histogram\n# UNIT a_seconds seconds\na_seconds_sum{m=\"x\\\"\"} 1.5\n\
                    a_seconds_count{m=\"x\\\"\"} 2\na_seconds_bucket{le=\"1.0\",m=\"x\\\"\"} 1\na_seconds_bucket{le=\"+Inf\",m=\"x\\\"\"} 2\n\
                    # HELP b Help.\n# TYPE b counter\nb_total 3\n# EOF\n";
        let read = Exposition::parse(good).unwrap();
        assert_eq!((read.families.len(), read.families[0].samples[0].labels["m"].as_str()), (2, "x\""));
        assert!((read.sum("a_seconds_bucket", &[("le", "+Inf")]) - 2.0).abs() < 1e-9);
        for (from, to) in [
            ("# EOF\n", ""),
            ("b_total 3", "b 3"),
            ("b_total 3", "b_total -3"),
            ("b_total 3", "b_total 3\nb_total 3"),
            ("b_total 3", "c_total 3"),
            ("b_total 3", "b_total 3 4"),
            ("# TYPE b counter\n", ""),
            ("UNIT a_seconds seconds", "UNIT a_seconds bytes"),
            ("le=\"1.0\"", "le=\"1.0\",le=\"1.0\""),
            ("bucket{le=\"1.0\",m=\"x\\\"\"} 1", "bucket{le=\"1.0\",m=\"x\\\"\"} 3"),
            ("le=\"+Inf\"", "le=\"2.0\""),
        ] {
            let bad = good.replacen(from, to, 1);
            assert!(bad != good && Exposition::parse(&bad).is_err(), "{bad}");
        }
    }
}
