// RUN: terrace-opt %s -gpu-map-contractions='arch=sm_90 delayed=true' | FileCheck %s
// RUN: terrace-opt %s -verify-diagnostics -gpu-map-contractions='arch=sm_90 delayed=true notes=true' -o /dev/null

// Nests that affine-delay-updates made are looked at, others stay.

// Few terms: memory is what limits, and smaller blocks hide it better.
// CHECK-LABEL: func.func @product
// CHECK: affine.for
// CHECK-NOT: affine.parallel
// CHECK: gpu.launch
func.func @product(%A: memref<?x?xf64>, %n: index) {
  affine.for %k0 = 0 to %n step 32 {
    affine.parallel (%i) = (%k0 + 32) to (symbol(%n)) {
      affine.parallel (%j) = (%k0 + 32) to (symbol(%n)) {
        affine.for %k = affine_map<(d) -> (d)>(%k0) to affine_map<(d) -> (d + 32)>(%k0) {
          %x = affine.load %A[%i, %k] : memref<?x?xf64>
          %y = affine.load %A[%k, %j] : memref<?x?xf64>
          %p = arith.mulf %x, %y : f64
          %a = affine.load %A[%i, %j] : memref<?x?xf64>
          %s = arith.subf %a, %p : f64
          // expected-remark @+1 {{matrix product, blocks of 64 x 96, 16 of k at a time, matrix units}}
          affine.store %s, %A[%i, %j] : memref<?x?xf64>
        }
      }
    } {affine.delayed}
  }
  return
}

// CHECK-LABEL: func.func @not_delayed
// CHECK-NOT: gpu.launch
// CHECK: affine.parallel
func.func @not_delayed(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %n: index) {
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), symbol(%n)) {
    affine.for %k = 0 to 32 {
      %x = affine.load %A[%i, %k] : memref<?x?xf64>
      %y = affine.load %B[%k, %j] : memref<?x?xf64>
      %p = arith.mulf %x, %y : f64
      %a = affine.load %C[%i, %j] : memref<?x?xf64>
      %s = arith.subf %a, %p : f64
      affine.store %s, %C[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// What is no product stays as it is, and the loops that were looked at are gone.
// CHECK-LABEL: func.func @no_product
// CHECK-NEXT: affine.parallel (%{{.*}}, %{{.*}}) = (0, 0)
// CHECK-NEXT: affine.for
// CHECK: arith.maximumf
// CHECK: } {affine.delayed}
// CHECK-NEXT: return
func.func @no_product(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %n: index) {
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), symbol(%n)) {
    affine.for %k = 0 to 32 {
      %x = affine.load %A[%i, %k] : memref<?x?xf64>
      %a = affine.load %C[%i, %j] : memref<?x?xf64>
      %s = arith.maximumf %a, %x : f64
      affine.store %s, %C[%i, %j] : memref<?x?xf64>
    }
  } {affine.delayed}
  return
}
