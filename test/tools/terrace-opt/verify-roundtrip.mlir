// What is printed and read again is compared with what was read.
//
// RUN: terrace-opt %s --verify-roundtrip --canonicalize | FileCheck %s
// RUN: terrace-opt %s --verify-roundtrip --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

// LOC: func.func @f(%arg0: memref<?xf32> loc("m"),
// LOC: affine.load {{.*}} loc("x.c":3:4)
// CHECK-LABEL: func.func @f
func.func @f(%m: memref<?xf32> loc("m"), %n: index) {
  // CHECK: affine.for %{{.*}} = 0 to %{{.*}} {
  affine.for %i = 0 to %n {
    %v = affine.load %m[%i floordiv 2] : memref<?xf32> loc("x.c":3:4)
    affine.store %v, %m[%i] : memref<?xf32>
  }
  return
}
