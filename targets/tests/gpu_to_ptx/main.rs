//! `gpu.module`s to PTX: patterns in the text, what NVIDIA's assembler says of
//! it, and the messages for what cannot be compiled.

mod bounds;
mod errors;
mod kernels;
mod memory;
mod readable;
mod scalars;
mod tensor;

use terrace_dialects::gpu;
use terrace_ir::text::parser::{Source, parse};
use terrace_ir::{Context, OpKind, verify};
use terrace_targets::gpu_to_ptx::{GpuBinary, GpuOptions, compile};
use terrace_targets::ptx::ptxas::Ptxas;

const ARCHS: [&str; 4] = ["sm_75", "sm_80", "sm_90", "sm_100"];

fn options(arch: &str) -> GpuOptions {
    GpuOptions {
        arch: arch.to_string(),
        ..GpuOptions::default()
    }
}

/// Compiles the one gpu.module of a text; errors as `line: message`.
fn compile_with(text: &str, options: &GpuOptions) -> Result<GpuBinary, Vec<String>> {
    compile_in(terrace_dialects::context(), text, options)
}

fn compile_in(
    mut ctx: Context,
    text: &str,
    options: &GpuOptions,
) -> Result<GpuBinary, Vec<String>> {
    let module = parse(&mut ctx, &Source::new("test.mlir", text));
    let module = module.unwrap_or_else(|| panic!("{:?}\n{text}", ctx.take_diagnostics()));
    verify::verify(&ctx, module);
    let diagnostics = ctx.take_diagnostics();
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let op = module.find_all::<gpu::ModuleOp>(&ctx)[0];
    compile(&ctx, OpKind::op(op), options).map_err(|errors| {
        let line = |(loc, message): (terrace_ir::Loc, String)| match loc.file_pos(&ctx) {
            Some((_, line, _)) => format!("{line}: {message}"),
            None => message,
        };
        errors.into_iter().map(line).collect()
    })
}

/// Wraps functions into a gpu.module.
fn in_module(functions: &str) -> String {
    format!("gpu.module @m {{\n{functions}\n}}\n")
}

/// Compiles for every architecture, has each text assembled where there is an
/// assembler, and returns the text for sm_90.
fn ptx(functions: &str) -> String {
    binary(functions).ptx
}

/// NVIDIA's assembler; where there is none, that is said.
fn assembler() -> Option<&'static Ptxas> {
    let ptxas = Ptxas::find();
    if ptxas.is_none() {
        terrace_lit::feature::skip("ptxas", "assembling the kernels");
    }
    ptxas
}

fn binary(functions: &str) -> GpuBinary {
    let text = in_module(functions);
    let ptxas = assembler();
    let mut result = None;
    for arch in ARCHS {
        let binary =
            compile_with(&text, &options(arch)).unwrap_or_else(|e| panic!("{arch}: {e:#?}"));
        if let Some(ptxas) = ptxas.as_ref().filter(|p| p.knows(arch))
            && let Err(e) = ptxas.assemble_unoptimised(&binary.ptx, arch)
        {
            panic!("{arch}: {e}\n{}", binary.ptx);
        }
        if arch == "sm_90" {
            result = Some(binary);
        }
    }
    result.unwrap()
}

/// Each piece must stand in the text after the one before it.
#[track_caller]
fn expect(ptx: &str, pieces: &[&str]) {
    let mut at = 0;
    for piece in pieces {
        match ptx[at..].find(piece) {
            Some(found) => at += found + piece.len(),
            None => panic!("no `{piece}` after byte {at} of\n{ptx}"),
        }
    }
}

#[track_caller]
fn count(ptx: &str, piece: &str, n: usize) {
    assert_eq!(ptx.matches(piece).count(), n, "`{piece}` in\n{ptx}");
}

#[track_caller]
fn expect_errors(functions: &str, wanted: &[&str]) {
    let found = compile_with(&in_module(functions), &options("sm_90")).expect_err("it compiles");
    for w in wanted {
        assert!(
            found.iter().any(|f| f.contains(w)),
            "no `{w}` in {found:#?}"
        );
    }
    assert_eq!(found.len(), wanted.len(), "{found:#?}");
}
