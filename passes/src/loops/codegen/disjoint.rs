//! A union without overlaps.

use super::system::complement;
use terrace_presburger::{Conjunct, Row, Set};

/// The same set from pieces that do not overlap: each loses what those before it have,
/// constraint by constraint. Where a piece before has quantified variables that cannot
/// be done, and the overlap stays.
pub(super) fn disjoint(set: &Set) -> Set {
    let mut done: Vec<Conjunct> = Vec::new();
    for piece in set.pieces() {
        let mut rest = vec![piece.clone()];
        for before in done.iter().filter(|c| c.locals() == 0) {
            rest = rest.iter().flat_map(|p| without(p, before)).collect();
        }
        done.extend(rest);
    }
    Set::from_pieces(set.space(), done)
}

/// What of `piece` is not in `other`, which has no locals.
fn without(piece: &Conjunct, other: &Conjunct) -> Vec<Conjunct> {
    let opposite = |row: &Row| row.iter().map(|a| -a).collect::<Row>();
    let both = |row: &Row| [row.clone(), opposite(row)];
    let equalities = other.equalities().iter().flat_map(both);
    let mut inside = piece.clone();
    let mut parts = Vec::new();
    for row in equalities.chain(other.inequalities().iter().cloned()) {
        let mut beyond = inside.clone();
        demand(&mut beyond, &complement(&row));
        if !beyond.is_empty().unwrap_or(false) {
            parts.push(beyond);
        }
        demand(&mut inside, &row);
    }
    // They did not meet: the piece stays as it was written.
    if inside.is_empty().unwrap_or(false) {
        return vec![piece.clone()];
    }
    parts
}

fn demand(c: &mut Conjunct, row: &Row) {
    let last = row.len() - 1;
    c.add_inequality(&row[..last], row[last].clone());
}
