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

#[cfg(test)]
mod tests {
    use super::Relation;

    fn shown(text: &str) -> String {
        Relation::parse(text).unwrap().to_string()
    }

    #[test]
    fn text_is_read_and_printed() {
        for (text, expected) in [
            ("{ [i] : 0 <= i < 10 }", "{ [i0] : i0 >= 0 and 9 >= i0 }"),
            ("{ }", "{ [] : false }"),
            ("{ [i, j = 2i] }", "{ [i0, i1] : 2i0 = i1 }"),
            (
                "[n] -> { [i] -> [i + 1] : i < n }",
                "[p0] -> { [i0] -> [o0] : i0 + 1 = o0 and p0 >= i0 + 1 }",
            ),
            (
                "{ [i] : exists (e : i = 2e) }",
                "{ [i0] : exists (e0 : i0 = 2e0) }",
            ),
            ("{ [i] : i != 3 }", "{ [i0] : (2 >= i0) or (i0 >= 4) }"),
            (
                "{ [i] : i mod 5 = 2 }",
                "{ [i0] : exists (e0 : i0 + 3 = 5e0) }",
            ),
            (
                "{ [i] : not (i <= 3 and i >= 0) }",
                "{ [i0] : (i0 >= 4) or (0 >= i0 + 1) }",
            ),
        ] {
            let printed = shown(text);
            assert_eq!(printed, expected, "{text}");
            assert_eq!(shown(&printed), printed, "{printed}");
        }
    }

    #[test]
    fn operations_on_columns() {
        let next = Relation::parse("{ [i] -> [i + 1] : 0 <= i < 9 }").unwrap();
        assert_eq!(
            next.compose(&next).to_string(),
            "{ [i0] -> [o0] : i0 + 2 = o0 and i0 >= 0 and 7 >= i0 }"
        );
        assert_eq!(next.domain().to_string(), "{ [i0] : i0 >= 0 and 8 >= i0 }");
        assert_eq!(next.range().to_string(), "{ [i0] : i0 >= 1 and 9 >= i0 }");
        let tiles = Relation::parse("{ [i] : exists (t : 0 <= i - 32t <= 31 and t >= 1) }");
        assert_eq!(tiles.unwrap().to_string(), "{ [i0] : i0 >= 32 }");
    }

    #[test]
    fn errors_have_places() {
        for (text, expected) in [
            ("{ [i] : i < }", "1:13: expected an expression, found '}'"),
            (
                "{ [i] : i * i < 3 }",
                "1:11: a product of two variables is not affine",
            ),
            (
                "{ [i] :\n j < 3 }",
                "2:2: 'j' is no parameter, dimension or quantified variable here",
            ),
            (
                "{ [i]; [i, j] }",
                "1:8: this piece is [2 dimensions], the first is [1 dimensions]",
            ),
        ] {
            assert_eq!(Relation::parse(text).unwrap_err().to_string(), expected);
        }
    }
}
