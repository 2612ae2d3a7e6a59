//! Lexicographic minima and maxima.

use crate::conjunct::Conjunct;
use crate::extremum::Extremum;
use crate::int::Int;
use crate::lexmin::Piece;
use crate::relation::Relation;
use crate::unknown::Unknown;

impl Relation {
    /// For each value of parameters and inputs the lexicographically least output: a
    /// relation that is a function. Where the outputs descend for ever there is no
    /// least one, and none in the result.
    ///
    /// # Errors
    ///
    /// [`Unknown`] where quantifiers could not be eliminated or a search was given up.
    pub fn lexmin(&self) -> Result<Relation, Unknown> {
        let before = Relation::lex_lt(self.space.params, self.space.outputs);
        let before_or_same = Relation::lex_le(self.space.params, self.space.outputs);
        self.best(Conjunct::lexmin_pieces, &before, &before_or_same)
    }

    /// For each value of parameters and inputs the lexicographically greatest output.
    ///
    /// # Errors
    ///
    /// As [`Relation::lexmin`].
    pub fn lexmax(&self) -> Result<Relation, Unknown> {
        let after = Relation::lex_lt(self.space.params, self.space.outputs).inverse();
        let after_or_same = Relation::lex_le(self.space.params, self.space.outputs).inverse();
        self.best(Conjunct::lexmax_pieces, &after, &after_or_same)
    }

    /// The outputs to which `better` leads from no other output.
    ///
    /// The pieces' own best outputs are functions, of which a point of the domain
    /// keeps the best.
    fn best(
        &self,
        of_piece: fn(&Conjunct) -> Result<Vec<Piece>, Unknown>,
        better: &Relation,
        better_or_same: &Relation,
    ) -> Result<Relation, Unknown> {
        let mut best = Relation::empty(self.space);
        for piece in &self.pieces {
            let Ok(function) = of_piece(piece) else {
                // For one, an output may be without bound for some of the inputs
                // only. The definition, though slower, does for all.
                let worse = self.compose(better).with_kinds(self.space);
                return self.subtract(&worse);
            };
            let mut new = Relation::empty(self.space);
            for part in function {
                new.push(part.graph(self.space));
            }
            let worse = best.compose(better_or_same).with_kinds(self.space);
            let new_best = new.subtract(&worse)?;
            let worse = new.compose(better).with_kinds(self.space);
            best = best.subtract(&worse)?.union(&new_best);
        }
        Ok(best)
    }

    /// The lexicographically least point, parameters and inputs counted as dimensions
    /// before the outputs; none where there is no point.
    ///
    /// # Errors
    ///
    /// [`Unknown`] where a search was given up.
    pub fn lexmin_point(&self) -> Result<Extreme, Unknown> {
        self.extreme_point(Conjunct::minimum, |a, b| a < b)
    }

    /// The lexicographically greatest point, as [`Relation::lexmin_point`].
    ///
    /// # Errors
    ///
    /// [`Unknown`] where a search was given up.
    pub fn lexmax_point(&self) -> Result<Extreme, Unknown> {
        self.extreme_point(Conjunct::maximum, |a, b| a > b)
    }

    fn extreme_point(
        &self,
        extremum: fn(&Conjunct, &[Int]) -> Result<Extremum, Unknown>,
        better: fn(&Vec<Int>, &Vec<Int>) -> bool,
    ) -> Result<Extreme, Unknown> {
        let mut best = Extreme::Empty;
        for piece in &self.pieces {
            let mut piece = piece.clone();
            let mut point = Vec::new();
            for column in 0..self.space.columns() {
                let mut form = vec![Int::ZERO; piece.row_len()];
                form[column] = Int::ONE;
                match extremum(&piece, &form)? {
                    Extremum::Empty => break,
                    Extremum::Unbounded => return Ok(Extreme::Unbounded),
                    Extremum::At(value) => {
                        piece.fix_column(column, &value);
                        point.push(value);
                    }
                }
            }
            if point.len() < self.space.columns() || (point.is_empty() && piece.is_empty()?) {
                continue;
            }
            if match &best {
                Extreme::At(before) => better(&point, before),
                _ => true,
            } {
                best = Extreme::At(point);
            }
        }
        Ok(best)
    }
}

/// A first or last point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// There is no point.
    Empty,
    /// There are points, and always one further out.
    Unbounded,
    At(Vec<Int>),
}
