//! One band: hyperplanes as long as there are any that no dependence runs against.

use super::hyperplane::{Aim, find};
use super::linear::rank;
use super::problem::{Dependence, Problem};
use super::tree::Band;
use terrace_presburger::Row;

/// A band, and what of the dependences it leaves to be done inside it.
pub struct FoundBand {
    pub band: Band,
    pub remaining: Vec<Dependence>,
}

/// The longest band for these statements. `found` holds the hyperplanes of the bands
/// around it. `None` if there is not even one hyperplane.
pub fn longest(
    p: &Problem,
    members: &[usize],
    active: &[Dependence],
    found: &[Vec<Row>],
) -> Option<FoundBand> {
    let refs: Vec<&Dependence> = active.iter().collect();
    let mut all = found.to_vec();
    let mut band = Band {
        rows: Vec::new(),
        parallel: Vec::new(),
        coincident: Vec::new(),
    };
    let mut remaining = active.to_vec();
    while !is_complete(p, members, &all) {
        let Some(rows) = find(p, members, &refs, &all, Aim::Close) else {
            break;
        };
        let still = |d: &Dependence| d.is_coincident(p, &rows);
        band.coincident.push(active.iter().all(still));
        band.parallel.push(remaining.iter().all(still));
        remaining = remaining
            .iter()
            .map(|d| d.face(p, &rows))
            .filter(Dependence::has_instances)
            .collect();
        all.push(rows.clone());
        band.rows.push(rows);
    }
    (!band.rows.is_empty()).then_some(FoundBand { band, remaining })
}

/// Whether the hyperplanes tell every two instances of each statement apart.
pub fn is_complete(p: &Problem, members: &[usize], found: &[Vec<Row>]) -> bool {
    members.iter().all(|&s| {
        let dims = p.statements[s].dims;
        let rows: Vec<Row> = found.iter().map(|h| h[s][..dims].to_vec()).collect();
        rank(&rows) == dims
    })
}
