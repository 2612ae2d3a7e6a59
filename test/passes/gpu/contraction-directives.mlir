// Directives on the loops of a product.
//
// RUN: terrace-opt %s -split-input-file -gpu-map-contractions="arch=sm_90" | FileCheck %s
// RUN: terrace-opt %s -split-input-file -gpu-map-contractions="arch=sm_90 notes=true" 2>&1 > /dev/null | FileCheck %s --check-prefix=NOTE

// Gangs and vectors without numbers are for the mapper to choose.
// NOTE: remark: matrix product, blocks of
// CHECK: func.func @free
// CHECK: gpu.launch
func.func @free(%A: memref<512x512xf32>, %B: memref<512x512xf32>, %C: memref<512x512xf32>) attributes {acc.region = {construct = "parallel", source = "acc"}} {
  affine.for %i = 0 to 512 {
    affine.for %j = 0 to 512 {
      affine.for %k = 0 to 512 {
        %a = affine.load %A[%i, %k] : memref<512x512xf32>
        %b = affine.load %B[%k, %j] : memref<512x512xf32>
        %c = affine.load %C[%i, %j] : memref<512x512xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : memref<512x512xf32>
      } {acc.loop = {seq}}
    } {acc.loop = {vector}}
  } {acc.loop = {gang}}
  return
}

// -----

// NOTE: remark: {{.*}}has a directive with the sizes of gangs, vectors or tiles
// CHECK: func.func @length
// CHECK-NOT: gpu.launch
// CHECK: return
func.func @length(%A: memref<512x512xf32>, %B: memref<512x512xf32>, %C: memref<512x512xf32>) attributes {acc.region = {construct = "parallel", source = "acc", vector_length = 64 : i64}} {
  affine.for %i = 0 to 512 {
    affine.for %j = 0 to 512 {
      affine.for %k = 0 to 512 {
        %a = affine.load %A[%i, %k] : memref<512x512xf32>
        %b = affine.load %B[%k, %j] : memref<512x512xf32>
        %c = affine.load %C[%i, %j] : memref<512x512xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : memref<512x512xf32>
      }
    }
  }
  return
}

// -----

// Rows are to be computed one after another.
// NOTE: remark: {{.*}}has a directive that keeps its order
// CHECK: func.func @ordered
// CHECK-NOT: gpu.launch
// CHECK: return
func.func @ordered(%A: memref<512x512xf32>, %B: memref<512x512xf32>, %C: memref<512x512xf32>) {
  affine.for %i = 0 to 512 {
    affine.for %j = 0 to 512 {
      affine.for %k = 0 to 512 {
        %a = affine.load %A[%i, %k] : memref<512x512xf32>
        %b = affine.load %B[%k, %j] : memref<512x512xf32>
        %c = affine.load %C[%i, %j] : memref<512x512xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : memref<512x512xf32>
      }
    } {acc.loop = {vector}}
  } {acc.loop = {seq}}
  return
}
