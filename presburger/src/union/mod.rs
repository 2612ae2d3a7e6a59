//! Questions about unions, and the operations on them that need negation.

mod coalesce;
mod gist;
mod lexmin;
mod subtract;

pub use lexmin::Extreme;

use crate::int::Int;
use crate::relation::Relation;
use crate::unknown::Unknown;

impl Relation {
    /// Whether there is no point.
    ///
    /// # Errors
    ///
    /// [`Unknown`] where no piece is known to have a point and the search in one was
    /// given up.
    pub fn is_empty(&self) -> Result<bool, Unknown> {
        Ok(!first_true(
            self.pieces.iter().map(|p| p.is_empty().map(|empty| !empty)),
        )?)
    }

    /// A point, as the values of parameters, inputs and outputs.
    ///
    /// # Errors
    ///
    /// [`Unknown`] where no piece is known to have a point and the search in one was
    /// given up.
    pub fn sample(&self) -> Result<Option<Vec<Int>>, Unknown> {
        let mut unknown = None;
        for piece in &self.pieces {
            match piece.sample() {
                Ok(Some(point)) => return Ok(Some(point)),
                Ok(None) => {}
                Err(error) => unknown = Some(error),
            }
        }
        unknown.map_or(Ok(None), Err)
    }

    /// Whether the point, given by the values of parameters, inputs and outputs, is
    /// one of them.
    ///
    /// # Errors
    ///
    /// [`Unknown`] where the search for values of locals was given up.
    ///
    /// # Panics
    ///
    /// If the point has not one value for each column of the space.
    pub fn contains(&self, point: &[Int]) -> Result<bool, Unknown> {
        first_true(self.pieces.iter().map(|piece| piece.contains(point)))
    }

    /// Whether every point is one of `other`.
    ///
    /// # Errors
    ///
    /// [`Unknown`] where quantifiers could not be eliminated or a search was given up.
    ///
    /// # Panics
    ///
    /// If the two are not of the same space.
    pub fn is_subset(&self, other: &Relation) -> Result<bool, Unknown> {
        // The difference keeps no piece without points.
        Ok(self.subtract(other)?.pieces.is_empty())
    }

    /// Whether the two have the same points.
    ///
    /// # Errors
    ///
    /// As [`Relation::is_subset`].
    ///
    /// # Panics
    ///
    /// If the two are not of the same space.
    pub fn is_equal(&self, other: &Relation) -> Result<bool, Unknown> {
        Ok(self.is_subset(other)? && other.is_subset(self)?)
    }

    /// Whether the two have no point in common.
    ///
    /// # Errors
    ///
    /// [`Unknown`] where the search for a common point was given up.
    ///
    /// # Panics
    ///
    /// If the two are not of the same space.
    pub fn is_disjoint(&self, other: &Relation) -> Result<bool, Unknown> {
        self.intersect(other).is_empty()
    }

    /// The same points in fewer and simpler pieces: each simplified and without
    /// redundant constraints, empty ones dropped, those that together are one
    /// conjunct joined. Where a search is given up, what it was for stays as it is.
    pub fn simplify(&self) -> Relation {
        let mut result = Relation::empty(self.space);
        for piece in &self.pieces {
            let mut piece = piece.clone();
            piece.simplify();
            if piece.is_empty() != Ok(true) {
                piece.drop_implied();
                result.push(piece);
            }
        }
        result.coalesce()
    }
}

/// Whether one answer is yes; unknown where none is and one is unknown.
fn first_true(answers: impl Iterator<Item = Result<bool, Unknown>>) -> Result<bool, Unknown> {
    let mut unknown = None;
    for answer in answers {
        match answer {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(error) => unknown = Some(error),
        }
    }
    unknown.map_or(Ok(false), Err)
}
