//! What newer builds of images have resolved, day by day: tags tell when there were builds, advisories when something was fixed.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    Ctx, Error, Result, Rule, Timestamp, Uidp,
    registry::TagName,
    vulnerabilities::{AdvisoryId, Severity},
};
use store::{
    Reader,
    registry::{repos, tags},
    vulnerabilities::{
        advisories::{self, FixedVulnerability},
        known,
    },
};

use super::Publications;

/// Milliseconds of a day.
const DAY: i64 = 24 * 60 * 60 * 1000;
/// Most days of a report.
const MAX_DAYS: i64 = 366;
/// Most vulnerabilities of one image that a report tells of.
const MAX_FIXED: usize = 5_000;

/// Images of one repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageRef {
    /// The repository.
    pub repo: Uidp,
    /// Its tags.
    pub tags: Vec<TagName>,
}

/// What was resolved on one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedOn {
    /// The beginning of the day, in UTC.
    pub day: Timestamp,
    /// The vulnerabilities, each once.
    pub resolved: Vec<Resolved>,
}

/// A vulnerability that newer builds have no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// What it is best known as.
    pub id: String,
    /// Its other ids.
    pub aliases: Vec<String>,
    /// How bad it was.
    pub severities: Vec<Severity>,
}

/// When each tag of an image got its digests, the oldest first. The first one replaced nothing, each other one is a build.
struct Builds(Vec<Vec<Timestamp>>);

impl Builds {
    /// When the first build came after this, of a tag that had a digest before.
    fn resolving(&self, fixed_at: Timestamp) -> Option<Timestamp> {
        let of_tag = |times: &Vec<Timestamp>| {
            let before = times.partition_point(|at| *at < fixed_at);
            times.get(before).copied().filter(|_| before > 0)
        };
        self.0.iter().filter_map(of_tag).min()
    }

    /// Whether something was there to be replaced on this day, or before it.
    fn began_by(&self, last: i64) -> bool {
        self.0.iter().filter_map(|times| times.first()).any(|at| day(*at) <= last)
    }
}

impl Publications {
    /// What builds of the images have resolved on each day from that of `start` to that of `end`. A build is what a tag stands for from
    /// some time on. It resolves what a published advisory about the repository's name, in a group at or above the repository, says
    /// was fixed after the build before it. Images where the caller does not hold the method's capabilities are left out.
    ///
    /// # Errors
    /// Invalid argument for a range that ends before it begins, or is longer than a year; failed precondition when nothing is known
    /// that a report could be made of.
    pub async fn resolved(&self, ctx: &Ctx, images: &[ImageRef], start: Timestamp, end: Timestamp) -> Result<Vec<ResolvedOn>> {
        let days = days(start, end)?;
        let scopes = ctx.scopes();
        let mut reader = self.store.reader().await?;
        let mut found = BTreeMap::<i64, BTreeMap<Uidp, Resolved>>::new();
        let mut data = Known::default();
        for image in images.iter().filter(|image| scopes.contains(&image.repo)) {
            let builds = builds(&mut reader, image).await?;
            data.builds |= builds.began_by(*days.end());
            if builds.0.is_empty() {
                continue;
            }
            let fixed = fixed(&mut reader, &image.repo).await?;
            data.fixed |= !fixed.is_empty();
            let by_day = fixed.iter().filter_map(|one| Some((day(builds.resolving(one.fixed_at)?), one)));
            let by_day: Vec<_> = by_day.filter(|(day, _)| days.contains(day)).collect();
            let names: BTreeSet<_> = by_day.iter().flat_map(|(_, one)| one.aliases.iter().cloned()).collect();
            let ratings = known::severities(&mut reader, &image.repo.root(), &names).await?;
            for (day, one) in by_day {
                found.entry(day).or_default().entry(one.advisory.clone()).or_insert_with(|| resolved(one, &ratings));
            }
        }
        data.check()?;
        let report = |number: i64| ResolvedOn {
            day: Timestamp(number * DAY),
            resolved: found.remove(&number).into_iter().flat_map(BTreeMap::into_values).collect(),
        };
        Ok(days.map(report).collect())
    }
}

/// Whether there is what a report is made of.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    builds: bool,
    fixed: bool,
}

impl Known {
    fn check(self) -> Result<()> {
        let lacks = match (self.builds, self.fixed) {
            (true, true) => return Ok(()),
            (false, _) => "none of the images that you may see had two digests by then; push newer builds of their tags",
            (true, false) => {
                "no published advisory says that anything was fixed in the images; record fixed events and approve them"
            }
        };
        Err(Error::precondition(Rule::NoReportData, "NO_REPORT_DATA", "", format!("there is nothing to report on: {lacks}")))
    }
}

/// The numbers of the days.
fn days(start: Timestamp, end: Timestamp) -> Result<std::ops::RangeInclusive<i64>> {
    let (first, last) = (day(start), day(end));
    if end < start {
        return Err(Error::field("end_time", "end_time must not be before start_time"));
    }
    if last - first >= MAX_DAYS {
        return Err(Error::field("end_time", format!("end_time must be within {MAX_DAYS} days of start_time")));
    }
    Ok(first..=last)
}

fn day(at: Timestamp) -> i64 {
    at.0.div_euclid(DAY)
}

/// The builds of an image, without tags that never had a second digest.
async fn builds(reader: &mut Reader, image: &ImageRef) -> Result<Builds> {
    let mut builds = Vec::new();
    for tag in &image.tags {
        let Some(tag) = tags::find(reader, &image.repo, tag.as_str()).await? else { continue };
        let times: Vec<_> = tags::history(reader, &tag.uid).await?.into_iter().map(|(at, _)| at).collect();
        if times.len() > 1 {
            builds.push(times);
        }
    }
    Ok(Builds(builds))
}

/// What is fixed in the images of a repository; nothing where there is no such repository.
async fn fixed(reader: &mut Reader, repo: &Uidp) -> Result<Vec<FixedVulnerability>> {
    let Some(found) = repos::without_overlay(reader, repo).await? else { return Ok(Vec::new()) };
    let groups: Vec<_> = std::iter::successors(repo.parent(), Uidp::parent).collect();
    let fixed = advisories::fixed(reader, &groups, found.spec.name.as_str(), MAX_FIXED + 1).await?;
    if fixed.len() > MAX_FIXED {
        let description =
            format!("more than {MAX_FIXED} vulnerabilities are fixed in {}; no report tells of so many", found.spec.name);
        return Err(Error::precondition(Rule::ListTooLong, "LIST_TOO_LONG", repo.as_str(), description));
    }
    Ok(fixed)
}

/// The vulnerability as the report has it: by its CVE, else by its first alias, else by the advisory's own id.
fn resolved(fixed: &FixedVulnerability, ratings: &BTreeMap<String, BTreeSet<Severity>>) -> Resolved {
    let aliases = &fixed.aliases;
    let best = aliases.iter().find(|alias| alias.starts_with("CVE-")).or_else(|| aliases.first());
    let id = best.map_or_else(|| AdvisoryId::of(&fixed.advisory).to_string(), Clone::clone);
    let severities: BTreeSet<_> = aliases.iter().filter_map(|alias| ratings.get(alias)).flatten().cloned().collect();
    Resolved {
        aliases: aliases.iter().filter(|alias| **alias != id).cloned().collect(),
        severities: severities.into_iter().collect(),
        id,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_build_after_a_fix_resolves_it() {
        let at = |times: &[i64]| times.iter().copied().map(Timestamp).collect();
        let builds = Builds(vec![at(&[10, 20, 30]), at(&[22, 25])]);
        let resolving = |fixed_at| builds.resolving(Timestamp(fixed_at)).map(|at| at.0);
        // What is fixed before the first digest was never there, and what is fixed after the last one still is.
        let expected = [(5, None), (10, None), (11, Some(20)), (20, Some(20)), (21, Some(30)), (23, Some(25)), (31, None)];
        for (fixed_at, build) in expected {
            assert_eq!(resolving(fixed_at), build, "fixed at {fixed_at}");
        }
    }
}
