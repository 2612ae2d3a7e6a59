//! Tensor cores, copies in the background, wide accesses, redux.

use super::*;
use terrace_targets::ptx::optimize::Level;

/// The text for sm_90 as lowering makes it, but for what makes code smaller.
fn plain(functions: &str) -> String {
    let options = GpuOptions {
        level: Level::Less,
        ..options("sm_90")
    };
    let binary = compile_with(&in_module(functions), &options);
    binary.unwrap_or_else(|e| panic!("{e:#?}")).ptx
}

/// Compiles for the architectures from `least` on, has each text assembled,
/// and returns the text for sm_90.
fn ptx_from(least: u16, functions: &str) -> String {
    let ptxas = assembler();
    let mut result = None;
    for arch in ARCHS {
        if arch[3..].parse::<u16>().is_ok_and(|sm| sm < least) {
            continue;
        }
        let binary = compile_with(&in_module(functions), &options(arch))
            .unwrap_or_else(|e| panic!("{arch}: {e:#?}"));
        if let Some(ptxas) = ptxas.as_ref().filter(|p| p.knows(arch))
            && let Err(e) = ptxas.assemble_unoptimised(&binary.ptx, arch)
        {
            panic!("{arch}: {e}\n{}", binary.ptx);
        }
        if arch == "sm_90" {
            result = Some(binary.ptx);
        }
    }
    result.unwrap()
}

#[track_caller]
fn refused(arch: &str, functions: &str, wanted: &[&str]) {
    let found = compile_with(&in_module(functions), &options(arch)).expect_err("it compiles");
    assert_eq!(found.len(), wanted.len(), "{found:#?}");
    for (f, w) in found.iter().zip(wanted) {
        assert!(f.contains(w), "no `{w}` in {f}");
    }
}

const F16: &str = r#"gpu.func @k(%g: memref<16x2xf32>) workgroup(%s: memref<32x32xf16, 3>) kernel {
  %c0 = arith.constant 0 : index
  %z = arith.constant dense<0.0> : vector<2x2xf32>
  %i = gpu.lane_id
  %a = nvgpu.ldmatrix %s[%i, %c0] {transpose = false, numTiles = 4 : i32} : memref<32x32xf16, 3> -> vector<4x2xf16>
  %b = nvgpu.ldmatrix %s[%i, %c0] {transpose = true, numTiles = 2 : i32} : memref<32x32xf16, 3> -> vector<2x2xf16>
  %d = nvgpu.mma.sync (%a, %b, %z) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
  %d0 = vector.extract %d[1] : vector<2xf32> from vector<2x2xf32>
  vector.store %d0, %g[%i, %c0] {alignment = 8} : memref<16x2xf32>, vector<2xf32>
  gpu.return
}"#;

#[test]
fn fragments_go_from_ldmatrix_to_mma_as_they_are() {
    let text = ptx_from(80, F16);
    expect(
        &text,
        &[
            "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {",
            "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {",
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {",
            "st.global.v2.f32",
        ],
    );
    count(&text, "mov.b32 {", 0);
}

#[test]
fn every_op_says_which_architecture_it_needs() {
    refused(
        "sm_75",
        r#"gpu.func @k(%g: memref<8x8xf32>) workgroup(%s: memref<8x8xf32, 3>) kernel {
  %c0 = arith.constant 0 : index
  %t = nvgpu.device_async_copy %g[%c0, %c0], %s[%c0, %c0], 4 : memref<8x8xf32> to memref<8x8xf32, 3>
  %u = nvgpu.device_async_create_group %t
  nvgpu.device_async_wait %u
  %f = arith.constant dense<0.0> : vector<1x1xf64>
  %z = arith.constant dense<0.0> : vector<1x2xf64>
  %d = nvgpu.mma.sync (%f, %f, %z) {mmaShape = [8, 8, 4]} : (vector<1x1xf64>, vector<1x1xf64>, vector<1x2xf64>) -> vector<1x2xf64>
  gpu.return
}"#,
        &[
            "4: 'nvgpu.device_async_copy' op needs sm_80 or later, compiling for sm_75",
            "9: 'nvgpu.mma.sync' op needs sm_80 or later, compiling for sm_75",
        ],
    );
    refused(
        "sm_70",
        F16,
        &[
            "'nvgpu.ldmatrix' op needs sm_75 or later, compiling for sm_70",
            "'nvgpu.ldmatrix' op needs sm_75 or later, compiling for sm_70",
            "'nvgpu.mma.sync' op needs sm_80 or later, compiling for sm_70",
        ],
    );
    refused(
        "sm_80",
        r#"gpu.func @k() kernel {
  %a = arith.constant dense<0.0> : vector<8x1xf64>
  %b = arith.constant dense<0.0> : vector<4x1xf64>
  %z = arith.constant dense<0.0> : vector<2x2xf64>
  %d = nvgpu.mma.sync (%a, %b, %z) {mmaShape = [16, 8, 16]} : (vector<8x1xf64>, vector<4x1xf64>, vector<2x2xf64>) -> vector<2x2xf64>
  gpu.return
}"#,
        &["6: 'nvgpu.mma.sync' op needs sm_90 or later, compiling for sm_80"],
    );
}

#[test]
fn products_that_no_machine_has() {
    refused(
        "sm_90",
        r#"gpu.func @k() kernel {
  %a = arith.constant dense<0.0> : vector<8x2xf16>
  %b = arith.constant dense<0.0> : vector<4x2xf16>
  %z = arith.constant dense<0.0> : vector<2x2xf32>
  %d = nvgpu.mma.sync (%a, %b, %z) {mmaShape = [16, 8, 32]} : (vector<8x2xf16>, vector<4x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
  %x = arith.constant dense<0.0> : vector<4x1xf32>
  %y = arith.constant dense<0.0> : vector<2x1xf32>
  %e = nvgpu.mma.sync (%x, %y, %z) {mmaShape = [16, 8, 8]} : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
  %m = arith.constant dense<0.0> : vector<4x2xbf16>
  %n = arith.constant dense<0.0> : vector<2x2xbf16>
  %f = nvgpu.mma.sync (%m, %n, %n) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xbf16>) -> vector<2x2xbf16>
  gpu.return
}"#,
        &[
            "6: 'nvgpu.mma.sync' op has the shape [16, 8, 32], which no machine has for these types; [16, 8, 16], [16, 8, 8] are supported",
            "9: 'nvgpu.mma.sync' op multiplies f32, which is done as tf32; tf32Enabled says that this is meant",
            "12: 'nvgpu.mma.sync' op multiplies 'vector<4x2xbf16>' and adds to 'vector<2x2xbf16>'; f16 to f16 or f32",
        ],
    );
}

#[test]
fn other_types_of_products() {
    let text = ptx_from(
        80,
        r#"gpu.func @k(%g: memref<?x4xi8>, %r: memref<?x2xi32>, %h: memref<?x2xf16>, %f: memref<?x2xf32>, %i: index, %x: f32, %y: f16, %n: i32) kernel {
  %c0 = arith.constant 0 : index
  %a = vector.broadcast %x : f32 to vector<4x1xf32>
  %b = vector.broadcast %x : f32 to vector<2x1xf32>
  %c = vector.broadcast %x : f32 to vector<2x2xf32>
  %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 8], tf32Enabled} : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
  %d0 = vector.extract %d[0] : vector<2xf32> from vector<2x2xf32>
  vector.store %d0, %f[%i, %c0] : memref<?x2xf32>, vector<2xf32>
  %ha = vector.broadcast %y : f16 to vector<4x2xf16>
  %hb = vector.broadcast %y : f16 to vector<2x2xf16>
  %hd = nvgpu.mma.sync (%ha, %hb, %hb) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
  %hd0 = vector.extract %hd[0] : vector<2xf16> from vector<2x2xf16>
  vector.store %hd0, %h[%i, %c0] : memref<?x2xf16>, vector<2xf16>
  %ia = vector.load %g[%i, %c0] : memref<?x4xi8>, vector<4xi8>
  %ia4 = vector.broadcast %ia : vector<4xi8> to vector<4x4xi8>
  %ib2 = vector.broadcast %ia : vector<4xi8> to vector<2x4xi8>
  %ic = vector.broadcast %n : i32 to vector<2x2xi32>
  %id = nvgpu.mma.sync (%ia4, %ib2, %ic) {mmaShape = [16, 8, 32]} : (vector<4x4xi8>, vector<2x4xi8>, vector<2x2xi32>) -> vector<2x2xi32>
  %id0 = vector.extract %id[0] : vector<2xi32> from vector<2x2xi32>
  vector.store %id0, %r[%i, %c0] : memref<?x2xi32>, vector<2xi32>
  gpu.return
}"#,
    );
    expect(
        &text,
        &[
            "cvt.rna.tf32.f32",
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
            "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
            "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32",
        ],
    );
}

#[test]
fn copies_in_the_background() {
    let text = ptx_from(
        80,
        r#"gpu.func @k(%g: memref<64x64xf16>, %n: index) workgroup(%s: memref<2x64x64xf16, 3>) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i = gpu.thread_id x
  %none = "nvgpu.device_async_create_group"() : () -> !nvgpu.device.async.token
  %last = scf.for %k = %c0 to %c4 step %c1 iter_args(%t = %none) -> (!nvgpu.device.async.token) {
    %a = nvgpu.device_async_copy %g[%i, %c0], %s[%c0, %i, %c0], 8 {bypassL1} : memref<64x64xf16> to memref<2x64x64xf16, 3>
    %b = nvgpu.device_async_copy %g[%i, %c4], %s[%c1, %i, %c0], 4, %n : memref<64x64xf16> to memref<2x64x64xf16, 3>
    %c = nvgpu.device_async_copy %g[%i, %c4], %s[%c1, %i, %c4], 2, %c1 : memref<64x64xf16> to memref<2x64x64xf16, 3>
    %u = nvgpu.device_async_create_group %a, %b, %c
    nvgpu.device_async_wait %t {numGroups = 1 : i32}
    scf.yield %u : !nvgpu.device.async.token
  }
  nvgpu.device_async_wait %last
  gpu.barrier
  gpu.return
}"#,
    );
    expect(
        &text,
        &[
            "cp.async.commit_group;",
            "cp.async.cg.shared.global [",
            ", 16;",
            "cp.async.ca.shared.global [",
            ", 8, %",
            "cp.async.ca.shared.global [",
            ", 4, 2;",
            "cp.async.commit_group;",
            "cp.async.wait_group 1;",
            "cp.async.wait_group 0;",
            "bar.sync 0;",
        ],
    );
}

#[test]
fn accesses_are_as_wide_as_is_known_to_be_aligned() {
    let kernel = r#"gpu.func @k(%m: memref<?x64xf32>, %h: memref<?x64xf16>, %d: memref<64xf64>, %v: memref<?xvector<4xf32>>, %i: index) workgroup(%s: memref<64x64xf32, #gpu.address_space<workgroup>>) kernel {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %plain = vector.load %m[%i, %c0] : memref<?x64xf32>, vector<2xf32>
  %said = vector.load %m[%i, %c4] {alignment = 16} : memref<?x64xf32>, vector<4xf32>
  %a = memref.assume_alignment %m, 16 : memref<?x64xf32>
  %assumed = vector.load %a[%i, %c8] : memref<?x64xf32>, vector<4xf32>
  %i4 = arith.muli %i, %c4 : index
  %shared = vector.load %s[%i, %i4] : memref<64x64xf32, #gpu.address_space<workgroup>>, vector<4xf32>
  %sum = arith.addf %said, %assumed : vector<4xf32>
  %sum2 = arith.addf %sum, %shared : vector<4xf32>
  vector.store %sum2, %s[%c8, %i4] : memref<64x64xf32, #gpu.address_space<workgroup>>, vector<4xf32>
  vector.store %plain, %s[%c8, %c0] : memref<64x64xf32, #gpu.address_space<workgroup>>, vector<2xf32>
  memref.store %sum2, %v[%i] : memref<?xvector<4xf32>>
  %e = memref.load %v[%c4] {nontemporal = true} : memref<?xvector<4xf32>>
  vector.store %e, %a[%i, %c0] {nontemporal = true} : memref<?x64xf32>, vector<4xf32>
  %h8 = vector.load %h[%i, %c8] {alignment = 16} : memref<?x64xf16>, vector<8xf16>
  vector.store %h8, %h[%i, %c0] {alignment = 16} : memref<?x64xf16>, vector<8xf16>
  %d2 = vector.load %d[%c4] {alignment = 16} : memref<64xf64>, vector<2xf64>
  vector.store %d2, %d[%c8] {alignment = 32} : memref<64xf64>, vector<2xf64>
  gpu.return
}"#;
    ptx(kernel);
    let text = plain(kernel);
    count(&text, "ld.global.f32", 2);
    count(&text, "ld.global.v4.f32", 2);
    count(&text, "ld.shared.v4.f32", 1);
    count(&text, "st.shared.v4.f32", 1);
    count(&text, "st.shared.v2.f32", 1);
    count(&text, "st.global.v4.f32", 1);
    count(&text, "ld.global.cs.v4.f32", 1);
    count(&text, "st.global.cs.v4.f32", 1);
    count(&text, "ld.global.v4.b32", 1);
    count(&text, "st.global.v4.b32", 1);
    count(&text, "mov.b32 {", 0);
    count(&text, "ld.global.v2.f64", 1);
    count(&text, "st.global.v2.f64", 1);
}

#[test]
fn what_divides_an_index_is_found_where_it_comes_from() {
    let kernel = r#"gpu.func @k(%r: memref<1024xf32>) workgroup(%s: memref<1024xf32, 3>) kernel {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %t = gpu.thread_id x
  %t8 = arith.shli %t, %c3 : index
  %m = arith.remui %t8, %c64 : index
  %v0 = vector.load %s[%m] : memref<1024xf32, 3>, vector<4xf32>
  %q = arith.divui %m, %c2 : index
  %v1 = vector.load %s[%q] : memref<1024xf32, 3>, vector<4xf32>
  %sub = memref.subview %s[%t8] [64] [1] : memref<1024xf32, 3> to memref<64xf32, strided<[1], offset: ?>, 3>
  %sum = scf.for %i = %c0 to %c64 step %c8 iter_args(%acc = %v0) -> (vector<4xf32>) {
    %v = vector.load %sub[%i] : memref<64xf32, strided<[1], offset: ?>, 3>, vector<4xf32>
    %n = arith.addf %acc, %v : vector<4xf32>
    scf.yield %n : vector<4xf32>
  }
  %w = vector.load %s[%t] : memref<1024xf32, 3>, vector<2xf32>
  %x = arith.addf %sum, %v1 : vector<4xf32>
  vector.store %x, %r[%c0] : memref<1024xf32>, vector<4xf32>
  vector.store %w, %r[%c8] : memref<1024xf32>, vector<2xf32>
  gpu.return
}"#;
    ptx(kernel);
    let text = plain(kernel);
    count(&text, "ld.shared.v4.f32", 3);
    count(&text, "ld.shared.f32", 2);
}

#[test]
fn matrices_of_a_warp() {
    let kernel = r#"gpu.func @k(%a: memref<32x32xf16>, %b: memref<32x32xf16>, %c: memref<32x32xf32>, %f: f32) workgroup(%s: memref<32x32xf16, 3>) kernel {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %ma = gpu.subgroup_mma_load_matrix %a[%c0, %c16] {leadDimension = 32 : index} : memref<32x32xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
  %sa = gpu.subgroup_mma_load_matrix %s[%c0, %c16] {leadDimension = 32 : index} : memref<32x32xf16, 3> -> !gpu.mma_matrix<16x16xf16, "AOp">
  %mb = gpu.subgroup_mma_load_matrix %s[%c16, %c0] {leadDimension = 32 : index} : memref<32x32xf16, 3> -> !gpu.mma_matrix<16x16xf16, "BOp">
  %z = gpu.subgroup_mma_constant_matrix %f : !gpu.mma_matrix<16x16xf32, "COp">
  %d = gpu.subgroup_mma_compute %ma, %mb, %z : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
  %e = gpu.subgroup_mma_compute %sa, %mb, %d : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
  %g = gpu.subgroup_mma_elementwise mulf %e, %d : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
  gpu.subgroup_mma_store_matrix %g, %c[%c0, %c0] {leadDimension = 32 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<32x32xf32>
  gpu.return
}"#;
    let text = ptx_from(75, kernel);
    count(
        &text,
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
        4,
    );
    count(&text, "ldmatrix.sync.aligned.m8n8.x4.shared.b16", 1);
    count(&text, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", 1);
    count(&text, "mul.rn.f32", 8);
    let old = compile_with(&in_module(kernel), &options("sm_75")).unwrap();
    count(
        &old.ptx,
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32",
        8,
    );
    refused(
        "sm_70",
        kernel,
        &[
            "'gpu.subgroup_mma_compute' op needs sm_75 or later, compiling for sm_70",
            "'gpu.subgroup_mma_compute' op needs sm_75 or later, compiling for sm_70",
        ],
    );
}

#[test]
fn matrices_of_doubles_and_bytes() {
    let text = ptx_from(
        80,
        r#"gpu.func @k(%a: memref<8x8xf64>, %c: memref<8x8xf64>, %p: memref<16x32xi8>, %q: memref<16x16xi32>, %t: memref<32x32xf32>) kernel {
  %c0 = arith.constant 0 : index
  %ma = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 8 : index} : memref<8x8xf64> -> !gpu.mma_matrix<8x4xf64, "AOp">
  %mb = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 8 : index, transpose} : memref<8x8xf64> -> !gpu.mma_matrix<4x8xf64, "BOp">
  %mc = gpu.subgroup_mma_load_matrix %c[%c0, %c0] {leadDimension = 8 : index} : memref<8x8xf64> -> !gpu.mma_matrix<8x8xf64, "COp">
  %md = gpu.subgroup_mma_compute %ma, %mb, %mc : !gpu.mma_matrix<8x4xf64, "AOp">, !gpu.mma_matrix<4x8xf64, "BOp"> -> !gpu.mma_matrix<8x8xf64, "COp">
  gpu.subgroup_mma_store_matrix %md, %c[%c0, %c0] {leadDimension = 8 : index} : !gpu.mma_matrix<8x8xf64, "COp">, memref<8x8xf64>
  %ba = gpu.subgroup_mma_load_matrix %p[%c0, %c0] {leadDimension = 32 : index} : memref<16x32xi8> -> !gpu.mma_matrix<16x32xsi8, "AOp">
  %bb = gpu.subgroup_mma_load_matrix %p[%c0, %c0] {leadDimension = 32 : index, transpose} : memref<16x32xi8> -> !gpu.mma_matrix<32x16xui8, "BOp">
  %bc = gpu.subgroup_mma_load_matrix %q[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xi32> -> !gpu.mma_matrix<16x16xi32, "COp">
  %bd = gpu.subgroup_mma_compute %ba, %bb, %bc : !gpu.mma_matrix<16x32xsi8, "AOp">, !gpu.mma_matrix<32x16xui8, "BOp"> -> !gpu.mma_matrix<16x16xi32, "COp">
  gpu.subgroup_mma_store_matrix %bd, %q[%c0, %c0] {leadDimension = 16 : index, transpose} : !gpu.mma_matrix<16x16xi32, "COp">, memref<16x16xi32>
  %ta = gpu.subgroup_mma_load_matrix %t[%c0, %c0] {leadDimension = 32 : index} : memref<32x32xf32> -> !gpu.mma_matrix<16x8xf32, "AOp">
  %tb = gpu.subgroup_mma_load_matrix %t[%c0, %c0] {leadDimension = 32 : index} : memref<32x32xf32> -> !gpu.mma_matrix<8x16xf32, "BOp">
  %tc = gpu.subgroup_mma_load_matrix %t[%c0, %c0] {leadDimension = 32 : index} : memref<32x32xf32> -> !gpu.mma_matrix<16x16xf32, "COp">
  %td = gpu.subgroup_mma_compute %ta, %tb, %tc : !gpu.mma_matrix<16x8xf32, "AOp">, !gpu.mma_matrix<8x16xf32, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
  gpu.subgroup_mma_store_matrix %td, %t[%c0, %c0] {leadDimension = 32 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<32x32xf32>
  gpu.return
}"#,
    );
    expect(
        &text,
        &[
            "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
            "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32",
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
        ],
    );
}

#[test]
fn matrices_that_cannot_be_compiled() {
    refused(
        "sm_90",
        r#"gpu.func @k(%a: memref<8x8xf16>, %i: index, %x: f16) kernel {
  %0 = gpu.subgroup_mma_load_matrix %a[%i, %i] {leadDimension = 8 : index} : memref<8x8xf16> -> !gpu.mma_matrix<4x16xf16, "AOp">
  %1 = gpu.subgroup_mma_load_matrix %a[%i, %i] {leadDimension = 0 : index} : memref<8x8xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
  %2 = gpu.subgroup_mma_extract_thread_local %1[%i] : !gpu.mma_matrix<16x16xf16, "AOp"> -> f16
  %3 = gpu.subgroup_mma_elementwise extf %1 : (!gpu.mma_matrix<16x16xf16, "AOp">) -> !gpu.mma_matrix<16x16xf32, "AOp">
  %4 = gpu.subgroup_mma_constant_matrix %x : !gpu.mma_matrix<8x8xf16, "AOp">
  %5 = gpu.subgroup_mma_constant_matrix %x : !gpu.mma_matrix<8x8xf16, "BOp">
  %6 = gpu.subgroup_mma_constant_matrix %x : !gpu.mma_matrix<8x8xf16, "COp">
  %7 = gpu.subgroup_mma_compute %4, %5, %6 : !gpu.mma_matrix<8x8xf16, "AOp">, !gpu.mma_matrix<8x8xf16, "BOp"> -> !gpu.mma_matrix<8x8xf16, "COp">
  gpu.return
}"#,
        &[
            "3: 'gpu.subgroup_mma_load_matrix' op found '!gpu.mma_matrix<4x16xf16, \"AOp\">'; the sizes of such matrices are multiples of 8 and 8",
            "4: 'gpu.subgroup_mma_load_matrix' op has a leadDimension of 0; 1 to 1048576 are supported",
            "5: 'gpu.subgroup_mma_extract_thread_local' op is not supported in GPU code",
            "6: 'gpu.subgroup_mma_elementwise' op makes",
            "10: 'gpu.subgroup_mma_compute' op multiplies 8x8 by 8; multiples of one of [16, 8, 16], [16, 8, 8] are supported",
        ],
    );
}

#[test]
fn reductions_of_a_warp_in_one_instruction() {
    let kernel = r#"gpu.func @k(%m: memref<?xi32>, %x: i32, %f: f32, %i: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  %a = gpu.subgroup_reduce add %x : (i32) -> i32
  %b = gpu.subgroup_reduce maxsi %a : (i32) -> i32
  %c = gpu.subgroup_reduce minui %b : (i32) -> i32
  %d = gpu.subgroup_reduce xor %c : (i32) -> i32
  memref.store %d, %m[%i] : memref<?xi32>
  gpu.return
}"#;
    let text = ptx(kernel);
    expect(
        &text,
        &[
            "redux.sync.add.u32",
            "redux.sync.max.s32",
            "redux.sync.min.u32",
            "redux.sync.xor.b32",
        ],
    );
    count(&text, "shfl", 0);
    let old = compile_with(&in_module(kernel), &options("sm_75")).unwrap();
    count(&old.ptx, "redux", 0);
}

#[test]
fn promises_reach_the_parameters_of_the_text() {
    let text = ptx(
        r#"gpu.func @k(%a: memref<?xf32>, %b: memref<?xf32> {llvm.align = 32 : i64}, %v: memref<?xvector<2xf64>>, %c: memref<?xf32>) kernel {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %t = gpu.thread_id x
  %few = arith.cmpi ult, %t, %c4 : index
  %x = memref.assume_alignment %a, 64 : memref<?xf32>
  scf.if %few {
    %sometimes = memref.assume_alignment %c, 64 : memref<?xf32>
  }
  %l = vector.load %b[%c0] : memref<?xf32>, vector<4xf32>
  vector.store %l, %x[%c4] : memref<?xf32>, vector<4xf32>
  gpu.return
}"#,
    );
    expect(
        &text,
        &[
            ".param .u64 .ptr .global .align 64 arg0",
            ".param .u64 .ptr .global .align 32 arg1",
            ".param .u64 .ptr .global .align 16 arg2",
            ".param .u64 .ptr .global .align 4 arg3",
            "ld.global",
            ".v4.f32",
            "st.global.v4.f32",
        ],
    );
}

#[test]
fn promises_that_cannot_be_kept() {
    refused(
        "sm_90",
        r#"gpu.func @k(%m: memref<64xf32>) workgroup(%s: memref<64xf32, 3>) kernel {
  %c1 = arith.constant 1 : index
  %v = vector.load %s[%c1] {alignment = 16} : memref<64xf32, 3>, vector<4xf32>
  vector.store %v, %m[%c1] : memref<64xf32>, vector<4xf32>
  gpu.return
}"#,
        &["4: in 'k': found an address that is 4 modulo 16"],
    );
}

#[test]
fn matrices_need_whole_warps() {
    refused(
        "sm_90",
        r#"gpu.func @k(%m: memref<8x8xf64>, %i: index) workgroup(%s: memref<64x8xf16, 3>) kernel attributes {known_block_size = array<i32: 24, 2, 1>} {
  %0 = gpu.subgroup_mma_load_matrix %m[%i, %i] {leadDimension = 8 : index} : memref<8x8xf64> -> !gpu.mma_matrix<8x4xf64, "AOp">
  %1 = nvgpu.ldmatrix %s[%i, %i] {transpose = false, numTiles = 1 : i32} : memref<64x8xf16, 3> -> vector<1x2xf16>
  gpu.return
}"#,
        &[
            "3: 'gpu.subgroup_mma_load_matrix' op needs whole warps of 32 threads, but the block has 24 x 2 x 1",
            "4: 'nvgpu.ldmatrix' op needs whole warps of 32 threads, but the block has 24 x 2 x 1",
        ],
    );
}
