//! A function of arrays of arguments: as a kernel on the emulator, and as expanded IR in the
//! interpreter.

use terrace::run::bind::Value as Argument;
use terrace::run::executor::Program;
use terrace::run::make;
use terrace::run::options::{RunOptions, Target};
use terrace::runtime::buffer::HostBuffer;
use terrace::runtime::dtype::{DType, Scalar};
use terrace::targets::interp::Interpreter;

/// A function of one or two arguments, over arrays of them.
fn program(op: &str, ty: &str, the_loop: &str) -> String {
    let (op, flags) = op.split_once(' ').unwrap_or((op, ""));
    let binary = ["math.powf", "math.atan2", "arith.remf", "arith.divf"].contains(&op);
    let operands = if binary { "%a, %b" } else { "%a" };
    format!(
        "func.func @main(%x: memref<?x{ty}>, %y: memref<?x{ty}>, %r: memref<?x{ty}>, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  {the_loop} {{
    %a = memref.load %x[%i] : memref<?x{ty}>
    %b = memref.load %y[%i] : memref<?x{ty}>
    %v = {op} {operands} {flags} : {ty}
    memref.store %v, %r[%i] : memref<?x{ty}>
  }}
  return
}}"
    )
}

/// The kernel of a function as PTX on the emulator, for each pair; nothing may be wrong
/// with it.
pub(super) fn emulated(op: &str, ty: &str, pairs: &[(f64, f64)]) -> Vec<f64> {
    let text = program(op, ty, "scf.parallel (%i) = (%c0) to (%n) step (%c1)");
    let p = Program::new("math.mlir", &text).unwrap_or_else(|d| panic!("{d:?}"));
    let entry = p.entry(Some("main")).expect("the entry");
    let options = RunOptions {
        target: Target::Emulator,
        ..RunOptions::default()
    };
    let mut run = make(p, &entry, &options).unwrap_or_else(|e| panic!("{op} on {ty}: {e}"));
    let array = |values: Vec<f64>| {
        let shape = [values.len()];
        let buffer = match ty {
            "f32" => {
                let narrow: Vec<f32> = values.iter().map(|v| *v as f32).collect();
                HostBuffer::from_slice(&shape, &narrow)
            }
            _ => HostBuffer::from_slice(&shape, &values),
        };
        Argument::Array(buffer.expect("there is memory"))
    };
    let x: Vec<f64> = pairs.iter().map(|p| p.0).collect();
    let n = Scalar::from_bits(DType::Index, pairs.len() as u64);
    let mut args = vec![
        array(x.clone()),
        array(pairs.iter().map(|p| p.1).collect()),
        array(x),
        Argument::Scalar(n),
    ];
    if let Err(d) = run.call(&mut args) {
        panic!("{op} on {ty}: {d:?}");
    }
    let Argument::Array(out) = &args[2] else {
        panic!("the results are no array");
    };
    (0..pairs.len())
        .map(|i| out.get_f64(i).expect("a result"))
        .collect()
}

const SHORT: [&str; 6] = [
    "math.erf",
    "math.exp",
    "math.exp2",
    "math.log",
    "math.log2",
    "math.rsqrt",
];

/// What the expanded IR gives, which the kernel must give to the last bit.
#[track_caller]
pub(super) fn expanded(op: &str, ty: &str, pairs: &[(f64, f64)]) -> Vec<f64> {
    let kernel = emulated(op, ty, pairs);
    // Those that the lowering has in a few instructions are not expanded there.
    if ty == "f32" && SHORT.contains(&op) {
        return kernel;
    }
    let interpreted = interpreted(op, ty, pairs);
    for ((p, a), b) in pairs.iter().zip(&interpreted).zip(&kernel) {
        assert!(
            a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
            "{op} on {ty} of {p:?}: the kernel gives {b:e}, the expanded IR {a:e}"
        );
    }
    interpreted
}

/// The expanded IR in the interpreter, for each pair.
fn interpreted(op: &str, ty: &str, pairs: &[(f64, f64)]) -> Vec<f64> {
    let bytes = if ty == "f32" { 4 } else { 8 };
    let text = program(op, ty, "scf.for %i = %c0 to %n step %c1");
    let mut p = Program::new("math.mlir", &text).unwrap_or_else(|d| panic!("{d:?}"));
    p.run_pipeline("builtin.module(expand-math-for-gpu{everywhere=true},canonicalize,cse)")
        .unwrap_or_else(|d| panic!("{d:?}"));
    assert!(!p.text().contains(op), "{op} is still there");
    let encode = |values: Vec<f64>| -> Vec<u8> {
        let one = |v: f64| match bytes {
            4 => (v as f32).to_le_bytes().to_vec(),
            _ => v.to_le_bytes().to_vec(),
        };
        values.into_iter().flat_map(one).collect()
    };
    let mut interp = Interpreter::new(&p.ctx, p.module);
    let elem = if bytes == 4 { p.ctx.f32() } else { p.ctx.f64() };
    let ty = p.ctx.memref(&[i64::MIN], elem);
    let n = pairs.len() as i64;
    let x = encode(pairs.iter().map(|p| p.0).collect());
    let y = encode(pairs.iter().map(|p| p.1).collect());
    let arrays: Vec<_> = [x.clone(), y, x]
        .iter()
        .map(|b| {
            interp
                .array(ty, &[n], b)
                .unwrap_or_else(|e| panic!("{e:?}"))
        })
        .collect();
    let mut args = arrays.clone();
    args.push(terrace::targets::interp::Value::Index(n));
    interp
        .call("main", args)
        .unwrap_or_else(|e| panic!("{op}: {e:?}"));
    let out = interp.read_array(&arrays[2]).expect("the results");
    out.bytes
        .chunks(bytes)
        .map(|c| match bytes {
            4 => f64::from(f32::from_le_bytes([c[0], c[1], c[2], c[3]])),
            _ => f64::from_le_bytes(c.try_into().expect("eight bytes")),
        })
        .collect()
}
