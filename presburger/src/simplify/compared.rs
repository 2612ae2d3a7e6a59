//! Quotients that are only compared.
//!
//! Where `q = floor(e / d)` and all else that is said of `q` are inequalities with the
//! coefficient 1 or -1, no quotient is needed: `q >= f` is `e >= d f`, and `q <= f` is
//! `e <= d f + d - 1`. Bounds of loops over tiles are full of these.

use crate::conjunct::{Conjunct, Row};
use crate::int::Int;

impl Conjunct {
    /// Eliminates one local that is such a quotient. Says whether there was one.
    pub(super) fn eliminate_a_compared_quotient(&mut self) -> bool {
        let first = self.space.columns();
        for column in (first..first + self.locals).rev() {
            if let Some(rows) = self.without_quotient(column) {
                self.inequalities = rows;
                self.remove_column(column);
                return true;
            }
        }
        false
    }

    /// The inequalities without the column, if it is a quotient that is only compared.
    fn without_quotient(&self, column: usize) -> Option<Vec<Row>> {
        if self.equalities.iter().any(|row| !row[column].is_zero()) {
            return None;
        }
        let (with, without): (Vec<&Row>, Vec<&Row>) = self
            .inequalities
            .iter()
            .partition(|row| !row[column].is_zero());
        let is_unit = |row: &&&Row| row[column].abs().is_one();
        let (units, others): (Vec<&Row>, Vec<&Row>) = with.iter().partition(is_unit);
        let [a, b] = others[..] else {
            return None;
        };
        let (low, up) = if a[column].is_positive() {
            (a, b)
        } else {
            (b, a)
        };
        let divisor = &low[column];
        // d q <= e + c and e + c <= d q + d - 1.
        let last = low.len() - 1;
        let opposite = (0..last).all(|i| low[i] == -&up[i]);
        if !opposite || &low[last] + &up[last] != divisor - &Int::ONE {
            return None;
        }
        let mut rows: Vec<Row> = without.into_iter().cloned().collect();
        for unit in units {
            let bound = if unit[column].is_positive() { up } else { low };
            let mut row = bound.clone();
            for (r, u) in row.iter_mut().zip(unit) {
                r.add_product(u, divisor);
            }
            debug_assert!(row[column].is_zero());
            rows.push(row);
        }
        Some(rows)
    }
}

#[cfg(test)]
mod tests {
    use crate::relation::Relation;

    /// The only piece after simplification, as text, and whether the points stayed.
    fn simplified(text: &str) -> (usize, bool) {
        let before = Relation::parse(text).expect("a set");
        let mut piece = before.pieces()[0].clone();
        piece.simplify();
        let locals = piece.locals();
        (locals, before.is_equal(&Relation::from(piece)) == Ok(true))
    }

    #[test]
    fn compared_quotients_go() {
        for text in [
            "[n] -> { [i] : exists (q : 32q <= n - 1 and n - 1 <= 32q + 31 and i <= q and i >= 0) }",
            "[n] -> { [i] : exists (q : 32q <= n and n <= 32q + 31 and i >= q and i <= n) }",
            "[n] -> { [i, j] : exists (q : 7q <= n + 2i and n + 2i <= 7q + 6 and j <= q and 3i - q >= 0) }",
            // Elimination would make a row of each of sixteen pairs.
            "[n] -> { [i, j, k] : exists (q : 32q <= n and n <= 32q + 31 and i <= q and j <= q \
             and k <= q and q <= i + 5 and q <= j + 7 and q <= k + 9) }",
        ] {
            assert_eq!(simplified(text), (0, true), "{text}");
        }
    }

    #[test]
    fn other_quotients_stay() {
        for text in [
            "[n] -> { [i] : exists (q : 32q <= n and n <= 32q + 31 and i = 2q) }",
            "[n] -> { [i] : exists (q : 32q <= n and n <= 32q + 31 and i <= 3q and i >= 0) }",
        ] {
            let (locals, same) = simplified(text);
            assert!(locals == 1 && same, "{text}");
        }
    }
}
