// RUN: terrace-opt %s -affine-vectorize-innermost=checked=true | FileCheck %s

// Within the array for sure, by constants or because the bound is the array's size.
// CHECK-LABEL: func.func @sure
// CHECK: vector.transfer_read {{.*}} {in_bounds = [true], terrace.in_bounds}
// CHECK: vector.transfer_write {{.*}} {in_bounds = [true], terrace.in_bounds}
func.func @sure(%A: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xf64>
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %b = arith.addf %a, %a : f64
    affine.store %b, %A[%i] : memref<?xf64>
  }
  return
}

// Perhaps not within it: each access is checked.
// CHECK-LABEL: func.func @perhaps
// CHECK-NOT: vector
func.func @perhaps(%A: memref<?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %b = arith.addf %a, %a : f64
    affine.store %b, %A[%i] : memref<?xf64>
  }
  return
}
