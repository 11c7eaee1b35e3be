//! `provost auth status`

use contract::chainguard::platform::auth::{WhoAmI, rpc::Validate, who_am_i::Capability};
use domain::iam::identity::operator_uid;
use serde_json::{Value, json};

use crate::{
    exit::Failure,
    global::Global,
    output::{self, Format, time},
    session,
};

/// Asks the server who the caller is, and prints it.
pub(super) async fn run(global: &Global) -> Result<(), Failure> {
    let client = session::connect(global).await?;
    let me = client.call::<Validate>(()).await?;
    let mut told = json!({
        "identity": me.subject,
        "email": me.email,
        "issuer": me.issuer,
        "audience": me.audience,
        "issued_at": time::wire(me.issued_at.as_ref()),
        "expiry": time::wire(me.expiry.as_ref()),
    });
    let operator = me.subject == operator_uid().to_string();
    if let (true, Some(fields)) = (operator, told.as_object_mut()) {
        fields.insert("operator".to_owned(), json!(true));
    }
    if let (Format::Json, Some(fields)) = (global.output, told.as_object_mut()) {
        fields.insert("capabilities".to_owned(), me.capabilities.iter().map(held).collect());
    }
    output::report(global.output, &me.subject, &told, Some((&["GROUP", "NAME", "ROLE"], rows(&me, operator))))
}

fn held(held: &Capability) -> Value {
    json!({
        "group": held.group.as_ref().map(|group| json!({"id": group.id, "name": group.name})),
        "role": held.role.as_ref().map(|role| json!({"id": role.id, "name": role.name})),
        "capabilities": held.capabilities,
    })
}

/// What the caller may do, and where. What operators hold is above all groups, which no answer of the server shows.
fn rows(me: &WhoAmI, operator: bool) -> Vec<Vec<String>> {
    let row = |held: &Capability| {
        let (id, name) = held.group.as_ref().map_or(("/", "everywhere"), |group| (&*group.id, &*group.name));
        let role = held.role.as_ref().map_or_else(|| held.capabilities.join(", "), |role| role.name.clone());
        vec![id.to_owned(), name.to_owned(), role]
    };
    let everything = operator.then(|| ["/", "everywhere", "operator: may do everything"].map(str::to_owned).to_vec());
    everything.into_iter().chain(me.capabilities.iter().map(row)).collect()
}
