//! Arithmetic of every width.

use super::*;

/// A kernel that loads two elements, applies an op, and stores the result.
fn binary_kernel(op: &str, ty: &str) -> String {
    format!(
        "gpu.func @k(%m: memref<?x{ty}>, %i: index) kernel {{
  %c0 = arith.constant 0 : index
  %a = memref.load %m[%i] : memref<?x{ty}>
  %b = memref.load %m[%c0] : memref<?x{ty}>
  %r = {op} %a, %b : {ty}
  memref.store %r, %m[%i] : memref<?x{ty}>
  gpu.return
}}"
    )
}

#[test]
fn integer_table() {
    const OPS: [&str; 18] = [
        "addi",
        "subi",
        "muli",
        "divsi",
        "divui",
        "remsi",
        "remui",
        "ceildivsi",
        "ceildivui",
        "floordivsi",
        "andi",
        "ori",
        "xori",
        "maxsi",
        "minui",
        "shli",
        "shrui",
        "shrsi",
    ];
    // The assembler is slow to start, so each type is one module.
    for ty in [
        "i1", "i8", "i13", "i16", "i24", "i32", "i48", "i64", "index",
    ] {
        let kernels: Vec<String> = OPS
            .iter()
            .map(|op| {
                binary_kernel(&format!("arith.{op}"), ty).replace("@k(", &format!("@k_{op}("))
            })
            .collect();
        ptx(&kernels.join("\n"));
    }
}

#[test]
fn integers_of_odd_width_stay_in_range() {
    let ptx = ptx(&binary_kernel("arith.addi", "i13"));
    expect(
        &ptx,
        &[
            "ld.global.u16",
            "add.s16",
            "and.b16",
            "8191",
            "st.global.u16",
        ],
    );
    let ptx = super::ptx(&binary_kernel("arith.shrsi", "i8"));
    expect(
        &ptx,
        &[
            "ld.global.u8",
            "cvt.s16.s8",
            "shr.s16",
            "and.b16",
            "255",
            "st.global.u8",
        ],
    );
    let ptx = super::ptx(&binary_kernel("arith.divsi", "i48"));
    expect(&ptx, &["shl.b64", "16;", "shr.s64", "div.s64", "and.b64"]);
}

#[test]
fn floats() {
    const OPS: [&str; 8] = [
        "addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "minnumf",
    ];
    for ty in ["f16", "bf16", "f32", "f64"] {
        let kernels: Vec<String> = OPS
            .iter()
            .map(|op| {
                binary_kernel(&format!("arith.{op}"), ty).replace("@k(", &format!("@k_{op}("))
            })
            .collect();
        let ptx = ptx(&kernels.join("\n"));
        match ty {
            "f32" => expect(
                &ptx,
                &[
                    "add.rn.f32",
                    "div.rn.f32",
                    "max.NaN.f32",
                    "min.NaN.f32",
                    "max.f32",
                    "min.f32",
                ],
            ),
            "f64" => expect(
                &ptx,
                &[
                    "add.rn.f64",
                    "div.rn.f64",
                    "max.f64",
                    "setp.nan.f64",
                    "selp.f64",
                ],
            ),
            "f16" => expect(&ptx, &["cvt.f32.f16", "add.rn.f32", "cvt.rn.f16.f32"]),
            _ => expect(&ptx, &["shl.b32", "16;", "add.rn.f32", "cvt.rn.bf16.f32"]),
        }
    }
}

#[test]
fn nan_rules_without_the_instruction() {
    let text = in_module(&binary_kernel("arith.maximumf", "f32"));
    let ptx = compile_with(&text, &options("sm_75")).unwrap().ptx;
    expect(&ptx, &["max.f32", "setp.nan.f32", "selp.f32", "0f7FFFFFFF"]);
}

#[test]
fn casts_and_comparisons() {
    ptx(r#"
gpu.func @k(%m: memref<?xf64>, %i: index, %b: i1, %c8: i8, %c5: i5, %f: f32, %h: f16, %bf: bf16, %l: i64) kernel {
  %i32 = arith.index_cast %i : index to i32
  %u32 = arith.index_castui %i : index to i32
  %idx = arith.index_cast %c5 : i5 to index
  %e0 = arith.extsi %b : i1 to i32
  %e1 = arith.extui %b : i1 to i64
  %e2 = arith.extsi %c8 : i8 to i64
  %e3 = arith.extui %c5 : i5 to i16
  %t0 = arith.trunci %i32 : i32 to i5
  %t1 = arith.trunci %l : i64 to i1
  %f0 = arith.sitofp %b : i1 to f32
  %f1 = arith.uitofp %c5 : i5 to f64
  %f2 = arith.sitofp %l : i64 to bf16
  %f3 = arith.uitofp %u32 : i32 to f16
  %g0 = arith.fptosi %f : f32 to i8
  %g1 = arith.fptoui %h : f16 to i64
  %g2 = arith.fptosi %bf : bf16 to i32
  %g3 = arith.fptoui %f1 : f64 to i1
  %x0 = arith.extf %bf : bf16 to f64
  %x1 = arith.truncf %f1 : f64 to bf16
  %x2 = arith.truncf %f1 : f64 to f16
  %x3 = arith.bitcast %f : f32 to i32
  %x4 = arith.bitcast %h : f16 to bf16
  %s, %o = arith.addui_extended %c5, %t0 : i5, i1
  %s2, %o2 = arith.addui_extended %e0, %i32 : i32, i1
  %lo, %hi = arith.mulsi_extended %c8, %g0 : i8
  %lo2, %hi2 = arith.mului_extended %l, %e1 : i64
  %lo3, %hi3 = arith.mulsi_extended %e0, %x3 : i32
  %p0 = arith.cmpi slt, %c5, %s : i5
  %p1 = arith.cmpi eq, %b, %o : i1
  %p2 = arith.cmpf ueq, %f0, %f : f32
  %p3 = arith.cmpf one, %x4, %f2 : bf16
  %p4 = arith.select %p0, %p1, %p2 : i1
  %v0 = arith.ori %p3, %p4 : i1
  %v1 = arith.andi %v0, %o2 : i1
  %v2 = arith.xori %v1, %t1 : i1
  %v3 = arith.xori %v2, %g3 : i1
  %w = arith.extui %v3 : i1 to i64
  %w1 = arith.addi %w, %hi2 : i64
  %w2 = arith.addi %w1, %e2 : i64
  %w3 = arith.addi %w2, %g1 : i64
  %w4 = arith.addi %w3, %lo2 : i64
  %hi64 = arith.extsi %hi : i8 to i64
  %w5 = arith.addi %w4, %hi64 : i64
  %hi364 = arith.extsi %hi3 : i32 to i64
  %w6 = arith.addi %w5, %hi364 : i64
  %e364 = arith.extui %e3 : i16 to i64
  %w7 = arith.addi %w6, %e364 : i64
  %g264 = arith.extsi %g2 : i32 to i64
  %w8 = arith.addi %w7, %g264 : i64
  %d = arith.sitofp %w8 : i64 to f64
  %d1 = arith.addf %d, %x0 : f64
  %xx1 = arith.extf %x1 : bf16 to f64
  %d2 = arith.addf %d1, %xx1 : f64
  %xx2 = arith.extf %x2 : f16 to f64
  %d3 = arith.addf %d2, %xx2 : f64
  %f3d = arith.extf %f3 : f16 to f64
  %d4 = arith.addf %d3, %f3d : f64
  memref.store %d4, %m[%idx] : memref<?xf64>
  gpu.return
}
"#);
}

#[test]
fn math() {
    let ptx = ptx(r#"
gpu.func @k(%m: memref<?xf32>, %d: memref<?xf64>, %h: memref<?xf16>, %n: memref<?xi8>, %w: memref<?xi64>, %i: index) kernel {
  %x = memref.load %m[%i] : memref<?xf32>
  %a0 = math.sqrt %x : f32
  %a1 = math.absf %a0 : f32
  %a2 = math.ceil %a1 : f32
  %a3 = math.floor %a2 : f32
  %a4 = math.round %a3 : f32
  %a5 = math.roundeven %a4 : f32
  %a6 = math.trunc %a5 : f32
  %a7 = math.copysign %a6, %x : f32
  %a8 = math.fma %a7, %x, %a0 : f32
  %b0 = math.exp2 %a8 fastmath<afn> : f32
  %b1 = math.log2 %b0 fastmath<afn> : f32
  %b2 = math.rsqrt %b1 fastmath<fast> : f32
  %b3 = math.sin %b2 fastmath<afn> : f32
  %b4 = math.cos %b3 fastmath<afn> : f32
  %b5 = math.tanh %b4 fastmath<afn> : f32
  memref.store %b5, %m[%i] : memref<?xf32>
  %y = memref.load %d[%i] : memref<?xf64>
  %y0 = math.sqrt %y : f64
  %y1 = math.round %y0 : f64
  %y2 = math.fma %y1, %y, %y : f64
  memref.store %y2, %d[%i] : memref<?xf64>
  %z = memref.load %h[%i] : memref<?xf16>
  %z0 = math.fma %z, %z, %z : f16
  %z1 = math.copysign %z0, %z : f16
  %z2 = math.absf %z1 : f16
  %z3 = math.sqrt %z2 : f16
  memref.store %z3, %h[%i] : memref<?xf16>
  %c = memref.load %n[%i] : memref<?xi8>
  %c0 = math.ctpop %c : i8
  %c1 = math.ctlz %c0 : i8
  %c2 = math.cttz %c1 : i8
  %c3 = math.absi %c2 : i8
  memref.store %c3, %n[%i] : memref<?xi8>
  %l = memref.load %w[%i] : memref<?xi64>
  %l0 = math.ctpop %l : i64
  %l1 = math.ctlz %l0 : i64
  %l2 = math.cttz %l1 : i64
  memref.store %l2, %w[%i] : memref<?xi64>
  %p0 = math.isnan %x : f32
  %p1 = math.isinf %y : f64
  %p2 = math.isfinite %z : f16
  %p3 = math.isnormal %z : f16
  %q0 = arith.andi %p0, %p1 : i1
  %q1 = arith.andi %p2, %p3 : i1
  %q2 = arith.andi %q0, %q1 : i1
  scf.if %q2 { memref.store %x, %m[%i] : memref<?xf32> }
  gpu.return
}
"#);
    expect(
        &ptx,
        &[
            "sqrt.rn.f32",
            "abs.f32",
            "cvt.rpi.f32.f32",
            "cvt.rmi.f32.f32",
            "cvt.rzi.f32.f32",
            "copysign.f32",
            "cvt.rni.f32.f32",
            "fma.rn.f32",
            "ex2.approx.f32",
            "lg2.approx.f32",
            "rsqrt.approx.f32",
            "sin.approx.f32",
            "cos.approx.f32",
            "tanh.approx.f32",
            "sqrt.rn.f64",
            "fma.rn.f16",
            "popc.b32",
            "clz.b32",
            "brev.b32",
        ],
    );
}

#[test]
fn ids() {
    let ptx = ptx(r#"
gpu.func @k(%m: memref<?xindex>) kernel {
  %a = gpu.thread_id y
  %b = gpu.block_id z
  %c = gpu.block_dim x
  %d = gpu.grid_dim y
  %e = gpu.global_id z
  %f = gpu.lane_id
  %g = gpu.subgroup_id : index
  %h = gpu.num_subgroups : index
  %s = gpu.subgroup_size : index
  %0 = arith.addi %a, %b : index
  %1 = arith.addi %0, %c : index
  %2 = arith.addi %1, %d : index
  %3 = arith.addi %2, %e : index
  %4 = arith.addi %3, %f : index
  %5 = arith.addi %4, %g : index
  %6 = arith.addi %5, %h : index
  memref.store %6, %m[%s] : memref<?xindex>
  gpu.return
}
"#);
    expect(
        &ptx,
        &[
            "%tid.y",
            "%ctaid.z",
            "%ntid.x",
            "%nctaid.y",
            "mul.wide.u32",
            "%laneid",
            "st.global.u64",
            "+256]",
        ],
    );
}

#[test]
fn collectives() {
    let ptx = ptx(r#"
gpu.func @k(%m: memref<?xf32>, %d: memref<?xf64>) kernel {
  %i = gpu.thread_id x
  %x = memref.load %m[%i] : memref<?xf32>
  %y = memref.load %d[%i] : memref<?xf64>
  %o = arith.constant 1 : i32
  %w = arith.constant 32 : i32
  %s, %v = gpu.shuffle xor %x, %o, %w : f32
  %s2, %v2 = gpu.shuffle down %y, %o, %w : f64
  %r = gpu.all_reduce add %s uniform {} : (f32) -> (f32)
  %q = gpu.subgroup_reduce maxnumf %s2 : (f64) -> f64
  %c = gpu.subgroup_reduce add %r cluster(size = 8) : (f32) -> f32
  memref.store %c, %m[%i] : memref<?xf32>
  memref.store %q, %d[%i] : memref<?xf64>
  %z = gpu.all_reduce %y uniform {
  ^bb(%l: f64, %h: f64):
    %t = arith.mulf %l, %h : f64
    gpu.yield %t : f64
  } : (f64) -> (f64)
  memref.store %z, %d[%i] : memref<?xf64>
  gpu.return
}
gpu.func @full(%m: memref<?xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  %i = gpu.thread_id x
  %x = memref.load %m[%i] : memref<?xf32>
  %r = gpu.subgroup_reduce add %x : (f32) -> f32
  memref.store %r, %m[%i] : memref<?xf32>
  gpu.return
}
"#);
    expect(
        &ptx,
        &[
            "shfl.sync.bfly.b32",
            "shfl.sync.down.b32",
            "shfl.sync.down.b32",
            "bar.sync 0",
            "ld.shared.f32",
            "bar.sync 0",
        ],
    );
}
