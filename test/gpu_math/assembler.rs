//! The text that NVIDIA's assembler takes.

use terrace::run::executor::Program;
use terrace::targets::gpu_to_ptx::{self, GpuOptions};
use terrace::targets::ptx::ptxas::Ptxas;

/// Every function on every width, in a kernel: the assembler must take it.
#[test]
fn kernels_with_all_functions_assemble() {
    let one = [
        "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc",
        "exp", "exp2", "expm1", "log", "log10", "log1p", "log2", "rsqrt", "sin", "sinh", "tan",
        "tanh",
    ];
    let mut body = String::new();
    for ty in ["f64", "f32", "f16"] {
        let mut last = format!("%x{ty}");
        for (i, f) in one.iter().enumerate() {
            body.push_str(&format!("      %{f}{ty} = math.{f} {last} : {ty}\n"));
            last = format!("%{f}{ty}");
            if i % 6 == 5 {
                body.push_str(&format!(
                    "      %p{i}{ty} = math.powf {last}, %x{ty} : {ty}\n"
                ));
                last = format!("%p{i}{ty}");
            }
        }
        body.push_str(&format!(
            "      %a{ty} = math.atan2 {last}, %x{ty} : {ty}\n      %r{ty} = arith.remf %a{ty}, %x{ty} : {ty}\n      %f{ty} = math.fpowi %r{ty}, %n : {ty}, i32\n      memref.store %f{ty}, %m{ty}[%t] : memref<?x{ty}>\n"
        ));
    }
    let text = format!(
        "module attributes {{gpu.container_module}} {{
  gpu.module @m {{
    gpu.func @k(%xf64: f64, %xf32: f32, %xf16: f16, %n: i32, %mf64: memref<?xf64>, %mf32: memref<?xf32>, %mf16: memref<?xf16>) kernel {{
      %t = gpu.thread_id x
{body}      gpu.return
    }}
  }}
}}"
    );
    let mut p = Program::new("math.mlir", &text).unwrap_or_else(|d| panic!("{d:?}"));
    p.run_pipeline("builtin.module(expand-math-for-gpu,canonicalize,cse)")
        .unwrap_or_else(|d| panic!("{d:?}"));
    let modules = p
        .module
        .find_all::<terrace::dialects::gpu::ModuleOp>(&p.ctx);
    let op = terrace::ir::OpKind::op(modules[0]);
    let binary = gpu_to_ptx::compile(&p.ctx, op, &GpuOptions::default());
    let binary =
        binary.unwrap_or_else(|e| panic!("{:?}", e.iter().map(|e| &e.1).collect::<Vec<_>>()));
    match Ptxas::find() {
        Some(ptxas) => {
            if let Err(e) = ptxas.assemble_unoptimised(&binary.ptx, "sm_90") {
                panic!("{e}");
            }
        }
        None => terrace_lit::feature::skip("ptxas", "assembling the functions"),
    }
}
