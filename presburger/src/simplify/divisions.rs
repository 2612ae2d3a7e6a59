//! Locals that are the same division.
//!
//! Where opposite bounds `0 <= f - d q <= r` with `r < d` leave a local one value, that
//! is `floor(f / d)`; two locals with the same `f` and `d` are one. They come about
//! when relations are joined that were made from the same divisions.

use crate::conjunct::{Conjunct, Row};
use crate::int::Int;

impl Conjunct {
    /// Adds the equality of two locals that are the same division. Says whether there
    /// were any.
    pub(super) fn identify_divisions(&mut self) -> bool {
        if self.locals < 2 {
            return false;
        }
        let first = self.space.columns();
        let last = self.row_len() - 1;
        // For each local what it is found to be: the lower bound without the local,
        // and its coefficient.
        let mut found: Vec<(usize, Row)> = Vec::new();
        for low in &self.inequalities {
            if !(first..last).any(|c| low[c] > Int::ONE) {
                continue;
            }
            let Some(width) = self.width(low) else {
                continue;
            };
            for column in (first..last).filter(|&c| low[c] > width) {
                let mut rest = low.clone();
                let coefficient = std::mem::take(&mut rest[column]);
                rest.push(coefficient);
                let other = found
                    .iter()
                    .find(|(other, row)| *other != column && *row == rest);
                if let Some((other, _)) = other {
                    let mut equality = vec![Int::ZERO; self.row_len()];
                    equality[*other] = Int::ONE;
                    equality[column] = Int::MINUS_ONE;
                    self.equalities.push(equality);
                    return true;
                }
                found.push((column, rest));
            }
        }
        false
    }

    /// How many values, less one, a row can have, where an opposite row says so.
    fn width(&self, low: &Row) -> Option<Int> {
        let last = low.len() - 1;
        self.inequalities
            .iter()
            .find(|up| (0..last).all(|c| low[c] == -&up[c]))
            .map(|up| &low[last] + &up[last])
    }
}
