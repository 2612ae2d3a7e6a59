// RUN: terrace-opt %s -memref-plain-arguments -split-input-file | FileCheck %s
// RUN: terrace-opt %s -memref-plain-arguments -mlir-pass-statistics -o %t 2>&1 -split-input-file | FileCheck %s --check-prefix=COUNT

// COUNT: MemRefPlainArguments
// COUNT-NEXT: (S) 4 num-arguments

// Accesses by subscripts mean the same elements wherever these lie.
// CHECK-LABEL: func.func @accesses(
// CHECK-SAME: %[[A:.*]]: memref<?x4xf32>, %[[B:.*]]: memref<3x4xf32>)
func.func @accesses(%a: memref<?x4xf32, strided<[?, 1], offset: ?>>, %b: memref<3x4xf32, strided<[1, 10], offset: 3>>) {
  %c0 = arith.constant 0 : index
  // CHECK: memref.dim %[[A]], %{{.*}} : memref<?x4xf32>
  %n = memref.dim %a, %c0 : memref<?x4xf32, strided<[?, 1], offset: ?>>
  affine.for %i = 0 to %n {
    // CHECK: affine.load %[[A]][%{{.*}}, 1] : memref<?x4xf32>
    %0 = affine.load %a[%i, 1] : memref<?x4xf32, strided<[?, 1], offset: ?>>
    // CHECK: affine.store %{{.*}}, %[[B]][%{{.*}}, 2] : memref<3x4xf32>
    affine.store %0, %b[%i, 2] : memref<3x4xf32, strided<[1, 10], offset: 3>>
  }
  return
}

// What else takes the array gets it in its old type, where a cast may say that.
// CHECK-LABEL: func.func @views(
// CHECK-SAME: %[[A:.*]]: memref<?xf32>, %[[B:.*]]: memref<4xf32, strided<[2]>>)
func.func @views(%a: memref<?xf32, strided<[?], offset: ?>>, %b: memref<4xf32, strided<[2]>>) -> memref<2xf32, strided<[?], offset: ?>> {
  %c0 = arith.constant 0 : index
  // CHECK: %[[OLD:.*]] = memref.cast %[[A]] : memref<?xf32> to memref<?xf32, strided<[?], offset: ?>>
  // CHECK: memref.load %[[A]][
  %0 = memref.load %a[%c0] : memref<?xf32, strided<[?], offset: ?>>
  memref.store %0, %b[%c0] : memref<4xf32, strided<[2]>>
  // CHECK: memref.subview %[[OLD]]
  %1 = memref.subview %a[1] [2] [1] : memref<?xf32, strided<[?], offset: ?>> to memref<2xf32, strided<[?], offset: ?>>
  // CHECK: memref.subview %[[B]]
  %2 = memref.subview %b[1] [2] [1] : memref<4xf32, strided<[2]>> to memref<2xf32, strided<[2], offset: 2>>
  %c1 = arith.constant 1.0 : f32
  memref.store %c1, %2[%c0] : memref<2xf32, strided<[2], offset: 2>>
  return %1 : memref<2xf32, strided<[?], offset: ?>>
}

// -----

// Functions that the module itself calls are as their calls have them, and so are private ones.
// CHECK-LABEL: func.func @called(
// CHECK-SAME: memref<4xf32, strided<[2]>>)
func.func @called(%a: memref<4xf32, strided<[2]>>) {
  return
}
// CHECK-LABEL: func.func @caller(
// CHECK-SAME: memref<4xf32, strided<[2]>>)
func.func @caller(%a: memref<4xf32, strided<[2]>>) {
  call @called(%a) : (memref<4xf32, strided<[2]>>) -> ()
  return
}
// CHECK-LABEL: func.func private @inner(
// CHECK-SAME: memref<4xf32, strided<[2]>>)
func.func private @inner(%a: memref<4xf32, strided<[2]>>) {
  return
}
// CHECK-LABEL: func.func @plain(
// CHECK-SAME: %{{.*}}: memref<?xf32>, %{{.*}}: memref<2xf32>)
func.func @plain(%a: memref<?xf32>, %b: memref<2xf32, strided<[7]>>) {
  return
}
