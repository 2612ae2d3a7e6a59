// Lines of the source above the instructions that they became, once for each change of
// line; the text stays PTX.
//
// RUN: terrace compile %s --emit ptx --annotate | FileCheck %s
// RUN: terrace compile - --emit ptx --annotate < %s | FileCheck %s --check-prefix=STDIN
// RUN: terrace compile %s --emit ptx | FileCheck %s --check-prefix=PLAIN

// CHECK: .visible .entry scale_kernel(
// CHECK: // {{.*}}annotate.mlir:[[@LINE+15]]: %x = affine.load %a[%i] : memref<?xf32>
// CHECK-NEXT: .loc 1 [[@LINE+14]] 10
// CHECK: ld.global.f32
// CHECK-NOT: affine.load
// CHECK: // {{.*}}annotate.mlir:[[@LINE+12]]: %y = arith.mulf %x, %two : f32
// CHECK: mul.rn.f32
// CHECK: // {{.*}}annotate.mlir:[[@LINE+11]]: affine.store %y, %a[%i] : memref<?xf32>
// CHECK: st.global.f32
// STDIN: // <stdin>:[[@LINE+7]]: %x = affine.load
// PLAIN: .loc 1
// PLAIN-NOT: affine.load

func.func @scale(%a: memref<?xf32>, %n: index) {
  %two = arith.constant 2.0 : f32
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    %y = arith.mulf %x, %two : f32
    affine.store %y, %a[%i] : memref<?xf32>
  }
  return
}
