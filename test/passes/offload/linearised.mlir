// RUN: terrace-opt %s -offload-parallelize | FileCheck %s

// The update of LU with linearised subscripts, beside accesses to the same array that
// are no rows of n elements: seen from the loop over k alone it can be taken apart.
// CHECK-LABEL: @lu
// CHECK: affine.parallel
// CHECK: affine.for
// CHECK-NEXT: affine.parallel
// CHECK-NEXT: affine.parallel
func.func @lu(%n: index, %lda: index, %a: memref<?xf64>, %v: f64) attributes {acc.region = {construct = "kernels"}} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %lda {
      %0 = arith.muli %i, %lda : index
      %1 = arith.addi %0, %j : index
      memref.store %v, %a[%1] : memref<?xf64>
    }
  }
  affine.for %k = 0 to %n {
    affine.for %i = affine_map<(d0) -> (d0 + 1)>(%k) to %n {
      affine.for %j = affine_map<(d0) -> (d0 + 1)>(%k) to %n {
        %0 = arith.muli %i, %n : index
        %1 = arith.addi %0, %j : index
        %2 = memref.load %a[%1] : memref<?xf64>
        %3 = arith.addi %0, %k : index
        %4 = memref.load %a[%3] : memref<?xf64>
        %5 = arith.muli %k, %n : index
        %6 = arith.addi %5, %j : index
        %7 = memref.load %a[%6] : memref<?xf64>
        %8 = arith.mulf %4, %7 : f64
        %9 = arith.subf %2, %8 : f64
        memref.store %9, %a[%1] : memref<?xf64>
      }
    }
  }
  return
}

// What is loaded around a loop does not change inside it.
// CHECK-LABEL: @row_of_an_index
// CHECK: affine.for
// CHECK: affine.parallel
func.func @row_of_an_index(%n: index, %p: memref<?xindex>, %y: memref<?x?xf64>, %v: f64) attributes {acc.region = {construct = "kernels"}} {
  affine.for %i = 0 to %n {
    %q = affine.load %p[%i] : memref<?xindex>
    affine.for %k = 0 to %n {
      memref.store %v, %y[%q, %k] : memref<?x?xf64>
    }
  }
  return
}
