//! Whole kernels.

use super::*;
use terrace_targets::gpu_to_ptx::ParamKind;
use terrace_targets::ptx::Ty;

const SAXPY: &str = r#"
gpu.func @saxpy(%a: f32, %x: memref<?xf32>, %y: memref<?xf32>) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %i = gpu.global_id x
  %n = memref.dim %x, %c0 : memref<?xf32>
  %in = arith.cmpi ult, %i, %n : index
  scf.if %in {
    %xi = memref.load %x[%i] : memref<?xf32>
    %yi = memref.load %y[%i] : memref<?xf32>
    %p = arith.mulf %a, %xi fastmath<contract> : f32
    %s = arith.addf %p, %yi fastmath<contract> : f32
    memref.store %s, %y[%i] : memref<?xf32>
  }
  gpu.return
}
"#;

#[test]
fn saxpy() {
    let b = binary(SAXPY);
    expect(
        &b.ptx,
        &[
            ".visible .entry saxpy(",
            ".param .f32 arg0,",
            ".param .u64 .ptr .global .align 4 arg1,",
            ".param .u64 arg1_size0,",
            ".param .u64 .ptr .global .align 4 arg2,",
            ".param .u64 arg2_size0",
            ".maxntid 128, 1, 1",
            "cvta.to.global.u64",
            "setp.lt.u64",
            "ld.global.f32",
            "fma.rn.f32",
            "st.global.f32",
            "ret;",
        ],
    );
    let k = &b.kernels[0];
    assert_eq!((k.name.as_str(), k.entry.as_str()), ("saxpy", "saxpy"));
    assert_eq!(k.max_threads, Some([128, 1, 1]));
    assert_eq!(k.shared_bytes, 0);
    assert_eq!(
        k.params,
        [
            ParamKind::Scalar {
                arg: 0,
                ty: Ty::F32
            },
            ParamKind::Pointer { arg: 1 },
            ParamKind::Size { arg: 1, dim: 0 },
            ParamKind::Pointer { arg: 2 },
            ParamKind::Size { arg: 2, dim: 0 },
        ]
    );
}

#[test]
fn multiplications_fuse_where_both_flags_allow_it() {
    let fused = options("sm_90");
    let text = in_module(SAXPY);
    let ptx = compile_with(&text, &fused).unwrap().ptx;
    count(&ptx, "fma.rn.f32", 1);
    count(&ptx, "mul.rn.f32", 0);
    let apart = GpuOptions {
        contract: false,
        ..options("sm_90")
    };
    let ptx = compile_with(&text, &apart).unwrap().ptx;
    count(&ptx, "fma.rn.f32", 0);
    // Without the flag on both ops nothing fuses.
    let one_flag = text.replacen(" fastmath<contract>", "", 1);
    count(&compile_with(&one_flag, &fused).unwrap().ptx, "fma.rn", 0);
}

/// `llvm.align` stands in the text; `llvm.noalias` is for the optimiser alone.
#[test]
fn promises_of_parameters() {
    let kernel = |attrs: &str| {
        let text = format!(
            "gpu.func @k(%a: memref<1024xf32>{attrs}, %b: memref<1024xf32>{attrs}) kernel {{
  %t = gpu.thread_id x
  %four = arith.constant 4 : index
  %i = arith.muli %t, %four : index
  %v = vector.load %a[%i] : memref<1024xf32>, vector<4xf32>
  vector.store %v, %b[%i] : memref<1024xf32>, vector<4xf32>
  gpu.return
}}"
        );
        ptx(&text)
    };
    let ptx = kernel("");
    count(&ptx, ".ptr .global .align 4", 2);
    let ptx = kernel(" {llvm.noalias, llvm.align = 16 : i32}");
    count(&ptx, ".ptr .global .align 16", 2);
    // No power of two: no promise.
    let ptx = kernel(" {llvm.align = 12 : i32}");
    count(&ptx, ".ptr .global .align 4", 2);
}

#[test]
fn positions_on_request() {
    let with_lines = GpuOptions {
        loc_lines: true,
        ..options("sm_90")
    };
    let text = in_module(SAXPY);
    let ptx = compile_with(&text, &with_lines).unwrap().ptx;
    expect(
        &ptx,
        &[".file 1 \"test.mlir\"", ".loc 1 10 ", "ld.global.f32"],
    );
    count(
        &compile_with(&text, &options("sm_90")).unwrap().ptx,
        ".loc",
        0,
    );
}

#[test]
fn gemm() {
    let ptx = ptx(r#"
gpu.func @gemm(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %c: memref<?x?xf64>) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = gpu.global_id y
  %j = gpu.global_id x
  %m = memref.dim %c, %c0 : memref<?x?xf64>
  %n = memref.dim %c, %c1 : memref<?x?xf64>
  %l = memref.dim %a, %c1 : memref<?x?xf64>
  %ri = arith.cmpi slt, %i, %m : index
  %rj = arith.cmpi slt, %j, %n : index
  %r = arith.andi %ri, %rj : i1
  scf.if %r {
    %zero = arith.constant 0.0 : f64
    %sum = scf.for %k = %c0 to %l step %c1 iter_args(%acc = %zero) -> (f64) {
      %x = memref.load %a[%i, %k] : memref<?x?xf64>
      %y = memref.load %b[%k, %j] : memref<?x?xf64>
      %p = arith.mulf %x, %y : f64
      %s = arith.addf %acc, %p : f64
      scf.yield %s : f64
    }
    memref.store %sum, %c[%i, %j] : memref<?x?xf64>
  }
  gpu.return
}
"#);
    expect(
        &ptx,
        &[
            "and.pred",
            "setp.lt.s64",
            "ld.global.f64",
            "ld.global.f64",
            "mul.rn.f64",
            "add.rn.f64",
            "bra",
            "st.global.f64",
        ],
    );
}

#[test]
fn stencil_offsets_are_immediate() {
    let ptx = ptx(r#"
gpu.func @stencil(%a: memref<66x66xf32>, %b: memref<66x66xf32>) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i = gpu.block_id x
  %j = gpu.thread_id x
  %i1 = arith.addi %i, %c1 : index
  %row = memref.subview %a[0, 1] [66, 64] [1, 1] : memref<66x66xf32> to memref<66x64xf32, strided<[66, 1], offset: 1>>
  %n = memref.load %row[%i, %j] : memref<66x64xf32, strided<[66, 1], offset: 1>>
  %w = memref.load %a[%i1, %j] : memref<66x66xf32>
  %s = arith.addf %n, %w : f32
  memref.store %s, %b[%i1, %j] : memref<66x66xf32>
  gpu.return
}
"#);
    expect(&ptx, &["ld.global.f32 %f1, [%rd", "+4];"]);
    count(&ptx, "ld.param", 2);
}

#[test]
fn block_reduction() {
    let b = binary(
        r#"
gpu.func @sum(%in: memref<?xf32>, %out: memref<?xf32>)
    workgroup(%s: memref<256xf32, #gpu.address_space<workgroup>>) kernel
    attributes {known_block_size = array<i32: 256, 1, 1>} {
  %t = gpu.thread_id x
  %b = gpu.block_id x
  %g = gpu.global_id x
  %v = memref.load %in[%g] : memref<?xf32>
  memref.store %v, %s[%t] : memref<256xf32, #gpu.address_space<workgroup>>
  gpu.barrier
  %c128 = arith.constant 128 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.while (%w = %c128) : (index) -> index {
    %more = arith.cmpi sgt, %w, %c0 : index
    scf.condition(%more) %w : index
  } do {
  ^bb0(%w: index):
    %active = arith.cmpi slt, %t, %w : index
    scf.if %active {
      %o = arith.addi %t, %w : index
      %x = memref.load %s[%t] : memref<256xf32, #gpu.address_space<workgroup>>
      %y = memref.load %s[%o] : memref<256xf32, #gpu.address_space<workgroup>>
      %z = arith.addf %x, %y : f32
      memref.store %z, %s[%t] : memref<256xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %h = arith.shrui %w, %c1 : index
    scf.yield %h : index
  }
  %first = arith.cmpi eq, %t, %c0 : index
  scf.if %first {
    %r = memref.load %s[%c0] : memref<256xf32, #gpu.address_space<workgroup>>
    memref.store %r, %out[%b] : memref<?xf32>
  }
  gpu.return
}
"#,
    );
    expect(
        &b.ptx,
        &[
            ".shared .align 16 .f32 shared[256]",
            "st.shared.f32",
            "bar.sync 0",
            "ld.shared.f32",
            "bar.sync 0",
        ],
    );
    assert_eq!(b.kernels[0].shared_bytes, 1024);
}

#[test]
fn several_kernels_and_device_functions() {
    let b = binary(
        r#"
gpu.func @one(%m: memref<4xf32>) kernel {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %x = memref.load %m[%c0] : memref<4xf32>
  %y = func.call @square(%x) : (f32) -> f32
  memref.store %y, %m[%c0] : memref<4xf32>
  %p, %q = func.call @both(%m, %c3) : (memref<4xf32>, index) -> (i1, f32)
  %z = arith.select %p, %q, %y : f32
  memref.store %z, %m[%c3] : memref<4xf32>
  gpu.return
}
gpu.func @two(%f: i1, %h: f16, %n: i8) kernel { gpu.return }
func.func @square(%x: f32) -> f32 {
  %y = arith.mulf %x, %x : f32
  return %y : f32
}
func.func @both(%m: memref<4xf32>, %i: index) -> (i1, f32) {
  %x = memref.load %m[%i] : memref<4xf32>
  %zero = arith.constant 0.0 : f32
  %p = arith.cmpf ogt, %x, %zero : f32
  return %p, %x : i1, f32
}
"#,
    );
    assert_eq!(b.kernels.len(), 2);
    assert_eq!(
        b.kernels[1].params,
        [Ty::U8, Ty::B16, Ty::U8]
            .iter()
            .enumerate()
            .map(|(arg, ty)| ParamKind::Scalar { arg, ty: *ty })
            .collect::<Vec<_>>()
    );
    expect(
        &b.ptx,
        &[
            ".visible .entry one(",
            "call.uni",
            "square",
            "cvta.global.u64",
            "call.uni",
            "both",
        ],
    );
}

#[test]
fn branches_between_blocks() {
    let ptx = ptx(r#"
gpu.func @collatz(%m: memref<?xi32>) kernel {
  %i = gpu.thread_id x
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c0 = arith.constant 0 : i32
  %start = memref.load %m[%i] : memref<?xi32>
  cf.br ^head(%start, %c0 : i32, i32)
^head(%n: i32, %steps: i32):
  %done = arith.cmpi ule, %n, %c1 : i32
  cf.cond_br %done, ^end(%steps : i32), ^body
^body:
  %next = arith.addi %steps, %c1 : i32
  %odd = arith.trunci %n : i32 to i1
  %half = arith.shrui %n, %c1 : i32
  cf.cond_br %odd, ^odd, ^head(%half, %next : i32, i32)
^odd:
  %t = arith.muli %n, %c3 : i32
  %u = arith.addi %t, %c1 : i32
  cf.br ^head(%u, %next : i32, i32)
^end(%r: i32):
  memref.store %r, %m[%i] : memref<?xi32>
  gpu.return
}
"#);
    expect(&ptx, &["setp.le.u32", "bra", "st.global.u32"]);
}

#[test]
fn structured_control_flow_of_every_kind() {
    ptx(r#"
gpu.func @all(%m: memref<?xf32>, %n: index) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %o = arith.constant 1.0 : f32
  // Carried values that change places.
  %a, %b = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z, %y = %o) -> (f32, f32) {
    scf.yield %y, %x : f32, f32
  }
  %s = scf.index_switch %n -> f32
  case 2 { scf.yield %a : f32 }
  case 5 { scf.yield %b : f32 }
  default { scf.yield %z : f32 }
  %e = scf.execute_region -> f32 {
    %c = arith.cmpi eq, %n, %c0 : index
    cf.cond_br %c, ^yes, ^no
  ^yes:
    scf.yield %s : f32
  ^no:
    scf.yield %a : f32
  }
  memref.store %e, %m[%c0] : memref<?xf32>
  %i32 = arith.index_cast %n : index to i32
  cf.switch %i32 : i32, [default: ^d, 7: ^seven(%z : f32)]
^seven(%v: f32):
  memref.store %v, %m[%c1] : memref<?xf32>
  cf.br ^d
^d:
  %ok = arith.cmpi ne, %n, %c1 : index
  cf.assert %ok, "n is one"
  %q8 = arith.constant 3 : i8
  %e8 = arith.constant -5 : i8
  %s8 = arith.constant 1 : i8
  scf.for %k = %e8 to %q8 step %s8 : i8 {
    memref.store %z, %m[%c0] : memref<?xf32>
  }
  gpu.return
}
"#);
}
