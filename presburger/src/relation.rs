//! Unions of conjuncts: sets and maps.

use crate::conjunct::Conjunct;
use crate::space::Space;

/// A set (no inputs) or a map (from inputs to outputs) of integer points: the union
/// of its pieces, which may overlap.
#[derive(Clone, Debug)]
pub struct Relation {
    pub(crate) space: Space,
    pub(crate) pieces: Vec<Conjunct>,
}

/// A relation without inputs.
pub type Set = Relation;

impl Relation {
    /// No point at all.
    pub fn empty(space: Space) -> Relation {
        Relation {
            space,
            pieces: Vec::new(),
        }
    }

    /// All points.
    pub fn universe(space: Space) -> Relation {
        Relation::from(Conjunct::universe(space))
    }

    pub fn space(&self) -> Space {
        self.space
    }

    pub fn pieces(&self) -> &[Conjunct] {
        &self.pieces
    }
}

impl From<Conjunct> for Relation {
    fn from(piece: Conjunct) -> Relation {
        Relation {
            space: piece.space(),
            pieces: vec![piece],
        }
    }
}
