// RUN: terrace-opt %s -gpu-map | FileCheck %s
// RUN: terrace-opt %s -gpu-map -o %t.mlir
// RUN: terrace run %t.mlir --target emulator --verify --size n=4099 2>&1 | FileCheck %s --check-prefix=VERIFY
// RUN: terrace run %s --target gpu --emit ptx --size n=16777216 | FileCheck %s --check-prefix=PTX

// Nobody knows n: threads do several neighbouring iterations, in straight code where their
// tile is full. There, and where arrays begin at multiples of 16 bytes, four accesses are one.
// CHECK-LABEL: func.func @axpy
// CHECK: affine.parallel (%[[I:.*]]) = (0) to (symbol(%{{.*}}) ceildiv 4)
// CHECK: affine.if #[[FULL:.*]](%{{.*}})[%{{.*}}] {
// CHECK-NEXT: affine.for %{{.*}} = 0 to 4 {
// CHECK: } else {
// CHECK-NEXT: affine.for %{{.*}} = #{{.*}} to min #{{.*}} {
// PTX: .entry axpy_kernel(
// PTX: ld.global.nc.v4.f32
// PTX: st.global.v4.f32
// PTX: .entry axpy_kernel_unaligned(
// PTX-NOT: .v4.
// VERIFY: verify {{ *}}passed
func.func @axpy(%x: memref<?xf32> {terrace.name = "x", terrace.dims = ["n"], terrace.init = "random:5000:1"},
    %y: memref<?xf32> {terrace.name = "y", terrace.dims = ["n"], terrace.init = "random:5000:2"}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %c = arith.constant 3.0 : f32
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %a = affine.load %x[%i] : memref<?xf32>
    %b = affine.load %y[%i] : memref<?xf32>
    %p = arith.mulf %c, %a : f32
    %q = arith.addf %b, %p : f32
    affine.store %q, %y[%i] : memref<?xf32>
  }
  return
}
