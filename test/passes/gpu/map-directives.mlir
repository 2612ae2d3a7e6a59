// The mapping of nests under directives.
//
// RUN: terrace-opt %s -split-input-file -gpu-map="machine=sm_90" | FileCheck %s

// CHECK-LABEL: func.func @free
// CHECK: gpu.block
func.func @free(%A: memref<4096x4096xf32>, %B: memref<4096x4096xf32>) attributes {acc.region = {construct = "parallel"}} {
  affine.parallel (%i) = (0) to (4096) {
    affine.parallel (%j) = (0) to (4096) {
      %v = affine.load %A[%i, %j] : memref<4096x4096xf32>
      affine.store %v, %B[%j, %i] : memref<4096x4096xf32>
    }
  } {acc.loop = {collapse = 2 : i64}}
  return
}

// -----

// Clauses without numbers say that iterations run side by side; how many gangs there are, and what of
// the machine each is, is open.
// CHECK-LABEL: func.func @levels
// CHECK: gpu.block = array<i64: 8, 32, 1>
// CHECK: return
func.func @levels(%A: memref<4096x4096xf32>, %B: memref<4096x4096xf32>) attributes {acc.region = {construct = "parallel"}} {
  affine.parallel (%i) = (0) to (4096) {
    affine.parallel (%j) = (0) to (4096) {
      %v = affine.load %A[%i, %j] : memref<4096x4096xf32>
      affine.store %v, %B[%j, %i] : memref<4096x4096xf32>
    } {acc.loop = {vector}}
  } {acc.loop = {gang}}
  return
}

// -----

// Blocks of 64 threads, by the construct.
// CHECK-LABEL: func.func @length
// CHECK-NOT: gpu.block
// CHECK: return
func.func @length(%A: memref<4096x4096xf32>, %B: memref<4096x4096xf32>) attributes {acc.region = {construct = "parallel", vector_length = 64 : i64}} {
  affine.parallel (%i) = (0) to (4096) {
    affine.parallel (%j) = (0) to (4096) {
      %v = affine.load %A[%i, %j] : memref<4096x4096xf32>
      affine.store %v, %B[%j, %i] : memref<4096x4096xf32>
    }
  }
  return
}
