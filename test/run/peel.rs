//! Loops that `xfer-optimize` takes apart: what is left to do in loops, and the bytes that
//! move, beside the same loops whole.

use super::tools::root;
use std::fmt::Write;
use terrace::dialects::scf::ForOp;
use terrace::run::executor::Program;
use terrace::targets::interp::{Config, Interpreter, Value};

fn placed(text: &str, scheme: &str, passes: &str) -> Program {
    let mut p = Program::new("peel.mlir", text).expect("the programs are right");
    let passes = format!("builtin.module(xfer-insert{{scheme={scheme}}}{passes},xfer-check)");
    p.run_pipeline(&passes).expect("copies can be placed");
    p
}

/// The copies, asked and plain, that stand in loops of a function.
fn in_loops(p: &Program, function: &str) -> usize {
    let f = terrace::ir::symbols::lookup_name(&p.ctx, p.module, function);
    let ops = f.expect("the function is there").pre_order(&p.ctx);
    let moves = |o: &&terrace::ir::Op| matches!(o.name(&p.ctx), "xfer.copy" | "xfer.ensure");
    let inside = |o: &&terrace::ir::Op| o.parent_of::<ForOp>(&p.ctx).is_some();
    ops.iter().filter(moves).filter(inside).count()
}

fn bytes(p: &Program, function: &str, more: &[Value]) -> u64 {
    let mut interp = Interpreter::with_config(&p.ctx, p.module, Config::default());
    let ty = p.ctx.memref(&[8], p.ctx.f64());
    let content: Vec<u8> = (0..8).flat_map(|k| f64::from(k).to_le_bytes()).collect();
    let array = interp
        .array(ty, &[8], &content)
        .map_err(|e| e.render(&p.ctx));
    let mut args = vec![array.expect("an array")];
    args.extend(more.iter().cloned());
    let ran = interp.call(function, args).map_err(|e| e.render(&p.ctx));
    ran.expect("nothing stale is used");
    let c = interp.counters();
    c.to_device.bytes + c.to_host.bytes
}

#[test]
fn copies_leave_loops() {
    let file = root().join("test/passes/xfer/peel.mlir");
    let text = std::fs::read_to_string(file).expect("the programs are there");
    let kernel = placed(&text, "kernel", "");
    let whole = placed(&text, "kernel", ",xfer-optimize{peel=false}");
    let apart = placed(&text, "kernel", ",xfer-optimize");
    let index = Value::Index;
    let rows: [(&str, Vec<Value>); 4] = [
        ("first", vec![index(10)]),
        ("last", vec![]),
        ("before_the_end", vec![Value::int(32, 10)]),
        ("nest", vec![index(10), index(10)]),
    ];
    let mut table =
        String::from("function        in loops: plain whole apart  bytes: plain whole apart\n");
    for (name, args) in &rows {
        let left = [&kernel, &whole, &apart].map(|p| in_loops(p, name));
        let moved = [&kernel, &whole, &apart].map(|p| bytes(p, name, args));
        let _ = writeln!(table, "{name:<16} {left:?} {moved:?}");
    }
    println!("{table}");
    assert_eq!(
        table,
        "\
function        in loops: plain whole apart  bytes: plain whole apart
first            [2, 2, 0] [1280, 128, 128]
last             [2, 2, 0] [1280, 128, 128]
before_the_end   [2, 2, 0] [1280, 128, 128]
nest             [2, 1, 0] [12800, 128, 128]
"
    );
}
