//! Layouts, views, spaces, globals, atomics, vectors, collectives.

use super::*;
use terrace_targets::gpu_to_ptx::ParamKind;

#[test]
fn a_dynamic_layout_takes_offset_sizes_strides() {
    let b = binary(
        r#"
gpu.func @k(%m: memref<?x4xf32, strided<[?, 1], offset: ?>>, %r0: memref<f32>, %i: index) kernel {
  %c1 = arith.constant 1 : index
  %x = memref.load %m[%i, %c1] : memref<?x4xf32, strided<[?, 1], offset: ?>>
  memref.store %x, %r0[] : memref<f32>
  gpu.return
}
"#,
    );
    assert_eq!(
        b.kernels[0].params[..5],
        [
            ParamKind::Pointer { arg: 0 },
            ParamKind::Offset { arg: 0 },
            ParamKind::Size { arg: 0, dim: 0 },
            ParamKind::Stride { arg: 0, dim: 0 },
            ParamKind::Pointer { arg: 1 },
        ]
    );
    expect(
        &b.ptx,
        &[
            "arg0_offset",
            "arg0_size0",
            "arg0_stride0",
            "ld.global.f32",
            "+4]",
            "st.global.f32",
        ],
    );
}

#[test]
fn words_of_blocks() {
    let b = binary(
        r#"
gpu.func @k(%m: memref<?xi64>, %w: memref<?xi32>, %i: index) kernel {
  %x = gpu.load_relaxed %m[%i] : memref<?xi64>
  gpu.store_relaxed %x, %m[%i] : memref<?xi64>
  %y = gpu.load_acquire %w[%i] : memref<?xi32>
  gpu.store_release %y, %w[%i] : memref<?xi32>
  gpu.return
}
"#,
    );
    expect(
        &b.ptx,
        &[
            "ld.relaxed.gpu.global.b64",
            "st.relaxed.gpu.global.b64",
            "ld.acquire.gpu.global.b32",
            "st.release.gpu.global.b32",
        ],
    );
}

#[test]
fn views() {
    ptx(r#"
gpu.func @views(%m: memref<?x?xf32>, %i: index, %n: index) kernel {
  %c0 = arith.constant 0 : index
  %sub = memref.subview %m[%i, 2] [%n, 4] [2, 1] : memref<?x?xf32> to memref<?x4xf32, strided<[?, 1], offset: ?>>
  %row = memref.subview %m[%i, 0] [1, %n] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[1], offset: ?>>
  %t = memref.transpose %m (d0, d1) -> (d1, d0) : memref<?x?xf32> to memref<?x?xf32, strided<[1, ?]>>
  %flat = memref.collapse_shape %m [[0, 1]] : memref<?x?xf32> into memref<?xf32>
  %deep = memref.expand_shape %flat [[0, 1]] output_shape [%n, 8] : memref<?xf32> into memref<?x8xf32>
  %re = memref.reinterpret_cast %m to offset: [%i], sizes: [%n, 3], strides: [5, 1] : memref<?x?xf32> to memref<?x3xf32, strided<[5, 1], offset: ?>>
  %cast = memref.cast %m : memref<?x?xf32> to memref<8x?xf32>
  %base, %off, %sz:2, %st:2 = memref.extract_strided_metadata %sub : memref<?x4xf32, strided<[?, 1], offset: ?>> -> memref<f32>, index, index, index, index, index
  %a = memref.load %sub[%i, %c0] : memref<?x4xf32, strided<[?, 1], offset: ?>>
  %b = memref.load %row[%i] : memref<?xf32, strided<[1], offset: ?>>
  %c = memref.load %t[%i, %c0] : memref<?x?xf32, strided<[1, ?]>>
  %d = memref.load %deep[%i, %c0] : memref<?x8xf32>
  %e = memref.load %re[%i, %c0] : memref<?x3xf32, strided<[5, 1], offset: ?>>
  %f = memref.load %cast[%c0, %i] : memref<8x?xf32>
  %g = memref.load %base[] : memref<f32>
  %s0 = arith.addf %a, %b : f32
  %s1 = arith.addf %s0, %c : f32
  %s2 = arith.addf %s1, %d : f32
  %s3 = arith.addf %s2, %e : f32
  %s4 = arith.addf %s3, %f : f32
  %s5 = arith.addf %s4, %g : f32
  %sum = arith.addi %off, %st#0 : index
  memref.store %s5, %row[%sum] : memref<?xf32, strided<[1], offset: ?>>
  %dd = memref.dim %m, %i : memref<?x?xf32>
  memref.store %s5, %row[%dd] : memref<?xf32, strided<[1], offset: ?>>
  %p = memref.extract_aligned_pointer_as_index %m : memref<?x?xf32> -> index
  memref.store %s5, %row[%p] : memref<?xf32, strided<[1], offset: ?>>
  gpu.return
}
"#);
}

#[test]
fn spaces() {
    let b = binary(
        r#"
memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
memref.global @zeros : memref<8xi16> = dense<0>
memref.global @half : memref<2xf16> = dense<1.5>
gpu.func @k(%out: memref<?xf32>, %p: i1)
    workgroup(%w: memref<32xi1, #gpu.address_space<workgroup>>)
    private(%v: memref<4xf32, #gpu.address_space<private>>) kernel {
  %i = gpu.thread_id x
  %c2 = arith.constant 2 : index
  %t = memref.get_global @table : memref<4xf32>
  %h = memref.get_global @half : memref<2xf16>
  %x = memref.load %t[%c2] : memref<4xf32>
  %y = memref.load %h[%c2] : memref<2xf16>
  %y32 = arith.extf %y : f16 to f32
  %a = memref.alloca() : memref<2x2xf32>
  memref.store %x, %a[%c2, %i] : memref<2x2xf32>
  memref.store %y32, %v[%i] : memref<4xf32, #gpu.address_space<private>>
  memref.store %p, %w[%i] : memref<32xi1, #gpu.address_space<workgroup>>
  gpu.barrier
  %q = memref.load %w[%c2] : memref<32xi1, #gpu.address_space<workgroup>>
  %sel = arith.select %q, %a, %a : memref<2x2xf32>
  %l = memref.load %sel[%i, %c2] : memref<2x2xf32>
  memref.store %l, %out[%i] : memref<?xf32>
  %g = memref.memory_space_cast %v : memref<4xf32, #gpu.address_space<private>> to memref<4xf32>
  scf.if %q {
    memref.copy %t, %g : memref<4xf32> to memref<4xf32>
  }
  %d = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  %c0 = arith.constant 0 : index
  %view = memref.view %d[%c0][%i] : memref<?xi8, #gpu.address_space<workgroup>> to memref<?xf64, #gpu.address_space<workgroup>>
  %e = memref.load %view[%i] : memref<?xf64, #gpu.address_space<workgroup>>
  %e32 = arith.truncf %e : f64 to f32
  memref.store %e32, %out[%c0] : memref<?xf32>
  gpu.return
}
"#,
    );
    expect(
        &b.ptx,
        &[
            ".global",
            "table[4] = {",
            ".shared .align 16 .u8 shared[32]",
            ".local",
            "st.local.f32",
            "st.shared.u8",
            "ld.shared.u8",
            "cvt.rn.f32.f64",
        ],
    );
    assert_eq!(b.kernels[0].shared_bytes, 32);
}

#[test]
fn atomics() {
    let ptx = ptx(r#"
gpu.func @k(%f: memref<?xf32>, %n: memref<?xi32>, %h: memref<?xf16>, %b: memref<?xi8>, %d: memref<?xf64>, %bf: memref<?xbf16>) kernel {
  %i = gpu.thread_id x
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2 : i32
  %hone = arith.constant 1.0 : f16
  %bfone = arith.constant 1.0 : bf16
  %three = arith.constant 3 : i8
  %done = arith.constant 1.0 : f64
  %r0 = memref.atomic_rmw addf %one, %f[%i] : (f32, memref<?xf32>) -> f32
  %r1 = memref.atomic_rmw assign %r0, %f[%i] : (f32, memref<?xf32>) -> f32
  memref.store %r1, %f[%i] : memref<?xf32>
  %r2 = memref.atomic_rmw addi %two, %n[%i] : (i32, memref<?xi32>) -> i32
  %r3 = memref.atomic_rmw maxs %two, %n[%i] : (i32, memref<?xi32>) -> i32
  %r4 = memref.atomic_rmw muli %two, %n[%i] : (i32, memref<?xi32>) -> i32
  %r5 = memref.atomic_rmw mulf %one, %f[%i] : (f32, memref<?xf32>) -> f32
  %r6 = memref.atomic_rmw maximumf %hone, %h[%i] : (f16, memref<?xf16>) -> f16
  %r7 = memref.atomic_rmw addf %hone, %h[%i] : (f16, memref<?xf16>) -> f16
  %r8 = memref.atomic_rmw addi %three, %b[%i] : (i8, memref<?xi8>) -> i8
  %r9 = memref.atomic_rmw minnumf %done, %d[%i] : (f64, memref<?xf64>) -> f64
  %r10 = memref.atomic_rmw addf %bfone, %bf[%i] : (bf16, memref<?xbf16>) -> bf16
  %r11 = memref.generic_atomic_rmw %f[%i] : memref<?xf32> {
  ^bb0(%old: f32):
    %c = arith.cmpf olt, %old, %one : f32
    %v = scf.if %c -> f32 {
      scf.yield %one : f32
    } else {
      scf.yield %old : f32
    }
    memref.atomic_yield %v : f32
  }
  gpu.return
}
"#);
    expect(
        &ptx,
        &[
            "red.global.add.f32".replace("red", "atom").as_str(),
            "atom.global.exch.b32",
            "red.global.add.u32",
            "red.global.max.s32",
            "atom.global.cas.b32",
            "atom.global.cas.b32",
            "atom.global.cas.b16",
            "red.global.add.noftz.f16",
            "atom.global.cas.b32",
            "atom.global.cas.b64",
            "red.global.add.noftz.bf16",
            "atom.global.cas.b32",
        ],
    );
}

#[test]
fn atomics_of_a_block() {
    let ptx = ptx(r#"
gpu.func @k(%i: index, %at: index) workgroup(%f: memref<64xf32, #gpu.address_space<workgroup>>, %l: memref<64xi64, #gpu.address_space<workgroup>>) kernel {
  %one = arith.constant 1.0 : f32
  %done = arith.constant 1.0 : f64
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i64
  %bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  %c0 = arith.constant 0 : index
  %d = memref.view %bytes[%c0][%i] : memref<?xi8, #gpu.address_space<workgroup>> to memref<?xf64, #gpu.address_space<workgroup>>
  %n = memref.view %bytes[%at][%i] : memref<?xi8, #gpu.address_space<workgroup>> to memref<?xi32, #gpu.address_space<workgroup>>
  %r0 = memref.atomic_rmw addf %one, %f[%i] : (f32, memref<64xf32, #gpu.address_space<workgroup>>) -> f32
  %r1 = memref.atomic_rmw addf %done, %d[%i] : (f64, memref<?xf64, #gpu.address_space<workgroup>>) -> f64
  %r2 = memref.atomic_rmw mins %two, %n[%i] : (i32, memref<?xi32, #gpu.address_space<workgroup>>) -> i32
  %r3 = memref.atomic_rmw addi %three, %l[%i] : (i64, memref<64xi64, #gpu.address_space<workgroup>>) -> i64
  %r4 = memref.atomic_rmw maxnumf %one, %f[%i] : (f32, memref<64xf32, #gpu.address_space<workgroup>>) -> f32
  gpu.return
}
"#);
    expect(
        &ptx,
        &[
            "red.shared.add.f32",
            "red.shared.add.f64",
            "red.shared.min.s32",
            "red.shared.add.u64",
            "atom.shared.cas.b32",
        ],
    );
}

#[test]
fn vectors() {
    let ptx = ptx(r#"
gpu.func @k(%m: memref<?xf32>, %i: index) kernel {
  %c0 = arith.constant 0 : index
  %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
  %s = arith.constant dense<2.0> : vector<4xf32>
  %mask = arith.cmpf ogt, %k, %s : vector<4xf32>
  %x = arith.addf %k, %s : vector<4xf32>
  %y = arith.select %mask, %x, %k : vector<4xi1>, vector<4xf32>
  %a = memref.alloca() : memref<2xvector<4xf32>>
  memref.store %y, %a[%i] : memref<2xvector<4xf32>>
  %z = memref.load %a[%c0] : memref<2xvector<4xf32>>
  scf.for %j = %c0 to %i step %i iter_args(%v = %z) -> (vector<4xf32>) {
    scf.yield %v : vector<4xf32>
  }
  gpu.return
}
"#);
    expect(&ptx, &["st.local.v4.f32"]);
}
