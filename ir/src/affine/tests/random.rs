//! What rewriting must never change: the value.

use crate::affine::{
    AffineExpr, AffineMap, AffineOp, Constraint, Emptiness, FourierMotzkinLimits, InputFacts,
    IntegerSet, OperandInfo, Range, canonicalize_map_and_operands, expr_bounds, flatten,
    simplify_affine_expr, simplify_with_facts,
};
use terrace_lit::random::Random;

use super::parse;

/// xorshift64*
/// An expression over `DIMS` dimensions and `SYMBOLS` symbols, and the same
/// without any simplification.
fn expr(random: &mut Random, depth: u32, semi: bool) -> (AffineExpr, AffineExpr) {
    if depth == 0 || random.below(8) == 0 {
        let leaf = match random.below(4) {
            0 => AffineExpr::constant(random.between(-6, 6)),
            1 => AffineExpr::symbol(random.below(SYMBOLS) as u32),
            _ => AffineExpr::dim(random.below(DIMS) as u32),
        };
        return (leaf.clone(), leaf);
    }
    let (a, raw_a) = expr(random, depth - 1, semi);
    let op = match random.below(7) {
        0..3 => AffineOp::Add,
        3 => AffineOp::Mul,
        4 => AffineOp::Mod,
        5 => AffineOp::FloorDiv,
        _ => AffineOp::CeilDiv,
    };
    let (b, raw_b) = match op {
        AffineOp::Add => expr(random, depth - 1, semi),
        _ => {
            let leaf = if semi && random.below(2) == 0 {
                AffineExpr::symbol(random.below(SYMBOLS) as u32)
            } else if op == AffineOp::Mul {
                AffineExpr::constant(random.between(-4, 8))
            } else {
                AffineExpr::constant(random.between(1, 8))
            };
            (leaf.clone(), leaf)
        }
    };
    if op == AffineOp::Add && random.below(4) == 0 {
        // A remainder spelled out, for the rules that look for one.
        let by = AffineExpr::constant(random.between(2, 8));
        let raw = AffineExpr::node(
            AffineOp::Mul,
            AffineExpr::node(AffineOp::FloorDiv, raw_a.clone(), by.clone()),
            AffineExpr::constant(-by.as_constant().unwrap()),
        );
        let built = a.clone() - a.floor_div(by.clone()) * by;
        return (built, AffineExpr::node(AffineOp::Add, raw_a, raw));
    }
    (
        AffineExpr::binary(op, a, b),
        AffineExpr::node(op, raw_a, raw_b),
    )
}

fn point(random: &mut Random) -> (Vec<i64>, Vec<i64>) {
    let dims = (0..DIMS).map(|_| random.between(-20, 20)).collect();
    // Positive: a symbol may divide.
    let symbols = (0..SYMBOLS).map(|_| random.between(1, 9)).collect();
    (dims, symbols)
}

const DIMS: u64 = 3;
const SYMBOLS: u64 = 2;

#[test]
fn building_printing_and_simplifying_keep_the_value() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..3000 {
        let depth = 1 + round % 5;
        let (built, raw) = expr(&mut random, depth, round % 3 == 0);
        let simple = simplify_affine_expr(&built, DIMS as u32, SYMBOLS as u32);
        let read = parse::expr(&built.to_string());
        let raw_simple = simplify_affine_expr(&raw, DIMS as u32, SYMBOLS as u32);
        for _ in 0..12 {
            let (dims, symbols) = point(&mut random);
            let value = raw.eval(&dims, &symbols);
            assert!(value.is_some());
            for (what, other) in [
                ("built", &built),
                ("simple", &simple),
                ("read", &read),
                ("raw", &raw_simple),
            ] {
                assert_eq!(
                    other.eval(&dims, &symbols),
                    value,
                    "{what}: {raw} became {other}, at {dims:?} {symbols:?}"
                );
            }
            let divisor = built.largest_known_divisor();
            assert!(divisor == 0 || value.unwrap() % divisor == 0, "{built}");
        }
        // Simplification arrives.
        let twice = simplify_affine_expr(&simple, DIMS as u32, SYMBOLS as u32);
        let (dims, symbols) = point(&mut random);
        assert_eq!(twice.eval(&dims, &symbols), simple.eval(&dims, &symbols));
    }
}

#[test]
fn flat_forms_have_the_value() {
    let mut random = Random(77);
    for round in 0..1500 {
        let (built, _) = expr(&mut random, 1 + round % 5, false);
        let form = flatten(&built, DIMS as u32, SYMBOLS as u32).unwrap();
        let (dims, symbols) = point(&mut random);
        let mut columns: Vec<i64> = dims.iter().chain(&symbols).copied().collect();
        let dot = |columns: &[i64], coefficients: &[i64], constant: i64| {
            columns
                .iter()
                .zip(coefficients)
                .map(|(x, c)| x * c)
                .sum::<i64>()
                + constant
        };
        for local in &form.locals {
            let division = local.division.as_ref().unwrap();
            let dividend = dot(
                &columns,
                &division.dividend.coefficients,
                division.dividend.constant,
            );
            columns.push(dividend.div_euclid(division.divisor));
            assert_eq!(local.expr.eval(&dims, &symbols), columns.last().copied());
        }
        let value = dot(&columns, &form.row.coefficients, form.row.constant);
        assert_eq!(built.eval(&dims, &symbols), Some(value), "{built}");
    }
}

#[test]
fn composing_and_canonicalizing_keep_the_value() {
    let mut random = Random(12345);
    for round in 0..600 {
        let depth = 1 + round % 3;
        let mut exprs = |count| {
            (0..count)
                .map(|_| expr(&mut random, depth, true).0)
                .collect()
        };
        let outer = AffineMap::new(DIMS as u32, SYMBOLS as u32, exprs(2));
        let inner = AffineMap::new(DIMS as u32, SYMBOLS as u32, exprs(DIMS));
        let composed = outer.compose(&inner).unwrap();
        let (dims, symbols) = point(&mut random);
        let (_, inner_symbols) = point(&mut random);
        let between = inner.eval(&dims, &inner_symbols).unwrap();
        let all_symbols = [symbols.clone(), inner_symbols].concat();
        let value = outer.eval(&between, &symbols);
        assert_eq!(composed.eval(&dims, &all_symbols), value);
        assert_eq!(composed.simplify().eval(&dims, &all_symbols), value);

        // Operands are small numbers, their own values; some are constants,
        // some may be symbols. Dividing symbols must stay positive.
        let info = OperandInfo {
            is_symbol: &|v: &i64| *v % 2 == 1,
            is_dim: &|_| true,
            constant_of: &|v: &i64| (*v % 3 == 0).then_some(*v),
        };
        let mut operands: Vec<i64> = (0..DIMS + SYMBOLS).map(|_| random.between(1, 6)).collect();
        let split = |map: &AffineMap, operands: &[i64]| {
            let (dims, symbols) = operands.split_at(map.num_dims() as usize);
            map.eval(dims, symbols)
        };
        let mut map = outer;
        let before = split(&map, &operands);
        canonicalize_map_and_operands(&mut map, &mut operands, &info).unwrap();
        assert_eq!(operands.len(), map.num_inputs());
        assert_eq!(split(&map, &operands), before);
    }
}

#[test]
fn bounds_hold() {
    let mut random = Random(4242);
    for round in 0..2000 {
        let (built, _) = expr(&mut random, 1 + round % 4, true);
        let mut range = |lo: i64, hi: i64| {
            let (a, b) = (random.between(lo, hi), random.between(lo, hi));
            (a.min(b), a.max(b))
        };
        let dims: Vec<(i64, i64)> = (0..DIMS).map(|_| range(-20, 20)).collect();
        let symbols: Vec<(i64, i64)> = (0..SYMBOLS).map(|_| range(1, 9)).collect();
        let open = random.below(4);
        let ranges = |of: &[(i64, i64)]| -> Vec<Range> {
            of.iter()
                .map(|(lo, hi)| Range {
                    lo: Some(*lo),
                    hi: (open != 0).then_some(*hi),
                })
                .collect()
        };
        let bounds = expr_bounds(&built, &ranges(&dims), &ranges(&symbols));
        let facts = |of| -> Vec<InputFacts> {
            ranges(of)
                .into_iter()
                .map(|range| InputFacts { range, divisor: 1 })
                .collect()
        };
        let simple = simplify_with_facts(&built, &facts(&dims), &facts(&symbols));
        for _ in 0..10 {
            let mut pick = |of: &[(i64, i64)]| -> Vec<i64> {
                of.iter().map(|(lo, hi)| random.between(*lo, *hi)).collect()
            };
            let (at, with) = (pick(&dims), pick(&symbols));
            let value = built.eval(&at, &with).unwrap();
            assert_eq!(
                simple.eval(&at, &with),
                Some(value),
                "{built} became {simple}"
            );
            assert!(
                bounds.lo.is_none_or(|lo| lo <= value),
                "{built} {bounds:?} {at:?} {with:?}"
            );
            assert!(
                bounds.hi.is_none_or(|hi| hi >= value),
                "{built} {bounds:?} {at:?} {with:?}"
            );
        }
    }
}

/// Against every point of a box.
#[test]
fn sets_keep_their_points_and_empty_means_empty() {
    let mut random = Random(999);
    let (mut empty, mut shown) = (0, 0);
    for round in 0..400 {
        let mut constraints: Vec<Constraint> = (0..2 + round % 2)
            .map(|_| {
                let (x, y) = (AffineExpr::dim(0), AffineExpr::dim(1));
                let mut c = |lo, hi| random.between(lo, hi);
                let mut expr = x.clone() * c(-5, 5) + y * c(-5, 5) + c(-9, 9);
                if c(0, 2) == 0 {
                    expr = expr + x.modulo(c(2, 5)) * c(1, 3);
                }
                Constraint {
                    expr,
                    is_eq: c(0, 2) == 0,
                }
            })
            .collect();
        for dim in [0, 1] {
            let x = AffineExpr::dim(dim);
            constraints.push(Constraint {
                expr: x.clone() + 4,
                is_eq: false,
            });
            constraints.push(Constraint {
                expr: -x + 4,
                is_eq: false,
            });
        }
        let set = IntegerSet::new(2, 0, constraints);
        let simple = set.simplify();
        let system = set.to_linear_system().unwrap();
        let limits = FourierMotzkinLimits::default();
        let x_bounds = system.column_bounds(0, limits).unwrap();
        let mut points = 0;
        for x in -5..=5 {
            for y in -5..=5 {
                let inside = set.contains(&[x, y], &[]).unwrap();
                assert_eq!(
                    simple.contains(&[x, y], &[]),
                    Some(inside),
                    "{set} became {simple}"
                );
                if inside {
                    points += 1;
                    assert!(x_bounds.0.is_none_or(|lo| lo <= x), "{set} {x_bounds:?}");
                    assert!(x_bounds.1.is_none_or(|hi| hi >= x), "{set} {x_bounds:?}");
                }
            }
        }
        let found = system.emptiness(limits);
        assert_ne!(
            found,
            Emptiness::Unknown(crate::affine::Unknown::TooManyRows)
        );
        if points == 0 {
            empty += 1;
            shown += usize::from(found == Emptiness::Empty);
        } else {
            assert_eq!(found, Emptiness::NotShownEmpty, "{set}");
        }
    }
    // Rounding decides most of the empty ones.
    assert!(empty > 50 && shown * 10 > empty * 8, "{shown} of {empty}");
}
