// RUN: terrace-opt %s -gpu-launch-sink-index-computations | FileCheck %s

// Constants, sizes, comparisons and views go in; arithmetic is computed once, outside.
// CHECK-LABEL: func.func @f
// CHECK-SAME: (%[[M:.*]]: memref<?xf32>, %[[X:.*]]: f32, %[[N:.*]]: index)
// CHECK: %[[Y:.*]] = arith.addf %[[X]], %[[X]]
// CHECK: gpu.launch
// CHECK-DAG: %[[D:.*]] = memref.dim %[[M]], %{{.*}}
// CHECK-DAG: %[[L:.*]] = arith.cmpi slt, %[[N]], %[[D]]
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[S:.*]] = memref.subview %[[M]][0] [8] [1]
// CHECK-NOT: arith.addf
// CHECK: scf.if %[[L]] {
// CHECK-NEXT: memref.store %[[Y]], %[[M]][%[[C4]]]
// CHECK-NEXT: memref.store %[[X]], %[[S]][
func.func @f(%m: memref<?xf32>, %x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %d = memref.dim %m, %c0 : memref<?xf32>
  %y = arith.addf %x, %x : f32
  %s = memref.subview %m[0] [8] [1] : memref<?xf32> to memref<8xf32, strided<[1]>>
  %less = arith.cmpi slt, %n, %d : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%lx = %n, %ly = %c1, %lz = %c1) {
    scf.if %less {
      memref.store %y, %m[%c4] : memref<?xf32>
      memref.store %x, %s[%tx] : memref<8xf32, strided<[1]>>
    }
    gpu.terminator
  }
  return
}

// What depends on memory stays where it is read.
// CHECK-LABEL: func.func @loads
// CHECK: %[[V:.*]] = memref.load
// CHECK: gpu.launch
// CHECK-NOT: memref.load
// CHECK: memref.store %[[V]]
func.func @loads(%m: memref<4xf32>, %n: index) {
  %v = memref.load %m[%n] : memref<4xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
             threads(%tx, %ty, %tz) in (%lx = %n, %ly = %n, %lz = %n) {
    memref.store %v, %m[%tx] : memref<4xf32>
    gpu.terminator
  }
  return
}

// A view whose sizes are not constant stays: they would be passed beside the memory.
// CHECK-LABEL: func.func @sizes
// CHECK: %[[S:.*]] = memref.subview
// CHECK: %[[C:.*]] = memref.cast %[[S]]
// CHECK: gpu.launch
// CHECK-NOT: memref.subview
// CHECK: memref.store %{{.*}}, %{{.*}} : memref<?xf32, strided<[1], offset: ?>>
func.func @sizes(%m: memref<?xf32>, %x: f32, %n: index) {
  %s = memref.subview %m[0] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  %c = memref.cast %s : memref<?xf32, strided<[1]>> to memref<?xf32, strided<[1], offset: ?>>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
             threads(%tx, %ty, %tz) in (%lx = %n, %ly = %n, %lz = %n) {
    memref.store %x, %c[%tx] : memref<?xf32, strided<[1], offset: ?>>
    gpu.terminator
  }
  return
}
