use rustc_hash::FxHashMap;

use super::parse::expr;
use crate::affine::{
    AffineExpr, AffineMap, AffineOp, BuildError, DimOrSym, FlattenError, InputFacts, MAX_DEPTH,
    Range, expr_bounds, flatten, print_expr_with, prune_min_max, simplify_affine_expr,
    simplify_with_facts,
};

fn d(position: u32) -> AffineExpr {
    AffineExpr::dim(position)
}

fn s(position: u32) -> AffineExpr {
    AffineExpr::symbol(position)
}

#[test]
fn is_send_and_sync() {
    fn check<T: Send + Sync>() {}
    check::<AffineExpr>();
    check::<AffineMap>();
}

#[test]
fn equality_and_hash_are_structural() {
    let a = (d(0) + s(0)).floor_div(4);
    let b = (s(0) + d(0)).floor_div(4);
    assert_eq!(a, b);
    assert_ne!(a, (d(0) + s(0)).floor_div(5));
    assert_ne!(d(0), s(0));
    let mut map = FxHashMap::default();
    map.insert(a, 1);
    assert_eq!(map.get(&b), Some(&1));
}

#[test]
fn overflow_is_not_folded() {
    let max = i64::MAX;
    assert_eq!(
        (AffineExpr::constant(max) + 1).to_string(),
        "9223372036854775807 + 1"
    );
    assert_eq!((d(0) + max + 1).to_string(), "d0 + 9223372036854775807 + 1");
    assert_eq!(
        (d(0) * max * 2).to_string(),
        "(d0 * 9223372036854775807) * 2"
    );
    assert_eq!(
        (d(0) * max + d(0)).to_string(),
        "d0 * 9223372036854775807 + d0"
    );
    let min = AffineExpr::constant(i64::MIN);
    assert_eq!(
        min.clone().floor_div(-1).to_string(),
        "-9223372036854775808 floordiv -1"
    );
    // Its opposite is no number that is read back.
    assert_eq!((d(0) + i64::MIN).to_string(), "d0 + -9223372036854775808");
    assert_eq!(min.largest_known_divisor(), 1 << 62);
    let big = d(0) * max + s(0) * 2;
    assert_eq!(
        simplify_affine_expr(&(big.clone() + big.clone()), 1, 1),
        big.clone() + big.clone()
    );
    assert_eq!(
        flatten(&(big.clone() * 4), 1, 1),
        Err(FlattenError::Overflow)
    );
}

#[test]
fn checked_builder_reports() {
    assert_eq!(
        AffineExpr::try_binary(AffineOp::Mul, d(0), d(1))
            .unwrap_err()
            .to_string(),
        "non-affine expression: at least one of the multiply operands has to be either a \
         constant or symbolic"
    );
    assert_eq!(
        AffineExpr::try_binary(AffineOp::CeilDiv, d(0), d(1)),
        Err(BuildError::NonAffineDivisor(AffineOp::CeilDiv))
    );
    assert!(
        AffineExpr::try_binary(AffineOp::Mod, s(0), d(1))
            .unwrap_err()
            .to_string()
            .contains("right operand of mod")
    );
    let mut deep = d(0);
    let error = loop {
        match AffineExpr::try_binary(AffineOp::FloorDiv, deep, s(0)) {
            Ok(next) => deep = next,
            Err(error) => break error,
        }
    };
    assert_eq!(
        error,
        BuildError::TooDeep {
            depth: MAX_DEPTH + 1
        }
    );
    // Depth stays small where size explodes.
    let mut wide = d(0);
    let error = loop {
        let (left, right) = (wide.clone().floor_div(s(0)), wide.modulo(s(0)));
        match AffineExpr::try_binary(AffineOp::Add, left, right) {
            Ok(next) => wide = next,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, BuildError::TooLarge { .. }));
}

/// Far beyond the limit, on the small stack of a test thread.
#[test]
fn very_deep_expressions_do_not_overflow_the_stack() {
    let chain = || (0..200_000).fold(d(0), |e, i| (e + d(i % 3)).floor_div(s(0)));
    let (a, b) = (chain(), chain());
    assert!(a.depth() > 200_000);
    assert_eq!(a, b);
    assert_eq!(a.eval(&[0, 0, 0], &[1]), Some(0));
    assert!(a.is_function_of_symbol(0));
    assert!(a.shift_symbols(1, 0).is_function_of_symbol(1));
    assert!(a.to_string().len() > 200_000);
    assert_eq!(simplify_affine_expr(&a, 3, 1), a);
    assert_eq!(flatten(&a, 3, 1), Err(FlattenError::TooLarge));
    assert_eq!(expr_bounds(&a, &[], &[]), Range::unbounded());
    // A long sum, which distributing a division would walk down.
    let sum = (0..100_000_u32).fold(d(0) * 4, |e, i| e + d(i) * 4 + s(0).modulo(d(i)));
    assert!(sum.clone().floor_div(4).depth() > 1000);
    assert!(sum.modulo(4).depth() > 1000);
}

/// As a tree this has 2^200 nodes.
#[test]
fn shared_subexpressions_are_visited_once() {
    let shared = || (0..200).fold(d(0), |e, _| e.clone().floor_div(s(0)) + e.modulo(s(0)));
    let (a, b) = (shared(), shared());
    assert_eq!(a, b);
    assert_eq!(a.eval(&[5], &[7]), Some(5));
    assert!(a.is_function_of_dim(0) && !a.is_function_of_dim(1));
    assert!(a.replace_dims(&[d(3)]).is_function_of_dim(3));
    assert_eq!(simplify_affine_expr(&a, 1, 1), a);
    assert!(a.modulo(4).is_function_of_dim(0));
}

#[test]
fn queries() {
    assert!(expr("s0 * s1 + 3").is_symbolic_or_constant());
    assert!(!expr("s0 + d0").is_symbolic_or_constant());
    assert!(expr("d0 * 4 + (s0 floordiv 3) mod 5").is_pure_affine());
    for semi in [
        "d0 * s0",
        "d0 mod s0",
        "(d0 floordiv s0) * 2",
        "4 ceildiv s0",
    ] {
        assert!(!expr(semi).is_pure_affine(), "{semi}");
    }
    assert_eq!(expr("d0 * 12 + s0 * 18").largest_known_divisor(), 6);
    assert_eq!(expr("(d0 * 12) mod s0").largest_known_divisor(), 1);
    assert_eq!(expr("(d0 * 12 + 24) ceildiv 6").largest_known_divisor(), 2);
    assert_eq!(expr("(d0 * 4) * (s0 * 6)").largest_known_divisor(), 24);
    assert!(expr("d0 * 12 + 6").is_multiple_of(-3));
    assert!(!expr("d0 * 12 + 6").is_multiple_of(4));
    assert!(!d(0).is_multiple_of(0) && AffineExpr::constant(0).is_multiple_of(0));
    // The product of the divisors of dividend and divisor says nothing of the
    // quotient.
    assert!(!expr("(d0 * 4) floordiv (s0 * 2)").is_multiple_of(2));
    assert_eq!(expr("(2 + 3) * 4").constant_value(), Some(20));
    let mut visited = Vec::new();
    expr("d2 + s1 * 3").walk(|part| visited.push(part.to_string()));
    assert_eq!(visited, ["d2", "s1", "3", "s1 * 3", "d2 + s1 * 3"]);
}

#[test]
fn evaluation() {
    assert_eq!(expr("d0 floordiv 4").eval(&[-7], &[]), Some(-2));
    assert_eq!(expr("d0 ceildiv 4").eval(&[-7], &[]), Some(-1));
    assert_eq!(expr("d0 ceildiv 4").eval(&[7], &[]), Some(2));
    assert_eq!(expr("d0 mod 4").eval(&[-7], &[]), Some(1));
    assert_eq!(expr("d0 floordiv s0").eval(&[7], &[-2]), Some(-4));
    assert_eq!(expr("d0 ceildiv s0").eval(&[7], &[-2]), Some(-3));
    assert_eq!(expr("d0 floordiv s0").eval(&[7], &[0]), None);
    assert_eq!(expr("d0 mod s0").eval(&[7], &[0]), None);
    assert_eq!(expr("d0 mod s0").eval(&[7], &[-3]), None);
    assert_eq!(expr("d0 floordiv s0").eval(&[i64::MIN], &[-1]), None);
    assert_eq!(expr("d0 * 2").eval(&[i64::MAX], &[]), None);
    assert_eq!(d(1).eval(&[1], &[]), None);
}

#[test]
fn substitution() {
    let e = expr("d0 + d1 * 2 + s0");
    assert_eq!(
        e.replace_dims(&[expr("d1 + 3"), d(0)]),
        expr("d1 + 3 + d0 * 2 + s0")
    );
    assert_eq!(e.replace_dims(&[d(7)]).to_string(), "d7 + d1 * 2 + s0");
    assert_eq!(
        e.replace_symbols(&[5.into()]).to_string(),
        "d0 + d1 * 2 + 5"
    );
    assert_eq!(e.shift_dims(2, 1).to_string(), "d0 + d3 * 2 + s0");
    assert_eq!(e.shift_symbols(2, 0).to_string(), "d0 + d1 * 2 + s2");
    let map = AffineMap::new(1, 1, vec![expr("d0 floordiv 2"), expr("d0 mod 2")]);
    assert_eq!(
        e.compose(&map).to_string(),
        "d0 floordiv 2 + (d0 mod 2) * 2 + s0"
    );
    let replacements = FxHashMap::from_iter([(expr("d1 * 2"), s(4)), (d(1), d(9))]);
    assert_eq!(e.replace(&replacements).to_string(), "d0 + s4 + s0");
}

#[test]
fn prints_with_names() {
    let mut text = String::new();
    print_expr_with(
        &expr("d0 - s1 * 2 + 1"),
        &mut text,
        &|kind, position, out| match kind {
            DimOrSym::Dim => write!(out, "%i{position}"),
            DimOrSym::Sym => write!(out, "symbol(%n{position})"),
        },
    )
    .unwrap();
    assert_eq!(text, "%i0 - symbol(%n1) * 2 + 1");
    let failed = print_expr_with(&d(0), &mut String::new(), &|_, _, _| Err(std::fmt::Error));
    assert!(failed.is_err());
}

#[test]
fn flat_forms() {
    let form = flatten(&expr("d0 * 3 + (d0 + s0) ceildiv 4 - 7"), 1, 1).unwrap();
    assert_eq!(form.dim_coefficient(0), 3);
    assert_eq!(form.symbol_coefficient(0), 0);
    assert_eq!(form.local_coefficient(0), 1);
    assert_eq!(form.constant(), -7);
    assert!(!form.is_linear());
    let division = form.locals[0].division.as_ref().unwrap();
    assert_eq!(division.dividend.coefficients, [1, 1]);
    assert_eq!((division.dividend.constant, division.divisor), (3, 4));
    // The quotient and the remainder share their local.
    let both = flatten(&expr("d0 floordiv 8 + d0 mod 8"), 1, 0).unwrap();
    assert_eq!(both.locals.len(), 1);
    assert_eq!(both.row.coefficients, [1, -7]);
    // What cancels leaves nothing behind.
    assert!(
        flatten(&expr("d0 * 4 + (d1 * 8) floordiv 4"), 2, 0)
            .unwrap()
            .is_linear()
    );
    assert_eq!(
        flatten(&expr("d0 mod s0"), 1, 1).unwrap().locals[0].division,
        None
    );
    assert_eq!(flatten(&d(1), 1, 0), Err(FlattenError::OutOfRange));
    assert_eq!(
        flatten(&expr("d0 mod -4"), 1, 0),
        Err(FlattenError::DivisorNotPositive(-4))
    );
    assert_eq!(flatten(&d(0), u32::MAX, 0), Err(FlattenError::TooLarge));
}

#[test]
fn simplification_is_not_fooled() {
    // Where MLIR 22 gives 0: the rule for `mod` applied to `floordiv`.
    let e = expr("(d0 - d0 mod s0) floordiv s0");
    assert_eq!(simplify_affine_expr(&e, 1, 1).eval(&[7], &[3]), Some(2));
    // Undefined divisions stay.
    for text in ["d0 mod 0", "d0 floordiv 0", "d0 mod -4", "d0 ceildiv -3"] {
        assert_eq!(simplify_affine_expr(&expr(text), 1, 0).to_string(), text);
    }
}

#[test]
fn bounds_of_expressions() {
    let ranges = [Range::new(0, 9), Range::new(-5, None)];
    let symbols = [Range::new(2, 4)];
    let bounds = |text: &str| {
        let range = expr_bounds(&expr(text), &ranges, &symbols);
        (range.lo, range.hi)
    };
    assert_eq!(bounds("d0 * 2 - 3"), (Some(-3), Some(15)));
    assert_eq!(bounds("-d0"), (Some(-9), Some(0)));
    assert_eq!(bounds("d0 + d1"), (Some(-5), None));
    assert_eq!(bounds("d0 * 2 - d0"), (Some(0), Some(9)));
    assert_eq!(bounds("d0 floordiv 4"), (Some(0), Some(2)));
    assert_eq!(bounds("d0 ceildiv 4"), (Some(0), Some(3)));
    assert_eq!(bounds("d0 floordiv -4"), (Some(-3), Some(0)));
    assert_eq!(bounds("d1 mod 4"), (Some(0), Some(3)));
    assert_eq!(bounds("d0 mod 16"), (Some(0), Some(9)));
    assert_eq!(bounds("(d0 + 32) mod 16"), (Some(0), Some(9)));
    assert_eq!(bounds("d0 mod s0"), (Some(0), Some(3)));
    assert_eq!(bounds("d0 * s0"), (Some(0), Some(36)));
    assert_eq!(bounds("d0 floordiv s0"), (Some(0), Some(4)));
    assert_eq!(bounds("(d0 - 20) floordiv s0"), (Some(-10), Some(-3)));
    assert_eq!(bounds("d2"), (None, None));
    assert_eq!(bounds("d0 * 9223372036854775807"), (Some(0), None));
}

#[test]
fn simplification_with_facts() {
    // d0 in 0..=7, d1 in 0..=63 in steps of 8, d2 unknown; s0 in 3..=5.
    let dims = [
        InputFacts {
            range: Range::new(0, 7),
            divisor: 1,
        },
        InputFacts {
            range: Range::new(0, 56),
            divisor: 8,
        },
        InputFacts::default(),
    ];
    let symbols = [InputFacts {
        range: Range::new(3, 5),
        divisor: 1,
    }];
    for (input, expected) in [
        ("d0 floordiv 8", "0"),
        ("(d0 + 8) floordiv 8", "1"),
        ("(d0 + 1) ceildiv 8", "1"),
        ("d0 mod 8", "d0"),
        ("(d0 + 1) mod 8", "(d0 + 1) mod 8"),
        ("d1 mod 4", "0"),
        ("d1 mod 16", "d1 mod 16"),
        ("(d1 + d0) floordiv 8", "d1 floordiv 8"),
        ("(d0 + d1) mod 8", "d0"),
        ("(d2 * 8 + d0) floordiv 16", "(d2 * 8) floordiv 16"),
        ("(d2 * 8 + d0) mod 4", "d0 mod 4"),
        ("d2 floordiv 8 + (d0 floordiv 8) * 3", "d2 floordiv 8"),
        ("d0 floordiv s0", "d0 floordiv s0"),
        ("s0 floordiv 8 + s0 mod 8", "s0"),
        ("d0 mod 0", "d0 mod 0"),
    ] {
        let found = simplify_with_facts(&expr(input), &dims, &symbols);
        assert_eq!(found.to_string(), expected, "{input}");
    }
}

#[test]
fn redundant_results_of_min_and_max() {
    let facts = [
        InputFacts {
            range: Range::new(0, 7),
            divisor: 1,
        },
        InputFacts {
            range: Range::new(2, None),
            divisor: 1,
        },
    ];
    let prune = |results: &[&str], is_max| {
        let map = AffineMap::new(2, 0, results.iter().map(|text| expr(text)).collect());
        prune_min_max(&map, &facts, &[], is_max).to_string()
    };
    assert_eq!(prune(&["8", "d1 * 4 + d0"], false), "(d0, d1) -> (8)");
    assert_eq!(prune(&["d0", "d1 + 6"], true), "(d0, d1) -> (d1 + 6)");
    assert_eq!(prune(&["d0", "d1"], true), "(d0, d1) -> (d0, d1)");
    assert_eq!(
        prune(&["d0 floordiv 8", "d0", "d0 floordiv 9"], false),
        "(d0, d1) -> (0)"
    );
}
