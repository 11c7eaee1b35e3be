//! Writing what documents make.

use domain::{
    Result, Timestamp, Uidp,
    iam::Group,
    vulnerabilities::{Advisory, AdvisoryEvent, AdvisoryImport, EventKind, Rejection, Vulnerability, VulnerabilitySpec},
};
use store::{
    Writer, rows,
    vulnerabilities::{
        imports::{self, Key},
        known,
    },
};

use super::prepare::{Judged, Prepared, Ready, ReadyPart, reason};
use crate::{
    iam::placed::home,
    vulnerabilities::advisories::{events, rules},
};

/// Writes what the documents make, and counts it in the import. Answers what was rejected.
pub(super) async fn write(
    tx: &mut Writer,
    import: &mut AdvisoryImport,
    parent: &Uidp,
    documents: &[Prepared],
) -> Result<Vec<Rejection>> {
    let group = home(tx, parent).await?;
    let mut rejections = Vec::new();
    for document in documents {
        let position = import.tally.documents;
        import.tally.documents += 1;
        let outcome = match &document.outcome {
            Ok(ready) => one(tx, import, &group, ready).await?,
            Err(reason) => Err(reason.clone()),
        };
        if let Err(reason) = outcome {
            let rejection = Rejection { position, name: document.name.clone(), reason };
            imports::reject(tx, &import.uid, import.tally.rejected, &rejection).await?;
            import.tally.rejected += 1;
            rejections.push(rejection);
        }
    }
    Ok(rejections)
}

/// Writes what one document makes; answers why not where it cannot be.
async fn one(tx: &mut Writer, import: &mut AdvisoryImport, group: &Group, ready: &Ready) -> Result<Judged<()>> {
    let parent = &group.uid;
    let key = Key { parent, format: ready.format, record: &ready.record };
    if imports::digest(tx, key).await?.is_some_and(|known| known == ready.digest) {
        import.tally.unchanged += 1;
        return Ok(Ok(()));
    }
    // What was exported from this group comes back: it is here, and knows more than the document.
    if let Some(id) = &ready.own
        && imports::is_own(tx, parent, id).await?
    {
        import.tally.unchanged += 1;
        return Ok(Ok(()));
    }
    let (mut new, mut changed) = (Vec::new(), Vec::new());
    for part in &ready.parts {
        let Some(current) = rows::get::<Advisory>(tx, &part.uid).await? else {
            new.push(created(tx, part));
            continue;
        };
        if !imports::is_linked(tx, key, &part.uid).await? {
            return Ok(Err(format!("its identifier {} is that of another advisory", part.uid)));
        }
        // What was withdrawn changes no more.
        if current.withdrawn_at.is_some() {
            continue;
        }
        let wish = merged(&current, part, withdrawn(tx, part));
        if wish.events.len() > rules::MAX_EVENTS {
            return Ok(Err(format!("advisory {} would have more than {} events", current.uid, rules::MAX_EVENTS)));
        }
        if let Err(error) = rules::check_size(&wish.events) {
            return Ok(Err(reason(&error)));
        }
        if wish != current {
            changed.push((current, wish));
        }
    }
    imports::keep(tx, key, &ready.digest, &ready.content).await?;
    if let Some((uid, spec)) = &ready.vulnerability {
        know(tx, group, uid, spec).await?;
    }
    for advisory in &new {
        let advisory = rows::insert_in(tx, group, advisory).await?;
        imports::link(tx, key, &advisory.uid).await?;
        import.tally.created += 1;
    }
    for (current, wish) in &changed {
        rows::update(tx, current, wish).await?;
        import.tally.updated += 1;
    }
    import.tally.imported += 1;
    Ok(Ok(()))
}

fn created(tx: &Writer, part: &ReadyPart) -> Advisory {
    let mut events = part.events.clone();
    events::sort(&mut events);
    Advisory {
        uid: part.uid.clone(),
        spec: part.spec.clone(),
        events,
        withdrawn_at: withdrawn(tx, part),
        created_at: tx.now(),
        updated_at: tx.now(),
        revision: tx.revision(),
    }
}

fn withdrawn(tx: &Writer, part: &ReadyPart) -> Option<Timestamp> {
    part.withdrawn_at.map(|at| at.min(tx.now()))
}

/// The advisory with what the document says now. What others have recorded stays, and so does what it said before.
fn merged(current: &Advisory, part: &ReadyPart, withdrawn_at: Option<Timestamp>) -> Advisory {
    let mut events = current.events.clone();
    for event in &part.events {
        let is_known = events.iter().any(|known| known.uid == event.uid);
        let latest = events.iter().rfind(|known| known.author == event.author).map(|known| &known.kind);
        if !is_known && latest.is_none_or(|latest: &EventKind| *latest != event.kind) {
            events.push(AdvisoryEvent::clone(event));
        }
    }
    events::sort(&mut events);
    Advisory { spec: part.spec.clone(), events, withdrawn_at, ..current.clone() }
}

/// Keeps what a document says about a vulnerability itself.
async fn know(tx: &mut Writer, group: &Group, uid: &Uidp, spec: &VulnerabilitySpec) -> Result<()> {
    match known::find(tx, &group.uid, &spec.id).await? {
        Some(current) if current.spec == *spec => {}
        Some(current) => {
            rows::update(tx, &current, &Vulnerability { spec: spec.clone(), ..current.clone() }).await?;
        }
        None => {
            let (created_at, updated_at, revision) = (tx.now(), tx.now(), tx.revision());
            let vulnerability = Vulnerability { uid: uid.clone(), spec: spec.clone(), created_at, updated_at, revision };
            rows::insert_in(tx, group, &vulnerability).await?;
        }
    }
    Ok(())
}
