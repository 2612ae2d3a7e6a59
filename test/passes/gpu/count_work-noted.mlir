// RUN: terrace-opt %s -gpu-map-contractions=arch=sm_90 -gpu-kernel-outlining=unique-kernel-names=true -gpu-count-work -canonicalize -cse | FileCheck %s
// RUN: terrace-opt %s -gpu-map-contractions=arch=sm_90 | FileCheck %s --check-prefix=NOTED

// Products are counted as they are written, whatever their tiles do over the edges: 100 x 90
// elements of 80 products and sums each, and a product with beta for each element. Of bytes
// both factors once, and the result read and written: 8 (100 80 + 80 90 + 2 100 90).
//
// NOTED-LABEL: func @product(
// NOTED: gpu.launch
// NOTED: gpu.note_work
// CHECK-LABEL: func @product(
// CHECK-DAG: %[[NONE:.*]] = arith.constant 0.000000e+00 : f64
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 1.449000e+06 : f64
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 2.656000e+05 : f64
// CHECK: scf.if
// CHECK-NEXT: xfer.note_work %[[NONE]], %[[FLOPS]], %[[BYTES]]
// CHECK-NEXT: }
// CHECK-NEXT: gpu.launch_func
func.func @product(%A: memref<100x80xf64>, %B: memref<80x90xf64>, %C: memref<100x90xf64>, %beta: f64) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 90 {
      %0 = affine.load %C[%i, %j] : memref<100x90xf64>
      %1 = arith.mulf %0, %beta : f64
      affine.store %1, %C[%i, %j] : memref<100x90xf64>
      affine.for %k = 0 to 80 {
        %a = affine.load %A[%i, %k] : memref<100x80xf64>
        %b = affine.load %B[%k, %j] : memref<80x90xf64>
        %c = affine.load %C[%i, %j] : memref<100x90xf64>
        %2 = arith.mulf %a, %b : f64
        %3 = arith.addf %c, %2 : f64
        affine.store %3, %C[%i, %j] : memref<100x90xf64>
      }
    }
  }
  return
}

// The lower triangle of 100 x 100: 5050 elements, 2 times 80 each.
//
// CHECK-LABEL: func @triangle(
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 8.080000e+05 : f64
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 1.448000e+05 : f64
// CHECK: xfer.note_work %{{.*}}, %[[FLOPS]], %[[BYTES]]
func.func @triangle(%A: memref<100x80xf64>, %C: memref<100x100xf64>) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      affine.for %k = 0 to 80 {
        %a = affine.load %A[%i, %k] : memref<100x80xf64>
        %b = affine.load %A[%j, %k] : memref<100x80xf64>
        %c = affine.load %C[%i, %j] : memref<100x100xf64>
        %2 = arith.mulf %a, %b : f64
        %3 = arith.addf %c, %2 : f64
        affine.store %3, %C[%i, %j] : memref<100x100xf64>
      }
    }
  }
  return
}

// Row i adds up the k below it, on average 49.5 of 100: 100 x 90 x 49.5 products and sums, in
// f32.
//
// CHECK-LABEL: func @ragged(
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 8.910000e+05 : f64
// CHECK: xfer.note_work %[[FLOPS]], %{{.*}}, %{{.*}}
func.func @ragged(%A: memref<100x100xf32>, %B: memref<100x90xf32>, %C: memref<100x90xf32>) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 90 {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
        %a = affine.load %A[%i, %k] : memref<100x100xf32>
        %b = affine.load %B[%k, %j] : memref<100x90xf32>
        %c = affine.load %C[%i, %j] : memref<100x90xf32>
        %2 = arith.mulf %a, %b : f32
        %3 = arith.addf %c, %2 : f32
        affine.store %3, %C[%i, %j] : memref<100x90xf32>
      }
    }
  }
  return
}
