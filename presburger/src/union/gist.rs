//! What a relation says beyond what is known already.

use crate::conjunct::{Conjunct, Row};
use crate::relation::Relation;
use crate::unknown::Unknown;

use super::subtract::negated;

impl Conjunct {
    /// Drops constraints that the others imply, where that can be decided.
    pub(crate) fn drop_implied(&mut self) {
        self.drop_implied_within(&[]);
    }

    /// Drops constraints that follow from the others within the context, which is a
    /// union of conjuncts over the same space, or everything where there is none.
    ///
    /// A constraint on locals that holds for all their values that satisfy the others
    /// can go as well: the points with such values are the same then.
    pub(crate) fn drop_implied_within(&mut self, context: &[Conjunct]) {
        let mut at = 0;
        while at < self.equalities.len() {
            let row = self.equalities.remove(at);
            let opposite: Row = row.iter().map(|entry| -entry).collect();
            // An equality of which the context knows one half stays an equality: that
            // is the shorter way to say it.
            if self.implies(&row, context) && self.implies(&opposite, context) {
                continue;
            }
            self.equalities.insert(at, row);
            at += 1;
        }
        let mut at = 0;
        while at < self.inequalities.len() {
            let row = self.inequalities.remove(at);
            if self.implies(&row, context) {
                continue;
            }
            self.inequalities.insert(at, row);
            at += 1;
        }
    }

    /// Whether an inequality over the same columns is known to hold at all points of
    /// `self` in the context. False where it is not known.
    fn implies(&self, row: &Row, context: &[Conjunct]) -> bool {
        let mut outside = self.clone();
        outside.inequalities.push(negated(row));
        if context.is_empty() {
            return outside.is_empty() == Ok(true);
        }
        context
            .iter()
            .all(|part| outside.intersect(part).is_empty() == Ok(true))
    }
}

impl Relation {
    /// A simpler relation that has the same points within the context: its
    /// intersection with the context is that of `self`. Pieces without points in the
    /// context go, and constraints that follow from it.
    ///
    /// # Errors
    ///
    /// [`Unknown`] where it is not decided whether the context is empty.
    ///
    /// # Panics
    ///
    /// If the two are not of the same space.
    pub fn gist(&self, context: &Relation) -> Result<Relation, Unknown> {
        assert_eq!(self.space, context.space, "a context of another space");
        if context.is_empty()? {
            return Ok(Relation::universe(self.space));
        }
        let mut result = Relation::empty(self.space);
        for piece in &self.pieces {
            let mut piece = piece.clone();
            piece.simplify();
            let apart = context
                .pieces
                .iter()
                .all(|part| piece.intersect(part).is_empty() == Ok(true));
            if !apart {
                piece.drop_implied_within(&context.pieces);
                result.push(piece);
            }
        }
        Ok(result)
    }
}
