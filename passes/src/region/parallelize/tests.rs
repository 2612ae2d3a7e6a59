//! The same question has the same answer, and another one another.

use super::*;
use terrace_dialects::affine::StoreOp;
use terrace_ir::OpKind;
use terrace_ir::text::parser::{Source, parse};

/// Another order of its loops has more parallel ones.
const TEXT: &str = r#"func.func @f(%A: memref<?x?xf64> {acc.name = "A"}, %x: memref<?xf64> {acc.name = "x"}, %y: memref<?xf64> {acc.name = "y"}, %n: index) attributes {acc.region = {construct = "auto", source = "scop"}} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %x[%i] : memref<?xf64>
      %c = affine.load %y[%j] : memref<?xf64>
      %p = arith.mulf %a, %b : f64
      %s = arith.addf %c, %p : f64
      affine.store %s, %y[%j] : memref<?xf64>
    }
  }
  return
}"#;

fn parsed(ctx: &mut Context) -> Op {
    parse(ctx, &Source::new("t", TEXT)).expect("the program parses")
}

/// What `parallelize` makes of the module's function, and what it tells.
fn made(ctx: &mut Context, module: Op, options: &Options) -> (String, RegionNotes) {
    let function = module.find_all::<func::FuncOp>(ctx)[0].op();
    let (notes, diagnostics) = parallelize(ctx, function, options);
    assert_eq!(diagnostics, []);
    (ctx.op_text(module), notes)
}

#[test]
fn a_copy_becomes_what_the_first_became() {
    let ctx = &mut terrace_dialects::context();
    let (first, second) = {
        let first = parsed(ctx);
        (first, clone_op(ctx, first, &mut IrMapping::new()))
    };
    let before = ctx.op_text(first);
    let one = made(ctx, first, &Options::default());
    assert_ne!(one.0, before);
    assert!(!first.find_all::<ParallelOp>(ctx).is_empty(), "{}", one.0);
    assert_eq!(made(ctx, second, &Options::default()), one);
    // The second one is no part of the first.
    first.erase(ctx);
    assert_eq!(ctx.op_text(second), one.0);
}

#[test]
fn other_options_and_other_loops_are_asked_about_anew() {
    let ctx = &mut terrace_dialects::context();
    let module = parsed(ctx);
    let copies: Vec<Op> = (0..2)
        .map(|_| clone_op(ctx, module, &mut IrMapping::new()))
        .collect();
    let any_order = made(ctx, module, &Options::default()).0;
    let as_written = Options {
        schedule: Schedule::None,
        ..Options::default()
    };
    assert_ne!(made(ctx, copies[0], &as_written).0, any_order);
    // A loop that reads what the iteration before has written.
    let store = copies[1].find_all::<StoreOp>(ctx)[0].op();
    let x = copies[1].find_all::<func::FuncOp>(ctx)[0]
        .entry(ctx)
        .arg(ctx, 1);
    store.set_operand(ctx, 1, x);
    let other = made(ctx, copies[1], &Options::default()).0;
    let mut alone = terrace_dialects::context();
    let fresh = parsed(&mut alone);
    let store = fresh.find_all::<StoreOp>(&alone)[0].op();
    let x = fresh.find_all::<func::FuncOp>(&alone)[0]
        .entry(&alone)
        .arg(&alone, 1);
    store.set_operand(&alone, 1, x);
    assert_eq!(other, made(&mut alone, fresh, &Options::default()).0);
}
