use super::parse::expr;
use crate::affine::{AffineMap, MapError};

fn map(dims: u32, symbols: u32, results: &[&str]) -> AffineMap {
    AffineMap::new(
        dims,
        symbols,
        results.iter().map(|text| expr(text)).collect(),
    )
}

#[test]
fn kinds_of_maps() {
    assert_eq!(AffineMap::identity(2).to_string(), "(d0, d1) -> (d0, d1)");
    assert_eq!(
        AffineMap::minor_identity(3, 2).to_string(),
        "(d0, d1, d2) -> (d1, d2)"
    );
    assert_eq!(AffineMap::constant(4).to_string(), "() -> (4)");
    assert_eq!(AffineMap::empty().to_string(), "() -> ()");
    assert_eq!(AffineMap::symbol_identity().to_string(), "()[s0] -> (s0)");
    assert_eq!(
        map(1, 2, &["d0 + s1"]).to_string(),
        "(d0)[s0, s1] -> (d0 + s1)"
    );
    assert!(AffineMap::dim_identity().is_identity());
    assert!(AffineMap::identity(3).is_identity() && AffineMap::identity(3).is_permutation());
    assert!(!AffineMap::minor_identity(3, 2).is_identity());
    assert!(AffineMap::minor_identity(3, 2).is_minor_identity());
    assert!(!map(2, 0, &["d1", "d0"]).is_identity());
    assert!(map(2, 0, &["d1", "d0"]).is_permutation());
    assert!(!map(2, 0, &["d1", "d1"]).is_permutation());
    assert!(map(3, 0, &["d2", "d0"]).is_projected_permutation());
    assert!(!map(1, 0, &["d0", "d0"]).is_minor_identity());
    assert_eq!(AffineMap::constant(4).single_constant(), Some(4));
    assert!(map(1, 0, &["1", "2"]).is_constant() && !map(1, 0, &["1", "d0"]).is_constant());
    assert_eq!(map(1, 0, &["1", "2"]).constant_results(), Some(vec![1, 2]));
    assert_eq!(
        AffineMap::permutation(&[2, 0, 1]).unwrap().to_string(),
        "(d0, d1, d2) -> (d2, d0, d1)"
    );
    assert_eq!(
        AffineMap::permutation(&[0, 0]),
        Err(MapError::NotAPermutation)
    );
}

#[test]
fn composition() {
    let outer = map(2, 1, &["d0 * 2 + s0", "d1 floordiv 2"]);
    let inner = map(1, 1, &["d0 + s0", "d0 * 2"]);
    let composed = outer.compose(&inner).unwrap();
    assert_eq!(
        composed.to_string(),
        "(d0)[s0, s1] -> ((d0 + s1) * 2 + s0, d0)"
    );
    assert_eq!(
        composed.simplify().to_string(),
        "(d0)[s0, s1] -> (d0 * 2 + s0 + s1 * 2, d0)"
    );
    assert_eq!(
        inner.compose(&inner).unwrap_err(),
        MapError::Arity {
            dims: 1,
            results: 2
        }
    );
    // Squaring again and again is refused before it explodes.
    let mut square = map(1, 1, &["d0 floordiv s0 + d0 mod s0"]);
    let error = loop {
        match square.compose(&square) {
            Ok(next) => square = next,
            Err(error) => break error,
        }
    };
    assert_eq!(error, MapError::TooLarge);
}

#[test]
fn parts_of_maps() {
    let m = map(4, 3, &["d1 + s2", "d3", "d1 + s2", "d1"]);
    assert_eq!(
        m.sub_map(&[3, 0, 9]).to_string(),
        "(d0, d1, d2, d3)[s0, s1, s2] -> (d1, d1 + s2)"
    );
    let unique = m.remove_duplicate_results();
    assert_eq!(unique.num_results(), 3);
    let compressed = map(2, 1, &["d0 + s0", "d1", "d0"]);
    assert_eq!(
        compressed
            .concat(&map(1, 1, &["d0 - s0"]))
            .unwrap()
            .to_string(),
        "(d0, d1, d2)[s0, s1] -> (d0 + s0, d1, d0, d2 - s1)"
    );
    assert_eq!(
        compressed.shift_dims(1).to_string(),
        "(d0, d1, d2)[s0] -> (d1 + s0, d2, d1)"
    );
    assert_eq!(compressed.shift_symbols(1).num_symbols(), 2);
    assert!(compressed.is_function_of_dim(1) && !compressed.is_function_of_dim(2));
    assert_eq!(compressed.eval(&[1, 2], &[3]), Some(vec![4, 2, 1]));
    assert_eq!(compressed.eval(&[1], &[3]), None);
}
