// RUN: terrace-opt %s --pass-pipeline='builtin.module(func.func(affine-promote))' | FileCheck %s

// What is overwritten before it is read is not read in front of the loop either: it may
// never have been written.

// CHECK-LABEL: func.func @fresh
// CHECK: memref.alloc
// CHECK-NOT: affine.load
// CHECK: %[[ZERO:.*]] = arith.constant 0.0
// CHECK: %[[LAST:.*]] = affine.for {{.*}} iter_args(%{{.*}} = %[[ZERO]])
// CHECK: affine.store %[[LAST]], %{{.*}}[0]
func.func @fresh(%x: memref<8xf32>) -> f32 {
  %buffer = memref.alloc() : memref<1xf32>
  affine.for %i = 3 to 5 {
    %v = affine.load %x[%i] : memref<8xf32>
    affine.store %v, %buffer[0] : memref<1xf32>
  }
  %last = affine.load %buffer[0] : memref<1xf32>
  memref.dealloc %buffer : memref<1xf32>
  return %last : f32
}
