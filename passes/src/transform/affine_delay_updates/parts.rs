//! What of an update waits: the policy.

use super::find::Update;
use super::legal::{Judge, Part, When};
use terrace_ir::Value;

/// The parts of an update, and what else there is to say.
pub(super) struct Split {
    pub parts: Vec<(Part, When)>,
    pub words: String,
}

/// Splits an update: what is beyond the tile in all counters runs last. Of two counters, what
/// is in the tile in one of them stays in its step; what is in the tile in the other alone waits
/// as well, if it may, and else is a nest of its own in its step.
///
/// # Errors
///
/// Why nothing may wait.
pub(super) fn split(judge: &Judge, update: &Update) -> Result<Split, String> {
    let far = || (part(&[], &update.moving()), When::Last);
    let (first, second) = match update.moving()[..] {
        [q] => {
            let parts = vec![(part(&[q], &[]), When::InStep), far()];
            judge.check(&parts)?;
            return Ok(said(parts, String::new()));
        }
        [p, q] => (p, q),
        _ => return Err("none of its loops begins at the step's number and a constant".into()),
    };
    let ways = [(second, first), (first, second)];
    for (q, p) in ways {
        if judge.is_empty(&part(&[p], &[q])) {
            let parts = vec![(part(&[q], &[]), When::InStep), far()];
            judge.check(&parts)?;
            return Ok(said(parts, String::new()));
        }
    }
    let mut why = String::new();
    for (q, p) in ways {
        if is_named(update, p) {
            why = "a loop's bounds name it".into();
            continue;
        }
        let parts = vec![
            (part(&[q], &[]), When::InStep),
            (part(&[p], &[q]), When::InOrderOf(p)),
            far(),
        ];
        match judge.check(&parts) {
            Ok(()) => return Ok(said(parts, String::new())),
            Err(dependence) => why = dependence,
        }
    }
    let (q, p) = ways[0];
    let parts = vec![
        (part(&[q], &[]), When::InStep),
        (part(&[p], &[q]), When::InStep),
        far(),
    ];
    judge.check(&parts)?;
    Ok(said(
        parts,
        format!("; those in the tile by one counter alone stay in their steps: {why}"),
    ))
}

fn part(inside: &[usize], beyond: &[usize]) -> Part {
    Part {
        inside: inside.to_vec(),
        beyond: beyond.to_vec(),
    }
}

fn said(parts: Vec<(Part, When)>, words: String) -> Split {
    Split { parts, words }
}

/// Whether bounds of other counters name this one: then its loop stays around theirs.
fn is_named(update: &Update, p: usize) -> bool {
    let iv: Value = update.counters[p].iv;
    let mut others = update.counters.iter().filter(|c| c.iv != iv);
    others.any(|c| {
        let all = [&c.lower, &c.upper];
        all.iter().any(|b| b.operands.contains(&iv))
    })
}
