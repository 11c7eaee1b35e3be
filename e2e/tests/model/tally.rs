//! How often steps were answered in which way: a test that only ever saw refusals, or none, would prove little.

use std::{collections::BTreeMap, fmt};

use crate::model::{
    answer::Answer,
    history::{Action, Step},
    nouns::Noun,
};

/// What some steps must come to in ten thousand, whatever they do.
const EXPECTED: &[&str] = &[
    "CAPABILITY_MISSING",
    "ETAG_MISMATCH",
    "GROUP_FULL",
    "ORDER_BY",
    "PAGE_SIZE",
    "REQUIRED",
    "SKIP",
    "TOKEN_EXPIRED",
    "TOKEN_INVALID",
    "TOKEN_MISSING",
    "TOKEN_REVOKED",
    "UPDATE_MASK",
];

/// What must come of steps that do one thing, in ten thousand of all.
const OF_STEPS: &[(&str, &[&str])] = &[
    ("CreateGroup", &["FIELD", "NAME_TAKEN", "NO_SUCH_RESOURCE", "OPERATORS_ONLY"]),
    ("CreateIdentity", &["FIELD", "NO_SUCH_RESOURCE"]),
    ("CreateRole", &["FIELD", "NO_SUCH_RESOURCE"]),
    ("CreateRoleBinding", &["ESCALATION", "NO_SUCH_RESOURCE", "OTHER_ORGANIZATION"]),
    ("CreateIdentityProvider", &["ESCALATION", "FIELD", "OTHER_ORGANIZATION"]),
    ("CreateExternalGroupRoleMapping", &["DUPLICATE", "ESCALATION", "FIELD", "NO_SUCH_RESOURCE", "OTHER_ORGANIZATION"]),
    ("CreateGroupInvite", &["ESCALATION", "FIELD", "NO_SUCH_RESOURCE", "OTHER_ORGANIZATION"]),
    ("CreateAccountAssociation", &["FIELD", "NO_SUCH_RESOURCE", "ONE_PER_GROUP", "OTHER_ORGANIZATION"]),
    ("CreateRepo", &["FIELD", "NAME_TAKEN", "NO_SUCH_RESOURCE"]),
    ("CreateTag", &["FIELD", "NO_SUCH_RESOURCE"]),
    ("CreateOverlay", &["FIELD", "NAME_TAKEN"]),
    ("CreateOverlayBinding", &["FIELD", "REQUIRED"]),
    ("UpdateGroup", &["OPERATORS_ONLY"]),
    ("UpdateIdentity", &["ESCALATION"]),
    ("UpdateRole", &["BUILT_IN", "ESCALATION"]),
    ("UpdateRoleBinding", &["ESCALATION", "OTHER_ORGANIZATION"]),
    ("UpdateIdentityProvider", &["ESCALATION", "FIELD", "IMMUTABLE", "OTHER_ORGANIZATION"]),
    ("UpdateAccountAssociation", &["FIELD", "OTHER_ORGANIZATION"]),
    ("UpdateRepo", &["NAME_TAKEN"]),
    ("DeleteGroup", &["NOT_EMPTY"]),
    ("DeleteRole", &["BUILT_IN", "ROLE_BOUND"]),
    ("DeleteOverlay", &["NOT_EMPTY"]),
    ("BatchCreateRoleBindings", &["OK", "ESCALATION", "FIELD", "OTHER_ORGANIZATION"]),
    ("BatchDeleteExternalGroupRoleMappings", &["OK", "FIELD"]),
    ("Exchange", &["OK", "CLAIM_MISMATCH", "NO_SUCH_RESOURCE"]),
    ("Narrow", &["OK", "ESCALATION"]),
    ("Register", &["OK", "CLAIM_MISMATCH", "FIELD", "INVITE_REFUSED", "NO_SUCH_RESOURCE"]),
    ("Delete", &["OK", "OWN_ACCOUNT_ONLY"]),
    ("SetGroupVisibility", &["OK", "NO_SUCH_RESOURCE"]),
    ("SetRepoVisibility", &["OK", "NO_SUCH_RESOURCE"]),
    ("SetResourceLimits", &["OK", "OPERATORS_ONLY"]),
    ("GetResourceLimits", &["OK"]),
    ("GetGroupVisibility", &["OK"]),
    ("GetRepoVisibility", &["OK"]),
];

/// What the steps of histories came to.
#[derive(Default)]
pub(crate) struct Tally {
    /// How often, by the rule of the answer, `OK` without an error, and by what was done.
    answers: BTreeMap<String, BTreeMap<String, usize>>,
    /// Pages that servers found by ranks.
    by_ranks: f64,
}

impl Tally {
    pub(crate) fn count(&mut self, step: &Step, answer: &Answer) {
        let rule = match answer {
            Answer::Done { .. } => "OK",
            Answer::Refused(refusal) => refusal.rule.as_str(),
        };
        *self.answers.entry(rule.to_owned()).or_default().entry(done(&step.action)).or_default() += 1;
    }

    pub(crate) fn add(&mut self, other: Self) {
        for (rule, steps) in other.answers {
            let known = self.answers.entry(rule).or_default();
            for (step, count) in steps {
                *known.entry(step).or_default() += count;
            }
        }
        self.by_ranks += other.by_ranks;
    }

    pub(crate) fn found_by_ranks(&mut self, pages: f64) {
        self.by_ranks += pages;
    }

    pub(crate) fn by_ranks(&self) -> f64 {
        self.by_ranks
    }

    pub(crate) fn steps(&self) -> usize {
        self.answers.values().flat_map(BTreeMap::values).sum()
    }

    /// What has never been answered and should have been.
    pub(crate) fn never(&self) -> Vec<String> {
        let of_all = EXPECTED.iter().filter(|rule| !self.answers.contains_key(**rule)).map(|rule| (*rule).to_owned());
        let of_nouns = Noun::ALL.into_iter().flat_map(|noun| {
            let (one, many) = (noun.declared().one, noun.declared().many);
            let update = noun.changes().then(|| format!("Update{one}"));
            [format!("Create{one}"), format!("Get{one}"), format!("List{many}"), format!("Delete{one}")].into_iter().chain(update)
        });
        let of_nouns = of_nouns.map(|step| (step, "OK"));
        let of_steps = OF_STEPS.iter().flat_map(|(step, rules)| rules.iter().map(|rule| ((*step).to_owned(), *rule)));
        let absent = |(step, rule): &(String, &str)| !self.answers.get(*rule).is_some_and(|steps| steps.contains_key(step));
        let pairs = of_nouns.chain(of_steps).filter(absent).map(|(step, rule)| format!("{step} {rule}"));
        of_all.chain(pairs).collect()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (rule, steps) in &self.answers {
            let each: Vec<String> = steps.iter().map(|(step, count)| format!("{step} {count}")).collect();
            writeln!(f, "{:>9} {rule}: {}", steps.values().sum::<usize>(), each.join(", "))?;
        }
        writeln!(f, "{:>9} pages found by ranks", self.by_ranks)
    }
}

/// What a step does: the method that it calls, or what it is called for.
fn done(action: &Action) -> String {
    match action {
        Action::Operate => "Operate".to_owned(),
        Action::Narrow { .. } => "Narrow".to_owned(),
        other => other.method(),
    }
}
