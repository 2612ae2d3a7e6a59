//! Mechanics that cut loops in pieces or put them together.

use super::Program;
use super::execute::Event;
use super::programs::{PARAMETERS, Shape, function, head, nest, seeds, shuffled};
use terrace_dialects::affine::ForOp;
use terrace_dialects::func::FuncOp;
use terrace_ir::OpKind;
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_lit::random::Random;
use terrace_passes::loops::components::strong_components;
use terrace_passes::loops::distribute::{distribute, distribute_maximal, statements};
use terrace_passes::loops::fuse::{Align, fuse};
use terrace_passes::loops::peel::{peel_back, peel_front, peel_remainder};
use terrace_passes::loops::split::split;

fn shape(seed: u64) -> Shape {
    Shape {
        depth: 1 + (seed % 2) as usize,
        divisions: seed % 4 == 1,
        steps: seed % 3 == 2,
    }
}

fn all_runs(p: &Program) -> Vec<Vec<Event>> {
    PARAMETERS.iter().map(|v| p.run(v)).collect()
}

fn outermost(p: &Program) -> ForOp {
    p.loops()[0]
}

#[test]
fn pieces_of_a_loop_keep_the_order() {
    let mut refused = 0;
    for seed in seeds(200) {
        let mut rng = Random(seed);
        let text = nest(&mut rng, shape(seed));
        let mut p = Program::new(&text);
        let before = all_runs(&p);
        let loops = p.loops();
        let l = loops[rng.below(loops.len())];
        let n = 1 + rng.below(3) as u64;
        let parameter = function_argument(&p);
        let result = match rng.below(4) {
            0 => peel_front(&mut p.ctx, l, n).map(|_| ()),
            1 => peel_back(&mut p.ctx, l, n).map(|_| ()),
            2 => peel_remainder(&mut p.ctx, l, n).map(|_| ()),
            _ => {
                let at = AffineExpr::symbol(0) * rng.between(-1, 2) + rng.between(-2, 4);
                let at = AffineMap::new(0, 1, vec![at]);
                split(&mut p.ctx, l, &at, &[parameter]).map(|_| ())
            }
        };
        if let Err(r) = result {
            let known = ["maximum", "minimum", "nothing would be left"];
            assert!(known.iter().any(|k| r.message.contains(k)), "{r}\n{text}");
            refused += 1;
        }
        p.check();
        assert_eq!(before, all_runs(&p), "{text}\n{}", p.text());
    }
    assert!(2 * refused < seeds(200).end, "{refused} refused");
}

fn function_argument(p: &Program) -> terrace_ir::Value {
    let f = p.module.find_all::<FuncOp>(&p.ctx)[0];
    OpKind::op(f).body(&p.ctx, 0).arg(&p.ctx, 0)
}

#[test]
fn peeled_iterations_are_the_ones_asked_for() {
    let mut p = Program::new(&function(
        "affine.for %i = 2 to 11 step 2 { \"s\"(%i) : (index) -> () }",
    ));
    let l = outermost(&p);
    let front = peel_front(&mut p.ctx, l, 1).expect("a first iteration");
    assert_eq!(p.names(), ["i_peeled", "i"]);
    let bounds = |p: &Program, l: ForOp| (l.constant_lower(&p.ctx), l.constant_upper(&p.ctx));
    assert_eq!(bounds(&p, front.peeled), (Some(2), Some(4)));
    assert_eq!(bounds(&p, front.rest), (Some(4), Some(11)));
    let back = peel_remainder(&mut p.ctx, front.rest, 3).expect("a remainder");
    let back = back.expect("one of four");
    assert_eq!(bounds(&p, back.rest), (Some(4), Some(10)));
    assert_eq!(bounds(&p, back.peeled), (Some(10), Some(11)));
    assert_eq!(
        peel_remainder(&mut p.ctx, back.rest, 3).map_err(|r| r.message),
        Ok(None)
    );
    let why = peel_back(&mut p.ctx, back.rest, 3).expect_err("all of it");
    assert!(
        why.message
            .contains("has 3 iterations, so that nothing would be left"),
        "{why}"
    );
}

/// Two nests of random loops, the statements of each telling which it is.
fn two_loops(rng: &mut Random, s: Shape) -> String {
    let mut text = String::new();
    let surrounded = s.depth == 2;
    if surrounded {
        text.push_str(&head(rng, 0, Shape { steps: false, ..s }));
    }
    for name in ["a", "b"] {
        let k = usize::from(surrounded);
        text.push_str(&head(rng, k, s));
        let operands = if surrounded { "%i0, %i1" } else { "%i0" };
        let types = if surrounded { "index, index" } else { "index" };
        text.push_str(&format!("\"{name}\"({operands}) : ({types}) -> ()\n}}\n"));
    }
    if surrounded {
        text.push_str("}\n");
    }
    function(&text)
}

#[test]
fn fused_loops_run_by_rising_numbers() {
    let mut done = 0;
    for seed in seeds(200) {
        let mut rng = Random(seed);
        let s = shape(seed);
        let text = two_loops(&mut rng, s);
        let mut p = Program::new(&text);
        let before = all_runs(&p);
        let loops = p.loops();
        let [a, b] = loops[loops.len() - 2..] else {
            panic!("two loops");
        };
        match fuse(&mut p.ctx, a, b, Align::Value) {
            Ok(_) => done += 1,
            Err(r) => {
                assert_eq!(before, all_runs(&p), "{r}");
                continue;
            }
        }
        p.check();
        for (mut want, have) in before.into_iter().zip(all_runs(&p)) {
            // Where both have a number, the first goes first, as in what comes alone.
            want.sort_by_key(|e| (e.1.clone(), e.0.clone()));
            assert_eq!(want, have, "{text}\n{}", p.text());
        }
    }
    assert!(3 * done > seeds(200).end, "{done} fused");
}

#[test]
fn loops_fused_at_their_starts() {
    let mut p = Program::new(&function(
        "affine.for %i = 2 to %n { \"a\"(%i) : (index) -> () }
         affine.for %j = 5 to affine_map<()[s] -> (s + 3)>()[%n] { \"b\"(%j) : (index) -> () }",
    ));
    let l = p.loops();
    let f = fuse(&mut p.ctx, l[0], l[1], Align::Start).expect("one loop");
    assert!(f.before.is_empty() && f.after.is_empty(), "{}", p.text());
    p.check();
    let event = |n: &str, i| (n.to_string(), vec![i]);
    assert_eq!(
        p.run(&[4]),
        [event("a", 2), event("b", 5), event("a", 3), event("b", 6)]
    );
}

#[test]
fn constant_bounds_that_differ_are_peeled() {
    let mut p = Program::new(&function(
        "affine.for %i = 0 to 10 { \"a\"(%i) : (index) -> () }
         %c = arith.constant 3 : index
         affine.for %j = 1 to 12 { \"b\"(%j, %c) : (index, index) -> () }",
    ));
    let l = p.loops();
    let f = fuse(&mut p.ctx, l[0], l[1], Align::Value).expect("fused loops");
    assert_eq!((f.before.len(), f.after.len()), (1, 1), "{}", p.text());
    assert_eq!(p.names(), ["i_before", "i", "j_after"]);
}

#[test]
fn carried_values_go_through_the_pieces() {
    let mut p = Program::new(&function(
        "%z = arith.constant 0 : index
         %x = affine.for %i = 0 to 4 iter_args(%s = %z) -> (index) {
           %t = \"a\"(%i, %s) : (index, index) -> index
           affine.yield %t : index
         }
         %y = affine.for %j = 1 to %n iter_args(%s = %z) -> (index) {
           %t = \"b\"(%j, %s) : (index, index) -> index
           affine.yield %t : index
         }
         \"end\"(%x, %y) : (index, index) -> ()",
    ));
    let before = all_runs(&p);
    let l = p.loops();
    fuse(&mut p.ctx, l[0], l[1], Align::Value).expect("fused loops");
    p.check();
    for (mut want, mut have) in before.into_iter().zip(all_runs(&p)) {
        assert_eq!(want.last(), have.last());
        want.sort();
        have.sort();
        assert_eq!(want, have);
    }
    let l = p.loops();
    let why = fuse(&mut p.ctx, l[1], l[2], Align::Value).expect_err("a result is needed");
    assert!(why.message.contains("gives only when it is done"), "{why}");
}

/// A loop with statements of which some are tied by values.
fn body(rng: &mut Random) -> (String, usize) {
    let mut text = String::from("%x = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)\n");
    let mut values = vec!["%i".to_string(), "%x".to_string()];
    let n = 2 + rng.below(4);
    for k in 0..n {
        let v = values[rng.below(values.len())].clone();
        text.push_str(&format!(
            "%v{k} = \"s{k}\"(%i, {v}) : (index, index) -> index\n"
        ));
        if rng.chance(30) {
            values.push(format!("%v{k}"));
        }
        if rng.chance(30) {
            text.push_str(&format!("%w{k} = arith.addi %x, {v} : index\n"));
            values.push(format!("%w{k}"));
        }
    }
    (text, n)
}

#[test]
fn distributed_loops_run_one_after_the_other() {
    for seed in seeds(100) {
        let mut rng = Random(seed);
        let (inner, _) = body(&mut rng);
        let text = function(&format!("affine.for %i = 0 to %n {{\n{inner}}}\n"));
        let mut p = Program::new(&text);
        let before = all_runs(&p);
        let l = outermost(&p);
        let parts = statements(&p.ctx, l);
        let n = parts.len();
        let place: Vec<Vec<String>> = parts
            .iter()
            .map(|part| part.iter().map(|o| o.name(&p.ctx).to_string()).collect())
            .collect();
        let order = shuffled(&mut rng, n);
        let wanted = order.clone();
        let loops = distribute_maximal(&mut p.ctx, l, |_, smallest| {
            assert_eq!(smallest.len(), n);
            Ok(wanted.iter().map(|k| vec![*k]).collect())
        })
        .expect("parts of a loop");
        assert_eq!(loops.len(), n);
        p.check();
        for (mut want, have) in before.into_iter().zip(all_runs(&p)) {
            want.sort_by_key(|e| order.iter().position(|k| place[*k].contains(&e.0)));
            assert_eq!(want, have, "{text}\n{}", p.text());
        }
    }
}

#[test]
fn values_that_would_cross_are_refused() {
    let mut p = Program::new(&function(
        "affine.for %i = 0 to 8 {
           %v = \"load\"(%i) : (index) -> index
           %w = arith.addi %v, %i : index
           \"store\"(%w) : (index) -> ()
         }",
    ));
    let l = outermost(&p);
    let ops = l.body(&p.ctx).ops(&p.ctx);
    let before = p.text();
    let parts = vec![vec![ops[0]], vec![ops[2]]];
    let why = distribute(&mut p.ctx, l, &parts).expect_err("a value crosses");
    assert!(
        why.message
            .contains("the value 'v' of 'load' would go from one part"),
        "{why}"
    );
    let why = distribute(&mut p.ctx, l, &parts[..1]).expect_err("one is left out");
    assert!(
        why.message
            .contains("'store' in loop 'i' at line 2 is in no part"),
        "{why}"
    );
    let why = distribute(&mut p.ctx, l, &[ops[..3].to_vec(), parts[0].clone()]).expect_err("twice");
    assert!(why.message.contains("is in part 0 and in part 1"), "{why}");
    assert_eq!(before, p.text());
}

#[test]
fn carried_values_go_with_their_part() {
    let mut p = Program::new(&function(
        "%z = arith.constant 0 : index
         %r:2 = affine.for %i = 0 to %n iter_args(%s = %z, %t = %z) -> (index, index) {
           %a = \"a\"(%i, %s) : (index, index) -> index
           %b = \"b\"(%i, %t) : (index, index) -> index
           affine.yield %a, %b : index, index
         }
         \"end\"(%r#0, %r#1) : (index, index) -> ()",
    ));
    let before = all_runs(&p);
    let l = outermost(&p);
    let loops = distribute_maximal(&mut p.ctx, l, |_, parts| {
        Ok(strong_components(parts.len(), &[(1, 0)]))
    })
    .expect("two loops");
    assert_eq!(loops.len(), 2);
    assert_eq!(p.names(), ["i_0", "i_1"]);
    p.check();
    for (mut want, have) in before.into_iter().zip(all_runs(&p)) {
        want.sort_by_key(|e| ["b", "a", "end"].iter().position(|n| *n == e.0));
        assert_eq!(want, have);
    }
}
