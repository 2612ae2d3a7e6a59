//! The kernels that machines are measured with, as MLIR text.
//!
//! What is computed is stored at the end, and begins with numbers that differ from chain to
//! chain, so that nothing can be left out.

use std::fmt::Write;

/// Threads of a block where not said otherwise.
pub const THREADS: u32 = 256;
/// Chains of operations of a thread, enough to hide the latency of one.
pub const CHAINS: usize = 8;
/// Operations of a chain in an iteration.
pub const STEPS: usize = 4;
/// Loads of 16 bytes of a thread in an iteration of the bandwidth kernels.
pub const LOADS: usize = 4;

fn module(name: &str, params: &str, threads: u32, workgroup: &str, body: &str) -> String {
    format!(
        "gpu.module @{name} {{\n  gpu.func @{name}({params}) {workgroup} kernel \
         attributes {{known_block_size = array<i32: {threads}, 1, 1>}} {{\n\
         %c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n\
         %t = gpu.thread_id x\n%block = gpu.block_id x\n{body}gpu.return\n  }}\n}}\n"
    )
}

/// `empty(n: index)`.
pub fn empty() -> String {
    module("empty", "%n: index", 32, "", "")
}

/// `copy(a, b: memref<?xf32>)`: 16 bytes a thread.
pub fn copy() -> String {
    module(
        "copy",
        "%a: memref<?xf32> {llvm.noalias}, %b: memref<?xf32> {llvm.noalias}",
        THREADS,
        "",
        "%c4 = arith.constant 4 : index\n%c1024 = arith.constant 1024 : index\n\
         %first = arith.muli %block, %c1024 : index\n%mine = arith.muli %t, %c4 : index\n\
         %i = arith.addi %first, %mine : index\n\
         %v = vector.load %a[%i] : memref<?xf32>, vector<4xf32>\n\
         vector.store %v, %b[%i] : memref<?xf32>, vector<4xf32>\n",
    )
}

/// `second_level(a: memref<?xf32>, out: memref<?xf32>, apart: index, n: index)`: blocks of
/// 1024 threads read the array round and round, each from a place of its own, `apart` groups
/// of four elements from that of the one before; so that no two of a multiprocessor share
/// lines of its first-level cache. The array has `elements`, a power of two.
pub fn second_level(elements: usize) -> String {
    let mut body = format!(
        "%mask = arith.constant {} : index\n%c4 = arith.constant 4 : index\n\
         %start = arith.muli %block, %apart : index\n%own = arith.addi %start, %t : index\n\
         %zero = arith.constant dense<0.0> : vector<4xf32>\n\
         %step = arith.constant {} : index\n\
         %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s0 = %zero) -> (vector<4xf32>) {{\n\
         %far = arith.muli %k, %step : index\n%at = arith.addi %own, %far : index\n",
        elements / 4 - 1,
        1024 * LOADS,
    );
    for l in 0..LOADS {
        let _ = write!(
            body,
            "%o{l} = arith.constant {} : index\n%p{l} = arith.addi %at, %o{l} : index\n\
             %m{l} = arith.andi %p{l}, %mask : index\n%i{l} = arith.muli %m{l}, %c4 : index\n\
             %v{l} = vector.load %a[%i{l}] : memref<?xf32>, vector<4xf32>\n\
             %s{} = arith.addf %s{l}, %v{l} : vector<4xf32>\n",
            1024 * l,
            l + 1,
        );
    }
    let _ = write!(
        body,
        "scf.yield %s{LOADS} : vector<4xf32>\n}}\n\
         %first = vector.extract %sum[0] : f32 from vector<4xf32>\n\
         %second = vector.extract %sum[1] : f32 from vector<4xf32>\n\
         %third = vector.extract %sum[2] : f32 from vector<4xf32>\n\
         %fourth = vector.extract %sum[3] : f32 from vector<4xf32>\n\
         %a1 = arith.addf %first, %second : f32\n%a2 = arith.addf %third, %fourth : f32\n\
         %all = arith.addf %a1, %a2 : f32\n{}",
        store("%all", "f32", 1024),
    );
    module(
        "second_level",
        "%a: memref<?xf32>, %out: memref<?xf32> {llvm.noalias}, %apart: index, %n: index",
        1024,
        "",
        &body,
    )
}

/// A store of a value to the thread's place in `%out`.
fn store(value: &str, ty: &str, threads: u32) -> String {
    format!(
        "%bt = arith.constant {threads} : index\n%place = arith.muli %block, %bt : index\n\
         %to = arith.addi %place, %t : index\n\
         memref.store {value}, %out[%to] : memref<?x{ty}>\n"
    )
}

/// `shared(out: memref<?xf32>, n: index)`: blocks of 1024 threads read shared memory, 16
/// bytes a thread next to each other.
pub fn shared() -> String {
    let mut body = "%c4 = arith.constant 4 : index\n%c6144 = arith.constant 6144 : index\n\
         %c1024 = arith.constant 1024 : index\n%c128 = arith.constant 128 : index\n\
         %c7 = arith.constant 7 : index\n%zero = arith.constant dense<0.0> : vector<4xf32>\n\
         scf.for %k = %t to %c6144 step %c1024 {\n%w = arith.index_cast %k : index to i32\n\
         %x = arith.sitofp %w : i32 to f32\nmemref.store %x, %sh[%k] : memref<6144xf32, 3>\n}\n\
         gpu.barrier\n%mine = arith.muli %t, %c4 : index\n\
         %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s0 = %zero) -> (vector<4xf32>) {\n\
         %turn = arith.andi %k, %c7 : index\n%far = arith.muli %turn, %c128 : index\n\
         %at = arith.addi %mine, %far : index\n"
        .to_string();
    for l in 0..LOADS {
        let _ = write!(
            body,
            "%o{l} = arith.constant {} : index\n%i{l} = arith.addi %at, %o{l} : index\n\
             %v{l} = vector.load %sh[%i{l}] : memref<6144xf32, 3>, vector<4xf32>\n\
             %s{} = arith.addf %s{l}, %v{l} : vector<4xf32>\n",
            l * 256,
            l + 1,
        );
    }
    let _ = write!(
        body,
        "scf.yield %s{LOADS} : vector<4xf32>\n}}\n\
         %first = vector.extract %sum[0] : f32 from vector<4xf32>\n\
         %second = vector.extract %sum[1] : f32 from vector<4xf32>\n\
         %third = vector.extract %sum[2] : f32 from vector<4xf32>\n\
         %fourth = vector.extract %sum[3] : f32 from vector<4xf32>\n\
         %a1 = arith.addf %first, %second : f32\n%a2 = arith.addf %third, %fourth : f32\n\
         %all = arith.addf %a1, %a2 : f32\n{}",
        store("%all", "f32", 1024),
    );
    module(
        "shared",
        "%out: memref<?xf32> {llvm.noalias}, %n: index",
        1024,
        "workgroup(%sh: memref<6144xf32, 3>)",
        &body,
    )
}

/// `chase(a: memref<?xi64>, out: memref<?xi64>, n: index)`: one thread follows indices, from
/// the one that `out` holds, which gets the last one.
pub fn chase() -> String {
    module(
        "chase",
        "%a: memref<?xi64>, %out: memref<?xi64> {llvm.noalias}, %n: index",
        1,
        "",
        "%w = memref.load %out[%c0] : memref<?xi64>\n%start = arith.index_cast %w : i64 to index\n\
         %end = scf.for %k = %c0 to %n step %c1 iter_args(%at = %start) -> (index) {\n\
         %v = memref.load %a[%at] : memref<?xi64>\n%next = arith.index_cast %v : i64 to index\n\
         scf.yield %next : index\n}\n%last = arith.index_cast %end : index to i64\n\
         memref.store %last, %out[%c0] : memref<?xi64>\n",
    )
}

/// `chase_shared(out: memref<?xi64>, n: index)`: the same in shared memory, 1024 elements.
pub fn chase_shared() -> String {
    module(
        "chase_shared",
        "%out: memref<?xi64> {llvm.noalias}, %n: index",
        1,
        "workgroup(%sh: memref<1024xi64, 3>)",
        "%c1024 = arith.constant 1024 : index\n%c1023 = arith.constant 1023 : index\n\
         %c5 = arith.constant 5 : index\n%c331 = arith.constant 331 : index\n\
         scf.for %k = %c0 to %c1024 step %c1 {\n%m = arith.muli %k, %c5 : index\n\
         %p = arith.addi %m, %c331 : index\n%to = arith.andi %p, %c1023 : index\n\
         %w = arith.index_cast %to : index to i64\n\
         memref.store %w, %sh[%k] : memref<1024xi64, 3>\n}\ngpu.barrier\n\
         %end = scf.for %k = %c0 to %n step %c1 iter_args(%at = %c0) -> (index) {\n\
         %v = memref.load %sh[%at] : memref<1024xi64, 3>\n\
         %next = arith.index_cast %v : i64 to index\nscf.yield %next : index\n}\n\
         %last = arith.index_cast %end : index to i64\n\
         memref.store %last, %out[%c0] : memref<?xi64>\n",
    )
}

/// `NAME(x: TY, y: TY, out: memref<?xTY>, n: index)`: multiply-adds from registers, of f32,
/// f64 or i32.
pub fn multiply_add(name: &str, ty: &str) -> String {
    let float = ty.starts_with('f');
    let mut body = String::new();
    for c in 0..CHAINS {
        let (value, add) = if float {
            (format!("{c}.5"), "addf")
        } else {
            (format!("{}", 2 * c + 3), "addi")
        };
        let _ = write!(
            body,
            "%k{c} = arith.constant {value} : {ty}\n%b{c} = arith.{add} %x, %k{c} : {ty}\n"
        );
    }
    let list = |prefix: &str, suffix: &str| {
        let all: Vec<String> = (0..CHAINS)
            .map(|c| format!("%{prefix}{c}{suffix}"))
            .collect();
        all.join(", ")
    };
    let inits: Vec<String> = (0..CHAINS).map(|c| format!("%a{c}_0 = %b{c}")).collect();
    let types = [ty; CHAINS].join(", ");
    let _ = writeln!(
        body,
        "%r:{CHAINS} = scf.for %k = %c0 to %n step %c1 iter_args({}) -> ({types}) {{",
        inits.join(", ")
    );
    for s in 0..STEPS {
        for c in 0..CHAINS {
            let _ = match float {
                true => writeln!(body, "%a{c}_{} = math.fma %a{c}_{s}, %x, %y : {ty}", s + 1),
                false => writeln!(
                    body,
                    "%m{c}_{s} = arith.muli %a{c}_{s}, %x : {ty}\n\
                     %a{c}_{} = arith.addi %m{c}_{s}, %y : {ty}",
                    s + 1
                ),
            };
        }
    }
    let add = if float { "addf" } else { "addi" };
    let _ = writeln!(
        body,
        "scf.yield {} : {types}\n}}",
        list("a", &format!("_{STEPS}"))
    );
    for c in 1..CHAINS {
        let before = if c == 1 {
            "%r#0".to_string()
        } else {
            format!("%z{}", c - 1)
        };
        let _ = writeln!(body, "%z{c} = arith.{add} {before}, %r#{c} : {ty}");
    }
    body.push_str(&store(&format!("%z{}", CHAINS - 1), ty, THREADS));
    let params = format!("%x: {ty}, %y: {ty}, %out: memref<?x{ty}> {{llvm.noalias}}, %n: index");
    module(name, &params, THREADS, "", &body)
}

/// Multiply-adds of the chain in [`clocks`] in an iteration.
pub const CHAIN: usize = 64;

/// `clocks(out: address of two u64, n: u64)` in PTX: one thread does `n` times [`CHAIN`]
/// multiply-adds, each of which needs the one before it, and stores the clocks that this
/// took, and a number that makes all of them needed.
pub fn clocks() -> String {
    let chain = "    fma.rn.f32 %f1, %f1, %f2, %f3;\n".repeat(CHAIN);
    format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n\
         .visible .entry clocks(.param .u64 out, .param .u64 n)\n{{\n\
         .reg .pred %p;\n.reg .b64 %d<8>;\n.reg .f32 %f<4>;\n.reg .b32 %r<2>;\n\
         ld.param.u64 %d1, [out];\nld.param.u64 %d2, [n];\n\
         cvt.rn.f32.u64 %f1, %d2;\nmov.f32 %f2, 0f3F000000;\nmov.f32 %f3, 0f3E800000;\n\
         mov.u64 %d3, 0;\nmov.u64 %d4, %clock64;\n\
         again:\n{chain}add.u64 %d3, %d3, 1;\nsetp.lt.u64 %p, %d3, %d2;\n@%p bra again;\n\
         mov.u64 %d5, %clock64;\nsub.u64 %d6, %d5, %d4;\nst.global.u64 [%d1], %d6;\n\
         mov.b32 %r1, %f1;\nst.global.u32 [%d1+8], %r1;\nret;\n}}\n"
    )
}

/// A product of the matrix units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matrix {
    /// Of the kernel.
    pub name: &'static str,
    /// Type of the factors, as an element type of MLIR.
    pub input: &'static str,
    /// Type of the sums, `f32` or `f64`.
    pub sum: &'static str,
    pub shape: [u32; 3],
    /// The vectors that a thread has of the first factor, the second and the sum.
    pub vectors: [&'static str; 3],
}

pub const F64: Matrix = Matrix {
    name: "matrix_f64",
    input: "f64",
    sum: "f64",
    shape: [8, 8, 4],
    vectors: ["1x1", "1x1", "1x2"],
};
/// From sm_90 on; twice the rate of the small shape there.
pub const F64_LARGE: Matrix = Matrix {
    name: "matrix_f64_large",
    shape: [16, 8, 16],
    vectors: ["8x1", "4x1", "2x2"],
    ..F64
};
pub const TF32: Matrix = Matrix {
    name: "matrix_tf32",
    input: "f32",
    sum: "f32",
    shape: [16, 8, 8],
    vectors: ["4x1", "2x1", "2x2"],
};
/// The shape that sm_75 has.
pub const F16_SMALL: Matrix = Matrix {
    name: "matrix_f16_small",
    shape: [16, 8, 8],
    vectors: ["2x2", "1x2", "2x2"],
    ..F16
};
pub const F16: Matrix = Matrix {
    name: "matrix_f16",
    input: "f16",
    sum: "f32",
    shape: [16, 8, 16],
    vectors: ["4x2", "2x2", "2x2"],
};

impl Matrix {
    /// Operations of one product of a warp.
    pub fn operations(&self) -> f64 {
        2.0 * self.shape.iter().map(|n| f64::from(*n)).product::<f64>()
    }

    /// `NAME(x: SUM, out: memref<?xSUM>, n: index)`.
    pub fn text(&self) -> String {
        let Matrix { input, sum, .. } = self;
        let [va, vb, vc] = self.vectors.map(|v| format!("vector<{v}x"));
        let (va, vb, vc) = (
            format!("{va}{input}>"),
            format!("{vb}{input}>"),
            format!("{vc}{sum}>"),
        );
        let shape = self.shape.map(|n| n.to_string()).join(", ");
        let tf32 = if *input == "f32" { ", tf32Enabled" } else { "" };
        let mut body = match input == sum {
            true => format!("%zx = arith.constant 0.0 : {sum}\n%f = arith.addf %x, %zx : {sum}\n"),
            false => format!("%f = arith.truncf %x : {sum} to {input}\n"),
        };
        let _ = write!(
            body,
            "%fa = vector.broadcast %f : {input} to {va}\n\
             %fb = vector.broadcast %f : {input} to {vb}\n"
        );
        for c in 0..CHAINS {
            let _ = write!(
                body,
                "%k{c} = arith.constant {c}.5 : {sum}\n%b{c} = arith.addf %x, %k{c} : {sum}\n\
                 %i{c} = vector.broadcast %b{c} : {sum} to {vc}\n"
            );
        }
        let inits: Vec<String> = (0..CHAINS).map(|c| format!("%a{c}_0 = %i{c}")).collect();
        let types = [vc.as_str(); CHAINS].join(", ");
        let _ = writeln!(
            body,
            "%r:{CHAINS} = scf.for %k = %c0 to %n step %c1 iter_args({}) -> ({types}) {{",
            inits.join(", ")
        );
        for s in 0..STEPS {
            for c in 0..CHAINS {
                let _ = writeln!(
                    body,
                    "%a{c}_{} = nvgpu.mma.sync(%fa, %fb, %a{c}_{s}) {{mmaShape = [{shape}]{tf32}}} \
                     : ({va}, {vb}, {vc}) -> {vc}",
                    s + 1
                );
            }
        }
        let all: Vec<String> = (0..CHAINS).map(|c| format!("%a{c}_{STEPS}")).collect();
        let _ = writeln!(body, "scf.yield {} : {types}\n}}", all.join(", "));
        for c in 0..CHAINS {
            let _ = writeln!(
                body,
                "%e{c} = vector.extract %r#{c}[0, 0] : {sum} from {vc}"
            );
        }
        for c in 1..CHAINS {
            let before = if c == 1 {
                "%e0".to_string()
            } else {
                format!("%z{}", c - 1)
            };
            let _ = writeln!(body, "%z{c} = arith.addf {before}, %e{c} : {sum}");
        }
        body.push_str(&store(&format!("%z{}", CHAINS - 1), sum, THREADS));
        let params = format!("%x: {sum}, %out: memref<?x{sum}> {{llvm.noalias}}, %n: index");
        module(self.name, &params, THREADS, "", &body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects::gpu::ModuleOp;
    use crate::ir::OpKind;
    use crate::run::executor::Program;
    use crate::targets::gpu_to_ptx::{GpuOptions, compile};

    fn ptx(text: &str) -> String {
        let program = Program::new("k.mlir", text).unwrap();
        let module = program.module.find_all::<ModuleOp>(&program.ctx)[0];
        let options = GpuOptions {
            pointer_align: 256,
            ..GpuOptions::default()
        };
        compile(&program.ctx, module.op(), &options).unwrap().ptx
    }

    /// How often an instruction stands in the innermost loop, and the body's text.
    fn in_loop(text: &str, instruction: &str) -> (usize, String) {
        let ptx = ptx(text);
        let label = |l: &&str| l.starts_with('$') && l.ends_with(':');
        // The last label that is branched back to, up to that branch.
        let lines: Vec<&str> = ptx.lines().collect();
        let mut best = (0, String::new());
        for (i, l) in lines.iter().enumerate().filter(|(_, l)| label(l)) {
            let to = format!("bra {};", l.trim_end_matches(':'));
            if let Some(n) = lines[i..].iter().position(|l| l.ends_with(&to)) {
                let body = &lines[i..i + n];
                let count = body.iter().filter(|l| l.contains(instruction)).count();
                if count > best.0 {
                    best = (count, body.join("\n"));
                }
            }
        }
        best
    }

    #[test]
    fn nothing_that_is_measured_is_optimised_away() {
        let chains = CHAINS * STEPS;
        for (name, ty, what) in [
            ("a", "f32", "fma.rn.f32"),
            ("b", "f64", "fma.rn.f64"),
            ("c", "i32", "mul.lo.s32"),
        ] {
            let (n, body) = in_loop(&multiply_add(name, ty), what);
            assert!(
                n >= chains && n.is_multiple_of(chains),
                "{ty}: {n} in\n{body}"
            );
        }
        for m in [F64, F64_LARGE, TF32, F16, F16_SMALL] {
            let (n, body) = in_loop(&m.text(), "mma.sync");
            assert!(
                n >= chains && n.is_multiple_of(chains),
                "{}: {n} in\n{body}",
                m.name
            );
        }
        let (n, body) = in_loop(&second_level(4 << 20), "ld.global");
        assert!(n >= LOADS && body.contains("v4.f32"), "{n} in\n{body}");
        let (n, body) = in_loop(&shared(), "ld.shared.v4.f32");
        assert!(n >= LOADS, "{n} in\n{body}");
        for (text, what) in [(chase(), "ld.global"), (chase_shared(), "ld.shared")] {
            let (n, body) = in_loop(&text, what);
            assert!(n >= 1, "{n} in\n{body}");
        }
        assert!(ptx(&copy()).contains("st.global.v4"));
    }
}
