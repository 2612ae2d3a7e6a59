//! The relations that order tuples.

use crate::conjunct::Conjunct;
use crate::int::Int;
use crate::relation::Relation;
use crate::space::Space;

impl Relation {
    /// `x -> x` for the points of a set's space, given as that of a set, or of a map
    /// with as many inputs as outputs.
    ///
    /// # Panics
    ///
    /// If the space is that of a map with other outputs than inputs.
    pub fn identity(space: Space) -> Relation {
        let dims = space.outputs;
        assert!(
            space.inputs == 0 || space.inputs == dims,
            "an identity between two spaces"
        );
        Relation::from(equal_before(Space::map(space.params, dims, dims), dims))
    }

    /// `x -> y` with `x` lexicographically before `y`, both of `dims` dimensions.
    pub fn lex_lt(params: usize, dims: usize) -> Relation {
        let space = Space::map(params, dims, dims);
        let mut result = Relation::empty(space);
        for depth in 0..dims {
            let mut piece = equal_before(space, depth);
            piece
                .inequalities
                .push(difference(space, depth, Int::MINUS_ONE));
            result.pieces.push(piece);
        }
        result
    }

    /// `x -> y` with `x` lexicographically before `y` or the same, both of `dims`
    /// dimensions.
    pub fn lex_le(params: usize, dims: usize) -> Relation {
        let mut result = Relation::lex_lt(params, dims);
        let space = result.space;
        match result.pieces.last_mut() {
            // The last piece has all but the last dimension equal: there, not after.
            Some(last) => last.inequalities = vec![difference(space, dims - 1, Int::ZERO)],
            None => result.pieces.push(Conjunct::universe(space)),
        }
        result
    }
}

/// `output - input + constant` at one depth.
fn difference(space: Space, depth: usize, constant: Int) -> Vec<Int> {
    let mut row = vec![Int::ZERO; space.columns() + 1];
    row[space.params + depth] = Int::MINUS_ONE;
    row[space.params + space.inputs + depth] = Int::ONE;
    row[space.columns()] = constant;
    row
}

/// The first `depth` inputs equal to the outputs.
fn equal_before(space: Space, depth: usize) -> Conjunct {
    let mut piece = Conjunct::universe(space);
    for d in 0..depth {
        piece.equalities.push(difference(space, d, Int::ZERO));
    }
    piece
}
