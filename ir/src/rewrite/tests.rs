//! Folding, constants, dead code, patterns and regions through the greedy driver.

use super::*;
use crate::context::Context;
use crate::op::Op;
use crate::testing::{Const, context, errors, find, in_func, module};
use crate::text::printer::{PrintOptions, print};
use crate::verify::verify;

/// The body of `@f` after canonicalisation, in generic form.
#[track_caller]
fn canonical(body: &str) -> (String, GreedyResult) {
    let mut ctx = context();
    let m = module(&mut ctx, &in_func(body));
    assert!(verify(&ctx, m), "{:?}", errors(&ctx));
    let set = PatternSet::canonicalization(&ctx);
    let r = apply_greedily(&mut ctx, m, &set, &GreedyOptions::default());
    assert!(verify(&ctx, m), "{:?}", errors(&ctx));
    (body_text(&ctx, m), r)
}

fn body_text(ctx: &Context, m: Op) -> String {
    let f = find(ctx, m, "t.func");
    let options = PrintOptions {
        generic: true,
        local_scope: true,
        ..Default::default()
    };
    let text = print(ctx, f, &options);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines[1..lines.len() - 1].join("\n")
}

#[test]
fn folds_to_one_constant_at_the_top() {
    let (text, r) =
        canonical("%m = \"t.alloc\"() : () -> memref<4xi32>\n\"t.return\"() : () -> ()");
    assert_eq!(text, "\"t.return\"() : () -> ()");
    assert!(r.converged && r.changed && r.erased == 1, "{r:?}");

    let (text, r) = canonical(
        r#""t.loop"() ({
  %1 = "t.const"() <{value = 1 : i32}> : () -> i32
  %2 = "t.const"() <{value = 2 : i32}> : () -> i32
  %3 = "t.add"(%1, %2) : (i32, i32) -> i32
  %4 = "t.const"() <{value = 3 : i32}> : () -> i32
  "t.use"(%3, %4) : (i32, i32) -> ()
  "t.yield"() : () -> ()
}) : () -> ()
"t.return"() : () -> ()"#,
    );
    assert_eq!(
        text,
        r#"%0 = "t.const"() <{value = 3 : i32}> : () -> i32
"t.loop"() ({
"t.use"(%0, %0) : (i32, i32) -> ()
"t.yield"() : () -> ()
}) : () -> ()
"t.return"() : () -> ()"#
    );
    assert!(r.converged, "{r:?}");
}

#[test]
fn constants_move_right_and_zero_folds_away() {
    let (text, _) = canonical(
        r#"%m = "t.alloc"() : () -> memref<4xi32>
%x = "t.load"(%m) : (memref<4xi32>) -> i32
%0 = "t.const"() <{value = 0 : i32}> : () -> i32
%1 = "t.add"(%0, %x) : (i32, i32) -> i32
%7 = "t.const"() <{value = 7 : i32}> : () -> i32
%2 = "t.add"(%7, %1) : (i32, i32) -> i32
"t.use"(%2) : (i32) -> ()
"t.return"() : () -> ()"#,
    );
    assert_eq!(
        text,
        r#"%0 = "t.const"() <{value = 7 : i32}> : () -> i32
%1 = "t.alloc"() : () -> memref<4xi32>
%2 = "t.load"(%1) : (memref<4xi32>) -> i32
%3 = "t.add"(%2, %0) : (i32, i32) -> i32
"t.use"(%3) : (i32) -> ()
"t.return"() : () -> ()"#
    );
}

#[test]
fn involutions_and_idempotents_fold() {
    let (text, _) = canonical(
        r#"%m = "t.alloc"() : () -> memref<4xi32>
%x = "t.load"(%m) : (memref<4xi32>) -> i32
%a = "t.neg"(%x) : (i32) -> i32
%b = "t.neg"(%a) : (i32) -> i32
%c = "t.abs"(%b) : (i32) -> i32
%d = "t.abs"(%c) : (i32) -> i32
"t.use"(%b, %d) : (i32, i32) -> ()
"t.return"() : () -> ()"#,
    );
    assert_eq!(
        text,
        r#"%0 = "t.alloc"() : () -> memref<4xi32>
%1 = "t.load"(%0) : (memref<4xi32>) -> i32
%2 = "t.abs"(%1) : (i32) -> i32
"t.use"(%1, %2) : (i32, i32) -> ()
"t.return"() : () -> ()"#
    );
}

#[test]
fn patterns_apply_and_their_results_fold() {
    let (text, r) = canonical(
        r#"%1 = "t.const"() <{value = 5 : i32}> : () -> i32
%2 = "t.double"(%1) : (i32) -> i32
%3 = "t.double"(%2) : (i32) -> i32
"t.use"(%3) : (i32) -> ()
"t.return"() : () -> ()"#,
    );
    assert_eq!(
        text,
        "%0 = \"t.const\"() <{value = 20 : i32}> : () -> i32\n\"t.use\"(%0) : (i32) -> ()\n\
         \"t.return\"() : () -> ()"
    );
    assert_eq!((r.rewrites, r.folds), (2, 2), "{r:?}");
}

#[test]
fn effects_keep_ops_alive() {
    let body = r#"%0 = "t.alloc"() : () -> memref<4xi32>
%1 = "t.load"(%0) : (memref<4xi32>) -> i32
"t.store"(%1, %0) : (i32, memref<4xi32>) -> ()
"t.use"() : () -> ()
"t.return"() : () -> ()"#;
    let (text, r) = canonical(body);
    assert_eq!(text, body);
    assert!(r.converged && !r.changed, "{r:?}");
    // A loop is as dead as what is in it.
    let (text, _) = canonical(
        r#""t.loop"() ({
  %0 = "t.alloc"() : () -> memref<4xi32>
  "t.yield"() : () -> ()
}) : () -> ()
"t.return"() : () -> ()"#,
    );
    assert_eq!(text, "\"t.return\"() : () -> ()");
}

#[test]
fn unreachable_blocks_and_dead_arguments_go() {
    let (text, _) = canonical(
        r#"%c = "t.const"() <{value = true}> : () -> i1
%i = "t.const"() <{value = 1 : i32}> : () -> i32
"t.cond_br"(%c, %i, %i, %i, %i)[^bb1, ^bb1] <{operandSegmentSizes = array<i32: 1, 2, 2>}> : (i1, i32, i32, i32, i32) -> ()
^bb1(%a: i32, %b: i32):
"t.use"(%b) : (i32) -> ()
"t.br"(%a, %b)[^bb1] : (i32, i32) -> ()
^bb2:
%d = "t.add"(%d, %i) : (i32, i32) -> i32
"t.br"()[^bb3] : () -> ()
^bb3:
"t.br"()[^bb2] : () -> ()"#,
    );
    assert_eq!(
        text,
        r#"%0 = "t.const"() <{value = true}> : () -> i1
%1 = "t.const"() <{value = 1 : i32}> : () -> i32
"t.cond_br"(%0, %1, %1)[^bb1, ^bb1] <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (i1, i32, i32) -> ()
^bb1(%2: i32):  // 2 preds: ^bb0, ^bb1
"t.use"(%2) : (i32) -> ()
"t.br"(%2)[^bb1] : (i32) -> ()"#
    );
}

#[test]
fn benefit_and_limits() {
    let mut ctx = context();
    let m = module(
        &mut ctx,
        &in_func(
            "%0 = \"t.const\"() <{value = 1 : i32}> : () -> i32\n\
             \"t.use\"(%0) : (i32) -> ()\n\"t.return\"() : () -> ()",
        ),
    );
    let mut set = PatternSet::new();
    set.add::<crate::testing::UseOp>(|_, _| panic!("the better pattern goes first"));
    // Never done: each application makes another match.
    set.add_with_benefit::<crate::testing::UseOp>(2, |rw, op| {
        let n = op.int_attr(rw.ctx, "n").unwrap_or(0);
        let n = rw.ctx.i64_attr(n + 1);
        rw.set_attr(op, "n", n);
        true
    });
    let options = GreedyOptions {
        max_rewrites: Some(25),
        ..Default::default()
    };
    let r = apply_greedily(&mut ctx, m, &set, &options);
    assert!(!r.converged && r.changed && r.rewrites == 25, "{r:?}");
    assert_eq!(find(&ctx, m, "t.use").int_attr(&ctx, "n"), Some(25));
}

#[test]
fn a_rewriter_inlines_and_merges_blocks() {
    let mut ctx = context();
    let m = module(
        &mut ctx,
        &in_func(
            r#"%0 = "t.const"() <{value = 1 : i32}> : () -> i32
"t.br"(%0)[^bb1] : (i32) -> ()
^bb1(%x: i32):
"t.use"(%x) : (i32) -> ()
"t.return"() : () -> ()"#,
        ),
    );
    let mut set = PatternSet::new();
    set.add::<crate::testing::Br>(|rw, op| {
        let (from, dest) = (op.block(rw.ctx), op.successor(rw.ctx, 0));
        let Some(from) = from.filter(|_| dest.predecessors(rw.ctx).len() == 1) else {
            return false;
        };
        let args = op.operands(rw.ctx);
        rw.erase(op);
        rw.merge_block(dest, from, &args);
        true
    });
    let r = apply_greedily(&mut ctx, m, &set, &GreedyOptions::default());
    assert!(r.converged);
    assert!(verify(&ctx, m), "{:?}", errors(&ctx));
    assert_eq!(
        body_text(&ctx, m),
        "%0 = \"t.const\"() <{value = 1 : i32}> : () -> i32\n\"t.use\"(%0) : (i32) -> ()\n\
         \"t.return\"() : () -> ()"
    );
}

#[test]
fn clones_map_forward_references_and_blocks() {
    use crate::clone::{IrMapping, clone_op};
    let mut ctx = context();
    let m = module(
        &mut ctx,
        &in_func(
            r#"%c = "t.const"() <{value = true}> : () -> i1
"t.br"()[^bb2] : () -> ()
^bb1:
"t.use"(%y) : (i32) -> ()
"t.return"() : () -> ()
^bb2:
%y = "t.const"() <{value = 1 : i32}> : () -> i32
"t.br"()[^bb1] : () -> ()"#,
        ),
    );
    let f = find(&ctx, m, "t.func");
    let copy = clone_op(&mut ctx, f, &mut IrMapping::new());
    let name = ctx.string_attr("g");
    copy.set_attr(&ctx, "sym_name", name);
    m.body(&ctx, 0).push_back(&ctx, copy);
    assert!(verify(&ctx, m), "{:?}", errors(&ctx));
    f.erase(&mut ctx);
    assert!(verify(&ctx, m), "{:?}", errors(&ctx));
    assert_eq!(copy.pre_order(&ctx).len(), 7);
    assert_eq!(m.find_all::<Const>(&ctx).len(), 2);
}

#[test]
fn symbols_are_found() {
    use crate::symbols::*;
    let mut ctx = context();
    let m = module(
        &mut ctx,
        r#""t.func"() <{sym_name = "a", function_type = () -> ()}> ({
  "t.call"() <{callee = @a}> : () -> ()
  "t.use"() {deep = [{x = @a}, @b, @m::@a]} : () -> ()
  "t.return"() : () -> ()
}) : () -> ()
"builtin.module"() <{sym_name = "m"}> ({
  "t.func"() <{sym_name = "a", function_type = () -> ()}> ({
    "t.call"() <{callee = @a}> : () -> ()
    "t.return"() : () -> ()
  }) : () -> ()
}) : () -> ()"#,
    );
    assert!(verify(&ctx, m), "{:?}", errors(&ctx));
    let outer = lookup_in(&ctx, m, "a").unwrap();
    let inner_module = lookup_in(&ctx, m, "m").unwrap();
    let inner = lookup_in(&ctx, inner_module, "a").unwrap();
    assert_eq!(symbol_uses(&ctx, outer, m).len(), 2);
    assert_eq!(symbol_uses(&ctx, inner, m).len(), 2);
    assert_eq!(symbol_uses(&ctx, inner_module, m).len(), 1);
    let mut table = SymbolTable::new(&ctx, m);
    assert_eq!(table.unique_name("a"), "a_0");
    set_visibility(&ctx, outer, Visibility::Private);
    assert_eq!(visibility(&ctx, outer), Visibility::Private);
    let copy = crate::clone::clone_op(&mut ctx, outer, &mut crate::clone::IrMapping::new());
    assert_eq!(table.insert(&ctx, copy), "a_0");
    assert_eq!(table.lookup("a_0"), Some(copy));
    assert!(verify(&ctx, m), "{:?}", errors(&ctx));
}

#[test]
fn dominance_between_blocks() {
    use crate::dominance::DomTree;
    let mut ctx = context();
    let m = module(
        &mut ctx,
        &in_func(
            r#"%c = "t.const"() <{value = true}> : () -> i1
"t.cond_br"(%c)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
^bb1:
%x = "t.alloc"() : () -> memref<4xi32>
"t.br"()[^bb2] : () -> ()
^bb2:
"t.loop"() ({
  "t.use"(%c) : (i1) -> ()
  "t.yield"() : () -> ()
}) : () -> ()
"t.return"() : () -> ()"#,
        ),
    );
    let block = |n: &str| find(&ctx, m, n).block(&ctx).unwrap();
    let (entry, middle, last) = (block("t.const"), block("t.alloc"), block("t.return"));
    let d = DomTree::new(&ctx, entry.region(&ctx).unwrap());
    assert!(d.dominates(entry, middle) && d.dominates(entry, last));
    assert!(!d.dominates(middle, last) && !d.dominates(last, entry));
    assert_eq!(d.immediate_dominator(last), Some(entry));
}

#[test]
fn effects_of_ops() {
    use crate::effects::*;
    let mut ctx = context();
    let m = module(
        &mut ctx,
        &in_func(
            r#"%m = "t.alloc"() : () -> memref<4xi32>
"t.loop"() ({
  %x = "t.load"(%m) : (memref<4xi32>) -> i32
  "t.yield"() : () -> ()
}) : () -> ()
"t.use"() : () -> ()
"t.return"() : () -> ()"#,
        ),
    );
    let f = |n: &str| find(&ctx, m, n);
    assert_eq!(effects(&ctx, f("t.loop")).map(|e| e.len()), Some(1));
    assert_eq!(effects(&ctx, f("t.use")), None);
    assert!(!is_memory_effect_free(&ctx, f("t.loop")));
    assert!(!is_speculatable(&ctx, f("t.loop")));
    assert!(is_trivially_dead(&ctx, f("t.loop")));
    assert!(!is_trivially_dead(&ctx, f("t.alloc")));
    assert!(!is_trivially_dead(&ctx, f("t.return")));
}
