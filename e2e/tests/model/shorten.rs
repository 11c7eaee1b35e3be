//! Makes a history that fails as short as can be: steps are left out as long as it fails without them.

use crate::model::{
    driver::{Disagreement, Driver},
    history::Step,
};

/// Most tries.
const TRIES: usize = 200;

/// The shortest history found, and how it fails.
pub(crate) async fn shorten(mut history: Vec<Step>, mut disagreement: Disagreement) -> (Vec<Step>, Disagreement) {
    let (mut tries, mut size) = (0, history.len() / 2);
    while size > 0 && tries < TRIES {
        let (mut from, mut shorter) = (0, false);
        while from < history.len() && tries < TRIES {
            let mut rest = history.clone();
            rest.drain(from..history.len().min(from + size));
            tries += 1;
            match play(&rest).await {
                Some((failed, length)) => {
                    rest.truncate(length);
                    (history, disagreement, shorter) = (rest, failed, true);
                }
                None => from += size,
            }
        }
        size = if shorter && size == 1 { 1 } else { size / 2 };
    }
    (history, disagreement)
}

/// Plays a history on a new server; where it fails, and after how many steps.
async fn play(history: &[Step]) -> Option<(Disagreement, usize)> {
    let mut driver = Driver::begin().await;
    let mut failed = None;
    for (at, step) in history.iter().enumerate() {
        if let Err(disagreement) = driver.step(step).await {
            failed = Some((disagreement, at + 1));
            break;
        }
    }
    if failed.is_none()
        && let Err(disagreement) = driver.compare_everything(history.len()).await
    {
        failed = Some((disagreement, history.len()));
    }
    driver.end().await;
    failed
}
