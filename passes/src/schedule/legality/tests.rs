//! The check against transformations that are wrong, done by hand.

use super::{Before, Promise};
use terrace_dialects::affine::{Access, ForOp, LoadOp, StoreOp};
use terrace_dialects::func::FuncOp;
use terrace_dialects::schedule::InstanceOp;
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::text::parser::{Source, parse};
use terrace_ir::text::printer::{PrintOptions, print};
use terrace_ir::{Context, Op, OpKind};

const COPY: &str = "func.func @f(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf32>
    affine.store %a, %B[%i] : memref<?xf32>
  }
  affine.for %j = 0 to %n {
    %b = affine.load %B[%j] : memref<?xf32>
    affine.store %b, %A[%j] : memref<?xf32>
  }
  return
}";

/// What the check says of a change to a program, and the program afterwards.
fn verdict(
    text: &str,
    promise: Promise,
    change: impl FnOnce(&mut Context, Op),
) -> (Result<(), String>, String) {
    let mut ctx = terrace_dialects::context();
    ctx.config.keep_names = true;
    let module = parse(&mut ctx, &Source::new("t", text)).expect("the program parses");
    let f = module.find_all::<FuncOp>(&ctx)[0].op();
    let before = Before::of(&mut ctx, f);
    change(&mut ctx, f);
    let result = before.check(&mut ctx, promise).map_err(|v| v.message);
    assert!(f.find_all::<InstanceOp>(&ctx).is_empty());
    (result, print(&ctx, module, &PrintOptions::default()))
}

fn refused(change: impl FnOnce(&mut Context, Op)) -> String {
    let (result, text) = verdict(COPY, Promise::default(), change);
    match result {
        Ok(()) => panic!("not refused:\n{text}"),
        Err(m) => m,
    }
}

fn loops(ctx: &Context, f: Op) -> Vec<ForOp> {
    f.find_all::<ForOp>(ctx)
}

#[test]
fn nothing_is_nothing() {
    let (result, text) = verdict(COPY, Promise::default(), |_, _| {});
    assert_eq!(result, Ok(()));
    assert!(!text.contains("schedule.instance"), "{text}");
}

#[test]
fn iterations_left_out_are_missed() {
    let m = refused(|ctx, f| loops(ctx, f)[0].set_constant_lower(ctx, 1));
    assert_eq!(m, "an iteration of the load from 'A' would no longer run");
    let m = refused(|ctx, f| loops(ctx, f)[1].set_step(ctx, 2));
    assert_eq!(m, "an iteration of the load from 'B' would no longer run");
}

#[test]
fn iterations_added_are_seen() {
    let m = refused(|ctx, f| loops(ctx, f)[0].set_constant_lower(ctx, -1));
    assert_eq!(
        m,
        "an iteration of the load from 'A' would run that did not"
    );
}

const NEST: &str = "func.func @f(%A: memref<8x8xf32>, %B: memref<8x8xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %a = affine.load %A[%i, %j] : memref<8x8xf32>
      affine.store %a, %B[%i, %j] : memref<8x8xf32>
    }
  }
  affine.for %i = 1 to 8 {
    affine.for %j = 0 to 8 {
      %a = affine.load %B[%i - 1, %j] : memref<8x8xf32>
      affine.store %a, %B[%i, %j] : memref<8x8xf32>
    }
  }
  return
}";

/// What is inside of loops that stay is looked at for each of their iterations.
#[test]
fn changes_of_loops_inside_those_that_stay_are_seen() {
    let message = |change: fn(&mut Context, Op)| match verdict(NEST, Promise::default(), change) {
        (Ok(()), text) => panic!("not refused:\n{text}"),
        (Err(m), _) => m,
    };
    let m = message(|ctx, f| loops(ctx, f)[1].set_constant_lower(ctx, 1));
    assert_eq!(m, "an iteration of the load from 'A' would no longer run");
    let m = message(|ctx, f| loops(ctx, f)[1].set_step(ctx, 2));
    assert_eq!(m, "an iteration of the load from 'A' would no longer run");
    let m = message(|ctx, f| loops(ctx, f)[3].set_constant_upper(ctx, 9));
    assert_eq!(
        m,
        "an iteration of the load from 'B' would run that did not"
    );
    let m = message(|ctx, f| {
        let inner = loops(ctx, f)[1].op();
        let copy = clone_op(ctx, inner, &mut IrMapping::new());
        copy.insert_after(ctx, inner);
    });
    assert_eq!(m, "an iteration of the load from 'A' would run twice");
}

#[test]
fn iterations_doubled_are_seen() {
    let m = refused(|ctx, f| {
        let l = loops(ctx, f)[0].op();
        let copy = clone_op(ctx, l, &mut IrMapping::new());
        copy.insert_after(ctx, l);
    });
    assert_eq!(m, "an iteration of the load from 'A' would run twice");
}

#[test]
fn an_access_to_another_element_is_seen() {
    let m = refused(|ctx, f| {
        let store = f.find_all::<StoreOp>(ctx)[0];
        let iv = loops(ctx, f)[0].iv(ctx);
        let map = AffineMap::new(1, 0, vec![AffineExpr::dim(0) + 1]);
        // As much a change of the loop as any: the mark is where it was.
        loops(ctx, f)[0].op().set_attr(ctx, "touched", ctx.unit());
        Access::set_subscripts(ctx, store.op(), map, &[iv]);
    });
    assert_eq!(m, "the store to 'B' would touch another element");
}

#[test]
fn an_access_that_is_gone_is_missed() {
    let m = refused(|ctx, f| {
        loops(ctx, f)[0].op().set_attr(ctx, "touched", ctx.unit());
        f.find_all::<StoreOp>(ctx)[0].op().erase(ctx);
    });
    assert_eq!(m, "the store to 'B' would be parted from its iteration");
    let m = refused(|ctx, f| loops(ctx, f)[1].op().erase(ctx));
    assert_eq!(m, "the load from 'B' would be lost");
}

#[test]
fn an_access_moved_without_its_mark_is_seen() {
    let m = refused(|ctx, f| {
        let loads = f.find_all::<LoadOp>(ctx);
        loads[0]
            .op()
            .move_before(ctx, loops(ctx, f)[0].body(ctx).ops(ctx)[0]);
    });
    assert_eq!(m, "the load from 'A' would be parted from its iteration");
}

#[test]
fn loops_that_change_places_are_seen() {
    let m = refused(|ctx, f| {
        let l = loops(ctx, f);
        l[1].op().move_before(ctx, l[0].op());
    });
    assert_eq!(m, "it would reverse the flow dependence on 'B'");
}

#[test]
fn what_a_step_proves_itself_is_left_to_it() {
    let promise = Promise {
        storage: true,
        ..Promise::default()
    };
    let (result, _) = verdict(COPY, promise, |ctx, f| {
        loops(ctx, f)[0].op().set_attr(ctx, "touched", ctx.unit());
        f.find_all::<StoreOp>(ctx)[0].op().erase(ctx);
    });
    assert_eq!(result, Ok(()));
}
