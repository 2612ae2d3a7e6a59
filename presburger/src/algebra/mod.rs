//! The operations on relations that only move columns: each is exact, and its cost
//! is that of copying. Dimensions that leave the space become locals.

mod order;
mod subspace;

use crate::conjunct::Conjunct;
use crate::int::Int;
use crate::relation::Relation;
use crate::space::Space;

impl Relation {
    /// The relation of these pieces, which may overlap.
    ///
    /// # Panics
    ///
    /// If a piece is of another space.
    pub fn from_pieces(space: Space, pieces: Vec<Conjunct>) -> Relation {
        assert!(
            pieces.iter().all(|piece| piece.space == space),
            "a piece of another space"
        );
        Relation { space, pieces }
    }

    /// Every piece changed in the same way, simplified; contradictions are dropped.
    pub(crate) fn map_pieces(
        &self,
        space: Space,
        mut change: impl FnMut(&Conjunct) -> Conjunct,
    ) -> Relation {
        let mut result = Relation::empty(space);
        for piece in &self.pieces {
            result.push(change(piece));
        }
        result
    }

    /// One more piece, simplified, unless it is a contradiction or is there already.
    pub(crate) fn push(&mut self, mut piece: Conjunct) {
        debug_assert_eq!(piece.space, self.space);
        piece.simplify();
        if !piece.is_contradiction() && !self.pieces.contains(&piece) {
            self.pieces.push(piece);
        }
    }

    /// The points of either.
    ///
    /// # Panics
    ///
    /// If the two are not of the same space.
    pub fn union(&self, other: &Relation) -> Relation {
        assert_eq!(self.space, other.space, "a union of two spaces");
        let mut result = self.clone();
        for piece in &other.pieces {
            if !result.pieces.contains(piece) {
                result.pieces.push(piece.clone());
            }
        }
        result
    }

    /// The points of both.
    ///
    /// # Panics
    ///
    /// If the two are not of the same space.
    pub fn intersect(&self, other: &Relation) -> Relation {
        assert_eq!(self.space, other.space, "an intersection of two spaces");
        let mut result = Relation::empty(self.space);
        for a in &self.pieces {
            for b in &other.pieces {
                result.push(a.intersect(b));
            }
        }
        result
    }

    /// Outputs and inputs change places.
    pub fn inverse(&self) -> Relation {
        let Space {
            params,
            inputs,
            outputs,
        } = self.space;
        let to: Vec<Option<usize>> = (0..params)
            .chain(params + outputs..params + outputs + inputs)
            .chain(params..params + outputs)
            .map(Some)
            .collect();
        let space = Space::map(params, outputs, inputs);
        self.map_pieces(space, |piece| piece.respace(space, &to))
    }

    /// The set of the inputs that have an output.
    pub fn domain(&self) -> Relation {
        let Space { params, inputs, .. } = self.space;
        let space = Space::set(params, inputs);
        let columns = self.space.columns();
        let to: Vec<Option<usize>> = (0..columns)
            .map(|c| (c < params + inputs).then_some(c))
            .collect();
        self.map_pieces(space, |piece| piece.respace(space, &to))
    }

    /// The set of the outputs that have an input.
    pub fn range(&self) -> Relation {
        let Space {
            params,
            inputs,
            outputs,
        } = self.space;
        let space = Space::set(params, outputs);
        let to: Vec<Option<usize>> = (0..params)
            .map(Some)
            .chain((0..inputs).map(|_| None))
            .chain((params..params + outputs).map(Some))
            .collect();
        self.map_pieces(space, |piece| piece.respace(space, &to))
    }

    /// The relation of `x` and `z` for which there is a `y` with `self(x, y)` and
    /// `next(y, z)`: first `self`, then `next`.
    ///
    /// # Panics
    ///
    /// If the outputs of `self` are not as many as the inputs of `next`, or their
    /// parameters differ.
    pub fn compose(&self, next: &Relation) -> Relation {
        let params = self.space.params;
        assert_eq!(
            params, next.space.params,
            "a composition of other parameters"
        );
        assert_eq!(
            self.space.outputs, next.space.inputs,
            "a composition through other dimensions"
        );
        let space = Space::map(params, self.space.inputs, next.space.outputs);
        let through = self.space.outputs;
        let columns = space.columns();
        let mut result = Relation::empty(space);
        for a in &self.pieces {
            for b in &next.pieces {
                let locals = through + a.locals + b.locals;
                let a_to: Vec<usize> = space
                    .param_columns()
                    .chain(space.input_columns())
                    .chain(columns..columns + through + a.locals)
                    .collect();
                let b_to: Vec<usize> = space
                    .param_columns()
                    .chain(columns..columns + through)
                    .chain(space.output_columns())
                    .chain(columns + through + a.locals..columns + locals)
                    .collect();
                let mut joined = a.rearrange(space, locals, &a_to);
                joined.append(b.rearrange(space, locals, &b_to));
                result.push(joined);
            }
        }
        result
    }

    /// The image of this set under the map.
    ///
    /// # Panics
    ///
    /// As [`Relation::compose`] does.
    pub fn apply(&self, map: &Relation) -> Relation {
        self.compose(map)
    }

    /// Demands that the column of a parameter or dimension have this value; it stays
    /// in the space.
    ///
    /// # Panics
    ///
    /// If there is no such column.
    pub fn fix(&self, column: usize, value: &Int) -> Relation {
        assert!(column < self.space.columns(), "no such column");
        self.map_pieces(self.space, |piece| {
            let mut piece = piece.clone();
            piece.fix_column(column, value);
            piece
        })
    }
}
