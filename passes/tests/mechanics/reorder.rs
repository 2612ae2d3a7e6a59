//! Mechanics that change the order, or nothing but the numbers.

use super::Program;
use super::execute::Event;
use super::programs::{PARAMETERS, Shape, nest, seeds, shuffled};
use terrace_dialects::func::FuncOp;
use terrace_ir::OpKind;
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_lit::random::Random;
use terrace_passes::loops::permute::permute;
use terrace_passes::loops::reverse::reverse;
use terrace_passes::loops::shift::{shift, shift_by};
use terrace_passes::loops::skew::skew;
use terrace_passes::loops::strip_mine::strip_mine;
use terrace_passes::loops::tile::tile;

fn shape(seed: u64) -> Shape {
    Shape {
        depth: 1 + (seed % 3) as usize,
        divisions: seed % 4 == 1,
        steps: seed % 4 == 2,
    }
}

fn all_runs(p: &Program) -> Vec<Vec<Event>> {
    PARAMETERS.iter().map(|v| p.run(v)).collect()
}

/// With steps, where iterations are counted and not their numbers, only that each
/// runs once is compared.
#[test]
fn permuted_nests_run_in_permuted_order() {
    let mut refused = 0;
    for seed in seeds(200) {
        let mut rng = Random(seed);
        let s = Shape {
            depth: 2 + (seed % 2) as usize,
            ..shape(seed)
        };
        let text = nest(&mut rng, s);
        let mut p = Program::new(&text);
        let before = all_runs(&p);
        let order = shuffled(&mut rng, s.depth);
        let band = p.loops();
        match permute(&mut p.ctx, &band, &order) {
            Ok(loops) => assert_eq!(loops, p.loops(), "{text}"),
            Err(r) => {
                assert!(
                    r.message.contains("starts at a maximum")
                        || r.message.contains("cannot be solved"),
                    "{r}\n{text}"
                );
                assert_eq!(before, all_runs(&p));
                refused += 1;
                continue;
            }
        }
        p.check();
        for (mut want, mut have) in before.into_iter().zip(all_runs(&p)) {
            want.sort_by_key(|e| order.iter().map(|k| e.1[*k]).collect::<Vec<_>>());
            if s.steps {
                want.sort();
                have.sort();
            }
            assert_eq!(want, have, "{order:?}\n{text}\n{}", p.text());
        }
    }
    assert!(10 * refused < seeds(200).end, "{refused} refused");
}

#[test]
fn reversed_loops_run_backwards() {
    for seed in seeds(150) {
        let mut rng = Random(seed);
        let s = shape(seed);
        let text = nest(&mut rng, s);
        let mut p = Program::new(&text);
        let before = all_runs(&p);
        let k = rng.below(s.depth);
        let l = p.loops()[k];
        if let Err(r) = reverse(&mut p.ctx, l) {
            assert!(r.message.contains("starts at a maximum"), "{r}\n{text}");
            continue;
        }
        p.check();
        for (mut want, have) in before.into_iter().zip(all_runs(&p)) {
            let key = |e: &Event| {
                let mut v = e.1.clone();
                v[k] = -v[k];
                v
            };
            want.sort_by_key(key);
            assert_eq!(want, have, "{k}\n{text}\n{}", p.text());
        }
    }
}

#[test]
fn shifts_skews_and_strips_keep_the_order() {
    for seed in seeds(150) {
        let mut rng = Random(seed);
        let s = shape(seed);
        let text = nest(&mut rng, s);
        let mut p = Program::new(&text);
        let before = all_runs(&p);
        for _ in 0..3 {
            let loops = p.loops();
            let k = rng.below(loops.len());
            let l = loops[k];
            match rng.below(4) {
                0 => {
                    shift_by(&mut p.ctx, l, rng.between(-5, 5)).expect("a shift");
                }
                1 if k > 0 => {
                    let outer = loops[rng.below(k)];
                    skew(&mut p.ctx, outer, l, rng.between(-2, 2)).expect("a skew");
                }
                1 => {
                    let n = p.module.find_all::<FuncOp>(&p.ctx)[0];
                    let n = OpKind::op(n).body(&p.ctx, 0).arg(&p.ctx, 0);
                    let by = AffineMap::new(0, 1, vec![AffineExpr::symbol(0) * 2 + 1]);
                    shift(&mut p.ctx, l, &by, &[n]).expect("a shift");
                }
                _ => {
                    let size = 1 + rng.below(4) as u64;
                    let (strips, points) = strip_mine(&mut p.ctx, l, size).expect("strips");
                    let all = p.loops();
                    assert!(all.contains(&strips) && all.contains(&points));
                }
            }
        }
        p.check();
        assert_eq!(before, all_runs(&p), "{text}\n{}", p.text());
    }
}

/// The text of a function after a permutation of its loops.
fn permuted(body: &str, order: &[usize]) -> String {
    let mut p = Program::new(&super::programs::function(body));
    let band = p.loops();
    permute(&mut p.ctx, &band, order).expect("a permutation");
    p.check();
    p.text()
}

#[test]
fn a_triangle_turned_has_simple_bounds() {
    let text = permuted(
        "affine.for %i = 0 to %n {
           affine.for %j = affine_map<(i) -> (i + 1)>(%i) to %n {
             \"s\"(%i, %j) : (index, index) -> ()
         } }",
        &[1, 0],
    );
    assert!(text.contains("affine.for %arg2 = 1 to %arg0"), "{text}");
    assert!(
        text.contains("affine.for %arg3 = 0 to #map(%arg2)"),
        "{text}"
    );
    assert!(text.contains("#map = affine_map<(d0) -> (d0)>"), "{text}");
}

#[test]
fn loops_over_tiles_keep_their_steps() {
    let text = permuted(
        "affine.for %i = 0 to %n step 32 {
           affine.for %j = 0 to %m step 32 {
             affine.for %k = affine_map<(i) -> (i)>(%i) to affine_map<(i) -> (i + 32)>(%i) {
             \"s\"(%i, %j, %k) : (index, index, index) -> ()
         } } }",
        &[0, 2, 1],
    );
    assert!(text.contains("to %arg1 step 32"), "{text}");
    assert!(!text.contains("affine.apply"), "{text}");
}

#[test]
fn computations_between_the_loops_move_inwards() {
    let text = permuted(
        "affine.for %i = 0 to 4 {
           %x = affine.apply affine_map<(i) -> (i * 2)>(%i)
           affine.for %j = 0 to affine_map<(x) -> (x + 1)>(%x) {
             \"s\"(%x, %j) : (index, index) -> ()
         } }",
        &[1, 0],
    );
    assert!(text.contains("affine.for %arg2 = 0 to 7"), "{text}");
    assert!(text.contains("ceildiv 2"), "{text}");
}

#[test]
fn what_is_no_band_is_refused_and_left_alone() {
    let mut p = Program::new(&super::programs::function(
        "affine.for %i = 0 to 4 {
           \"t\"(%i) : (index) -> ()
           affine.for %j = 0 to 4 {
             \"s\"(%i, %j) : (index, index) -> ()
         } }",
    ));
    let band = p.loops();
    let before = p.text();
    let why = permute(&mut p.ctx, &band, &[1, 0]).expect_err("no perfect band");
    assert_eq!(
        why.message,
        "'t' stands beside loop 'j' at line 4 in loop 'i' at line 2: the loops must be a perfect nest"
    );
    let why = permute(&mut p.ctx, &band[..1], &[1]).expect_err("no order");
    assert_eq!(
        why.message,
        "the order [1] is none of 1 loops: it must name each of 0 to 0 once"
    );
    assert_eq!(before, p.text());
}

#[test]
fn tiles_run_each_iteration_once() {
    for seed in seeds(150) {
        let mut rng = Random(seed);
        let s = Shape {
            depth: 1 + (seed % 3) as usize,
            ..shape(seed)
        };
        let text = nest(&mut rng, s);
        let mut p = Program::new(&text);
        let before = all_runs(&p);
        let sizes: Vec<u64> = (0..s.depth).map(|_| rng.between(1, 4) as u64).collect();
        let band = p.loops();
        match tile(&mut p.ctx, &band, &sizes) {
            Ok((tiles, points)) => assert_eq!([tiles, points].concat(), p.loops()),
            Err(r) => {
                assert!(s.steps, "{r}\n{text}");
                continue;
            }
        }
        assert!(p.names()[0].ends_with("_tile") && p.names()[s.depth] == "i0");
        p.check();
        for (mut want, mut have) in before.into_iter().zip(all_runs(&p)) {
            want.sort();
            have.sort();
            assert_eq!(want, have, "{sizes:?}\n{text}\n{}", p.text());
        }
    }
}

#[test]
fn tiles_of_a_skewed_band_lie_on_a_grid() {
    let mut p = Program::new(&super::programs::function(
        "affine.for %t = 0 to 7 {
           affine.for %i = affine_map<(t) -> (t + 1)>(%t) to affine_map<(t)[n] -> (t + n)>(%t)[%n] {
             \"s\"(%t, %i) : (index, index) -> ()
         } }",
    ));
    let mut want = p.run(&[12]);
    let band = p.loops();
    tile(&mut p.ctx, &band, &[3, 4]).expect("tiles");
    p.check();
    want.sort_by_key(|e| (e.1[0] / 3, e.1[1] / 4, e.1.clone()));
    assert_eq!(want, p.run(&[12]));
}
