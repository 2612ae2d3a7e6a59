// RUN: terrace-opt %s -split-input-file -affine-widen-indices | FileCheck %s

// CHECK-DAG: #[[BACK:.*]] = affine_map<(d0) -> (d0 - 2)>
// CHECK-LABEL: func.func @back
// CHECK: affine.for %[[I:.*]] = 2 to
// CHECK: %[[S:.*]] = affine.apply #[[BACK]](%[[I]])
// CHECK: memref.load %{{.*}}[%[[S]]]
func.func @back(%a: memref<?xf32>, %b: memref<?xf32>, %n: i32) {
  %c2 = arith.constant 2 : i32
  %N = arith.index_cast %n : i32 to index
  affine.for %i = 2 to %N {
    %i32 = arith.index_cast %i : index to i32
    %k = arith.subi %i32, %c2 : i32
    %s = arith.index_cast %k : i32 to index
    %v = memref.load %a[%s] : memref<?xf32>
    affine.store %v, %b[%i] : memref<?xf32>
  }
  return
}

// -----

// It may wrap around, and does not promise otherwise.
// CHECK-LABEL: func.func @wraps
// CHECK-NOT: affine.apply
// CHECK: return
func.func @wraps(%a: memref<?xf32>, %b: memref<?xf32>, %n: i32) {
  %c9 = arith.constant 9 : i32
  %N = arith.index_cast %n : i32 to index
  affine.for %i = 0 to %N {
    %i32 = arith.index_cast %i : index to i32
    %k = arith.addi %i32, %c9 : i32
    %s = arith.index_cast %k : i32 to index
    %v = memref.load %a[%s] : memref<?xf32>
    affine.store %v, %b[%i] : memref<?xf32>
  }
  return
}

// -----

// CHECK-DAG: #[[FAR:.*]] = affine_map<(d0) -> (d0 + 9)>
// CHECK-LABEL: func.func @promises
// CHECK: affine.apply #[[FAR]]
func.func @promises(%a: memref<?xf32>, %b: memref<?xf32>, %n: i32) {
  %c9 = arith.constant 9 : i32
  %N = arith.index_cast %n : i32 to index
  affine.for %i = 0 to %N {
    %i32 = arith.index_cast %i : index to i32
    %k = arith.addi %i32, %c9 overflow<nsw> : i32
    %s = arith.index_cast %k : i32 to index
    %v = memref.load %a[%s] : memref<?xf32>
    affine.store %v, %b[%i] : memref<?xf32>
  }
  return
}
