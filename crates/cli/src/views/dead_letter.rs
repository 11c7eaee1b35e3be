//! Dead letters.

use contract::provost::events::v1::DeadLetter;
use serde_json::{Value, json};

use crate::output::{Show, time};

impl Show for DeadLetter {
    const COLUMNS: &'static [&'static str] = &["EVENT ID", "TYPE", "SUBJECT", "FAILURES", "PROBLEM"];
    const PROSE: bool = true;

    fn id(&self) -> &str {
        &self.event_id
    }

    fn row(&self) -> Vec<String> {
        let Self { event_id, r#type, subject, failures, problem, .. } = self;
        vec![event_id.clone(), r#type.clone(), subject.clone(), failures.to_string(), problem.clone()]
    }

    fn json(&self) -> Value {
        json!({
            "id": self.event_id,
            "type": self.r#type,
            "subject": self.subject,
            "group": self.group_uid,
            "time": time::wire(self.event_time.as_ref()),
            "gave_up_at": time::wire(self.give_up_time.as_ref()),
            "failures": self.failures,
            "problem": self.problem,
            "replay_at": time::wire(self.replay_time.as_ref()),
        })
    }
}
