use super::parse::{expr, set};
use crate::affine::{
    AffineMap, MapError, OperandInfo, ValueMap, canonicalize_map_and_operands,
    canonicalize_set_and_operands, compose_map_operands,
};

/// Operands are names: `%n...` may be symbols, `%c<number>` are constants (and
/// may be symbols), `%i...` are dimensions only.
fn info() -> OperandInfo<'static, &'static str> {
    OperandInfo {
        is_symbol: &|v| v.starts_with("%n") || v.starts_with("%c"),
        is_dim: &|_| true,
        constant_of: &|v| v.strip_prefix("%c")?.parse().ok(),
    }
}

fn canonical(map: AffineMap, operands: &[&'static str]) -> String {
    let (mut map, mut operands) = (map, operands.to_vec());
    canonicalize_map_and_operands(&mut map, &mut operands, &info()).unwrap();
    format!("{map} {}", operands.join(" "))
}

fn map(dims: u32, symbols: u32, results: &[&str]) -> AffineMap {
    AffineMap::new(
        dims,
        symbols,
        results.iter().map(|text| expr(text)).collect(),
    )
}

#[test]
fn canonical_operands() {
    // Unused ones go, equal ones merge.
    assert_eq!(
        canonical(map(3, 0, &["d0 + d2"]), &["%i", "%j", "%i"]),
        "(d0) -> (d0 * 2) %i"
    );
    // Dimensions that may be symbols become the last symbols.
    assert_eq!(
        canonical(map(2, 1, &["d0 + d1 + s0"]), &["%n", "%i", "%n2"]),
        "(d0)[s0, s1] -> (d0 + s1 + s0) %i %n2 %n"
    );
    // Symbols that may not be symbols become dimensions.
    assert_eq!(
        canonical(map(1, 1, &["d0 * 2 + s0"]), &["%i", "%j"]),
        "(d0, d1) -> (d0 * 2 + d1) %i %j"
    );
    // Constants move in, from dimensions too.
    assert_eq!(
        canonical(map(2, 1, &["d0 + d1 * 3", "s0"]), &["%i", "%c4", "%c5"]),
        "(d0) -> (d0 + 12, 5) %i"
    );
    assert_eq!(canonical(map(0, 0, &["7"]), &[]), "() -> (7) ");
    let mut operands = vec!["%i"];
    let error = canonicalize_map_and_operands(&mut map(2, 0, &["d0"]), &mut operands, &info());
    assert_eq!(
        error,
        Err(MapError::OperandCount {
            inputs: 2,
            operands: 1
        })
    );
}

#[test]
fn canonical_operands_of_a_set() {
    let mut s = set(2, 1, "d0 + d1 - s0 >= 0");
    let mut operands = vec!["%i", "%i", "%c5"];
    canonicalize_set_and_operands(&mut s, &mut operands, &info()).unwrap();
    assert_eq!(s.to_string(), "(d0) : (d0 * 2 - 5 >= 0)");
    assert_eq!(operands, ["%i"]);
}

#[test]
fn composes_with_producers() {
    // %ia = %i * 4, %ib = %ia + %j + %n
    let producer = |v: &&'static str| match *v {
        "%ia" => Some(ValueMap {
            map: map(1, 0, &["d0 * 4"]),
            operands: vec!["%i"],
        }),
        "%ib" => Some(ValueMap {
            map: map(2, 1, &["d0 + d1 + s0"]),
            operands: vec!["%ia", "%j", "%n"],
        }),
        "%self" => Some(ValueMap {
            map: map(1, 0, &["d0 floordiv 3"]),
            operands: vec!["%self"],
        }),
        "%bad" => Some(ValueMap {
            map: map(2, 0, &["d0"]),
            operands: vec!["%i"],
        }),
        _ => None,
    };
    let compose = |m: AffineMap, operands: &[&'static str]| {
        let (mut m, mut operands) = (m, operands.to_vec());
        compose_map_operands(&mut m, &mut operands, &info(), &producer).unwrap();
        format!("{m} {}", operands.join(" "))
    };
    assert_eq!(
        compose(map(2, 0, &["d0 mod 4", "d1 - d0"]), &["%ia", "%ib"]),
        "(d0, d1)[s0] -> (0, d1 + s0) %i %j %n"
    );
    assert_eq!(
        compose(map(1, 0, &["d0 floordiv 2"]), &["%ia"]),
        "(d0) -> (d0 * 2) %i"
    );
    assert_eq!(
        compose(map(1, 0, &["d0 + 1"]), &["%bad"]),
        "(d0) -> (d0 + 1) %bad"
    );
    // A producer that feeds itself, which a program cannot have, still ends.
    assert!(compose(map(1, 0, &["d0 + 1"]), &["%self"]).ends_with("%self"));
}

/// Operands and maps as `mlir-opt --canonicalize` orders them on `affine.apply`.
#[test]
fn composes_as_upstream() {
    let producer = |v: &&'static str| match *v {
        "%a" => Some(ValueMap {
            map: map(1, 0, &["d0 * 4"]),
            operands: vec!["%i"],
        }),
        // As canonicalisation leaves it, which comes to producers first.
        "%b" => Some(ValueMap {
            map: map(2, 1, &["d0 + d1 * 4 + s0"]),
            operands: vec!["%j", "%i", "%n"],
        }),
        _ => None,
    };
    for (dims, symbols, result, operands, expected) in [
        (
            2,
            1,
            "d0 + d1 + s0",
            vec!["%n", "%i", "%n2"],
            "(d0)[s0, s1] -> (d0 + s0 + s1) %i %n2 %n",
        ),
        (
            2,
            0,
            "d1 - d0",
            vec!["%a", "%b"],
            "(d0)[s0] -> (d0 + s0) %j %n",
        ),
        (
            2,
            1,
            "d1 floordiv 8 - d0 * s0",
            vec!["%a", "%b", "%n2"],
            "(d0, d1)[s0, s1] -> ((d0 * s0) * -4 + (d0 * 4 + d1 + s1) floordiv 8) %i %j %n2 %n",
        ),
        (
            2,
            1,
            "d1 floordiv 8 - d0 * s0",
            vec!["%b", "%a", "%n2"],
            "(d0, d1)[s0, s1] -> (d1 floordiv 2 - (d0 + d1 * 4 + s1) * s0) %j %i %n2 %n",
        ),
    ] {
        let (mut map, mut operands) = (map(dims, symbols, &[result]), operands);
        compose_map_operands(&mut map, &mut operands, &info(), &producer).unwrap();
        // The pass runs until nothing changes.
        compose_map_operands(&mut map, &mut operands, &info(), &producer).unwrap();
        assert_eq!(format!("{map} {}", operands.join(" ")), expected);
    }
}
