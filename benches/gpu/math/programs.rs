//! Programs that evaluate one function: in loops for the CPU, in kernels for a GPU.

use super::functions::Function;
use terrace::dialects::gpu::ModuleOp;
use terrace::ir::OpKind;
use terrace::run::executor::Program;
use terrace::targets::gpu_to_ptx::{self, GpuBinary, GpuOptions};
use terrace::targets::native::{
    MemRef, NativeArg, NativeModule, NativeOptions, compile as compile_native,
};

fn made(text: &str, pipeline: &str) -> Program {
    let mut p = Program::new("math.mlir", text).unwrap_or_else(|d| panic!("{d:?}\n{text}"));
    p.run_pipeline(pipeline)
        .unwrap_or_else(|d| panic!("{d:?}\n{text}"));
    p
}

fn operands(f: &Function) -> &'static str {
    if f.is_binary() { "%a, %b" } else { "%a" }
}

/// Machine code of the expanded function, over arrays.
pub struct Native(NativeModule);

impl Native {
    /// Of elements of type `ty`, in MLIR's words.
    pub fn new(f: &Function, ty: &str) -> Native {
        let (op, operands) = (f.op(), operands(f));
        let text = format!(
            "func.func @main(%x: memref<?x{ty}>, %y: memref<?x{ty}>, %r: memref<?x{ty}>, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {{
    %a = memref.load %x[%i] : memref<?x{ty}>
    %b = memref.load %y[%i] : memref<?x{ty}>
    %v = {op} {operands} : {ty}
    memref.store %v, %r[%i] : memref<?x{ty}>
  }}
  return
}}"
        );
        let pipeline = "builtin.module(expand-math-for-gpu{everywhere=true},canonicalize,cse)";
        let p = made(&text, pipeline);
        let native = compile_native(&p.ctx, p.module, &NativeOptions::default(), &[]);
        let native = native.unwrap_or_else(|e| {
            let all: Vec<&String> = e.iter().map(|e| &e.1).collect();
            panic!("{op} on {ty}: {all:?}")
        });
        Native(native)
    }

    /// Evaluates the function on arrays of one length, of elements of the type that it
    /// was made for.
    pub fn run<T>(&self, x: &[T], y: &[T], out: &mut [T]) {
        let n = out.len();
        assert!(x.len() == n && y.len() == n, "arrays of one length");
        let array = |p: *const T| NativeArg::MemRef(MemRef::row_major(p as *mut u8, &[n as i64]));
        let args = [
            array(x.as_ptr()),
            array(y.as_ptr()),
            array(out.as_mut_ptr()),
            NativeArg::Int(n as i128),
        ];
        // SAFETY: the arrays have this many elements and live through the call; only
        // the last is written, and it is borrowed for that.
        let done = unsafe { self.0.call("main", &args) };
        done.unwrap_or_else(|e| panic!("{}", e.message));
    }
}

/// The kernels of a function as PTX: `over_range`, of the floats whose bits are
/// `first + stride * i`, and `over_arrays`. The op has the `fastmath` flags given.
pub fn kernels(f: &Function, ty: &str, arch: &str, flags: Option<&str>) -> GpuBinary {
    let (op, operands) = (f.op(), operands(f));
    let flags = flags.map_or(String::new(), |f| format!(" fastmath<{f}>"));
    let index = "      %b = gpu.block_id x
      %d = gpu.block_dim x
      %t = gpu.thread_id x
      %o = arith.muli %b, %d : index
      %i = arith.addi %o, %t : index";
    let bits = match ty {
        "f32" => "i32",
        _ => "i64",
    };
    let text = format!(
        "module attributes {{gpu.container_module}} {{
  gpu.module @m {{
    gpu.func @over_range(%r: memref<?x{ty}>, %first: {bits}, %stride: {bits}) kernel {{
{index}
      %k = arith.index_cast %i : index to {bits}
      %w = arith.muli %k, %stride : {bits}
      %s = arith.addi %w, %first : {bits}
      %a = arith.bitcast %s : {bits} to {ty}
      %bb = arith.bitcast %s : {bits} to {ty}
      %v = {op} {first_operands}{flags} : {ty}
      memref.store %v, %r[%i] : memref<?x{ty}>
      gpu.return
    }}
    gpu.func @over_arrays(%x: memref<?x{ty}>, %y: memref<?x{ty}>, %r: memref<?x{ty}>) kernel {{
{index}
      %a = memref.load %x[%i] : memref<?x{ty}>
      %bb = memref.load %y[%i] : memref<?x{ty}>
      %v = {op} {first_operands}{flags} : {ty}
      memref.store %v, %r[%i] : memref<?x{ty}>
      gpu.return
    }}
  }}
}}",
        first_operands = operands.replace("%b", "%bb"),
    );
    let p = made(
        &text,
        "builtin.module(expand-math-for-gpu,canonicalize,cse)",
    );
    let modules = p.module.find_all::<ModuleOp>(&p.ctx);
    let options = GpuOptions {
        arch: arch.to_string(),
        ..GpuOptions::default()
    };
    let binary = gpu_to_ptx::compile(&p.ctx, modules[0].op(), &options);
    binary.unwrap_or_else(|e| {
        let all: Vec<&String> = e.iter().map(|e| &e.1).collect();
        panic!("{op} on {ty}: {all:?}")
    })
}
