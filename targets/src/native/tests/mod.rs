//! Programs compiled and run, with results worked out by hand.

mod aarch64;
mod branches;
mod control;
mod divisions;
mod errors;
mod extremes;
mod gpu;
mod memory;
mod numbers;
mod object;
mod parallel;
mod random;
mod real;
mod shifts;
mod vector_forms;
mod vectors;
mod wide;

use super::{
    Level, MemRef, NativeArg, NativeError, NativeModule, NativeOptions, OptLevel, compile,
};
use terrace_ir::text::parser::{Source, parse};
use terrace_ir::{Context, Loc, Op};

fn parsed(text: &str) -> (Context, Op) {
    let mut ctx = terrace_dialects::context();
    let Some(module) = parse(&mut ctx, &Source::new("t.mlir", text)) else {
        panic!("does not parse: {:#?}", ctx.take_diagnostics());
    };
    assert!(
        terrace_ir::verify::verify(&ctx, module),
        "does not verify: {:#?}",
        ctx.take_diagnostics()
    );
    (ctx, module)
}

/// Compile with options and imports.
fn compiled_with(
    text: &str,
    options: &NativeOptions,
    imports: &[(&str, *const u8)],
) -> (Context, NativeModule) {
    let (ctx, module) = parsed(text);
    match compile(&ctx, module, options, imports) {
        Ok(m) => (ctx, m),
        Err(e) => panic!("does not compile: {e:#?}"),
    }
}

fn compiled(text: &str) -> (Context, NativeModule) {
    compiled_with(text, &NativeOptions::default(), &[])
}

/// The messages of a module that does not compile, with the lines they are at.
fn compile_errors(text: &str) -> Vec<(u32, String)> {
    let (ctx, module) = parsed(text);
    match compile(&ctx, module, &NativeOptions::default(), &[]) {
        Ok(_) => panic!("compiles"),
        Err(e) => e.into_iter().map(|(l, m)| (line(&ctx, l), m)).collect(),
    }
}

fn line(ctx: &Context, loc: Loc) -> u32 {
    loc.file_pos(ctx).map_or(0, |p| p.1)
}

fn call(m: &NativeModule, f: &str, args: &[NativeArg]) -> Result<Vec<NativeArg>, NativeError> {
    // SAFETY: each test hands over memory of the size its program says.
    unsafe { m.call(f, args) }
}

fn results(m: &NativeModule, f: &str, args: &[NativeArg]) -> Vec<NativeArg> {
    match call(m, f, args) {
        Ok(v) => v,
        Err(e) => panic!("@{f} failed: {e}"),
    }
}

fn int(v: i128) -> NativeArg {
    NativeArg::Int(v)
}

fn float(v: f64) -> NativeArg {
    NativeArg::Float(v)
}

/// A row-major array as an argument.
fn array<T>(v: &mut [T], sizes: &[i64]) -> NativeArg {
    assert_eq!(v.len() as i64, sizes.iter().product::<i64>());
    NativeArg::MemRef(MemRef::row_major(v.as_mut_ptr().cast(), sizes))
}

/// Both levels of optimisation, with and without bounds checks, and with each length of vectors
/// that this machine has.
fn all_options() -> Vec<NativeOptions> {
    let mut v = Vec::new();
    for opt_level in [OptLevel::None, OptLevel::Speed] {
        for bounds_checks in [false, true] {
            v.push(NativeOptions {
                opt_level,
                bounds_checks,
                ..NativeOptions::default()
            });
        }
    }
    v.extend(levels().into_iter().map(at_level));
    v
}

/// The levels of code of our own that run on this machine.
fn levels() -> Vec<Level> {
    let here = super::level_here();
    let all = [Level::V3, Level::V4].into_iter();
    all.filter(|l| Some(*l) <= here).collect()
}

fn at_level(level: Level) -> NativeOptions {
    NativeOptions {
        level: Some(level),
        listing: true,
        ..NativeOptions::default()
    }
}

/// Bodies of functions of two arguments of one type, and their results.
fn binary_cases(ty: &str, cases: &[(&str, NativeArg, NativeArg, NativeArg)]) {
    let mut text = String::new();
    for (i, (op, ..)) in cases.iter().enumerate() {
        text += &format!(
            "func.func @f{i}(%a: {ty}, %b: {ty}) -> {ty} {{\n  %r = {op} %a, %b : {ty}\n  return %r : {ty}\n}}\n"
        );
    }
    let (_, m) = compiled(&text);
    for (i, (op, a, b, want)) in cases.iter().enumerate() {
        let have = results(&m, &format!("f{i}"), &[a.clone(), b.clone()]);
        assert!(
            same(&have[0], want),
            "{op} of {a:?} and {b:?} : {ty} is {have:?}, not {want:?}"
        );
    }
}

/// Equal, with NaN equal to NaN and zeros told apart.
fn same(a: &NativeArg, b: &NativeArg) -> bool {
    match (a, b) {
        (NativeArg::Float(x), NativeArg::Float(y)) => {
            x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan()
        }
        _ => a == b,
    }
}
