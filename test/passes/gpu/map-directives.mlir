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

// -----

// What vectors do inside a gang's iteration is for the block as a whole, which has another mapper.
// CHECK-LABEL: func.func @together
// CHECK-NOT: gpu.mapper
// CHECK: return
func.func @together(%A: memref<4096x4096xf32>, %n: memref<4096xindex>, %B: memref<4096xf32>) attributes {acc.region = {construct = "parallel"}} {
  %zero = arith.constant 0.0 : f32
  affine.parallel (%i) = (0) to (4096) {
    %count = memref.load %n[%i] : memref<4096xindex>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s = scf.parallel (%j) = (%c0) to (%count) step (%c1) init (%zero) -> f32 {
      %v = memref.load %A[%i, %j] : memref<4096x4096xf32>
      scf.reduce(%v : f32) {
      ^bb0(%a: f32, %b: f32):
        %t = arith.addf %a, %b : f32
        scf.reduce.return %t : f32
      }
    } {acc.loop = {vector}}
    affine.store %s, %B[%i] : memref<4096xf32>
  } {acc.loop = {gang}}
  return
}
