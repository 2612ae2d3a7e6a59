// RUN: terrace-opt %s -offload-registers | FileCheck %s
// RUN: terrace-opt %s -offload-registers=rotate=false | FileCheck %s --check-prefix=FIXED

// A maximum over k of one array, in which only the subscripts tell that what is read is not
// what is written: the element is loaded once, and no condition loads it again.
// CHECK-LABEL: @pairs
// CHECK: affine.parallel (%[[I:.*]]) =
// CHECK: affine.for {{.*}} iter_args(%[[V:.*]] = %{{.*}}) -> (i32)
// CHECK-NEXT: %[[A:.*]] = affine.load %arg1[%[[I]], %{{.*}}]
// CHECK-NEXT: %[[B:.*]] = affine.load %arg1[%{{.*}} + 1,
// CHECK: scf.if
// CHECK-NEXT: scf.yield %[[V]]
// CHECK-NEXT: } else {
// CHECK-NEXT: arith.addi %[[A]], %[[B]]
// CHECK-NOT: affine.store
// CHECK: affine.yield
// CHECK: affine.store
func.func @pairs(%n: index, %t: memref<?x900xi32>) {
  affine.for %d = 2 to %n {
    affine.parallel (%i) = (0) to (symbol(%n) - %d) {
      affine.for %k = affine_map<(d0) -> (d0 + 1)>(%i) to affine_map<(d0, d1) -> (d0 + d1)>(%i, %d) {
        %0 = affine.load %t[%i, %i + %d] : memref<?x900xi32>
        %1 = affine.load %t[%i, %k] : memref<?x900xi32>
        %2 = affine.load %t[%k + 1, %i + %d] : memref<?x900xi32>
        %3 = arith.addi %1, %2 : i32
        %c = arith.cmpi sge, %0, %3 : i32
        %4 = scf.if %c -> (i32) {
          %5 = affine.load %t[%i, %i + %d] : memref<?x900xi32>
          scf.yield %5 : i32
        } else {
          %5 = affine.load %t[%i, %k] : memref<?x900xi32>
          %6 = affine.load %t[%k + 1, %i + %d] : memref<?x900xi32>
          %7 = arith.addi %5, %6 : i32
          scf.yield %7 : i32
        }
        affine.store %4, %t[%i, %i + %d] : memref<?x900xi32>
      }
    }
  }
  return
}

// A store in between may have changed it, and so may one under the condition; loops of the
// host carry nothing.
// CHECK-LABEL: @changed
// CHECK: scf.if
// CHECK-NEXT: affine.load
// CHECK: scf.if
// CHECK-NEXT: affine.store
// CHECK-NEXT: affine.load
// CHECK-LABEL: @host
// CHECK: affine.for
// CHECK-NOT: iter_args
// CHECK: return
func.func @changed(%n: index, %c: i1, %x: i32, %a: memref<?xi32>, %b: memref<?xi32>) {
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %0 = affine.load %a[%i] : memref<?xi32>
    affine.store %x, %a[%i] : memref<?xi32>
    %1 = scf.if %c -> (i32) {
      %2 = affine.load %a[%i] : memref<?xi32>
      scf.yield %2 : i32
    } else {
      scf.yield %0 : i32
    }
    %3 = affine.load %b[%i] : memref<?xi32>
    %4 = scf.if %c -> (i32) {
      affine.store %1, %b[%i] : memref<?xi32>
      %5 = affine.load %b[%i] : memref<?xi32>
      scf.yield %5 : i32
    } else {
      scf.yield %3 : i32
    }
    affine.store %4, %a[%i] : memref<?xi32>
  }
  return
}

func.func @host(%n: index, %x: i32, %a: memref<?xi32>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %a[0] : memref<?xi32>
    %1 = arith.addi %0, %x : i32
    affine.store %1, %a[0] : memref<?xi32>
  }
  return
}

// Without what is handed on: the sum is carried, the element before is loaded.
// FIXED-LABEL: @prefix
// FIXED: affine.for {{.*}} iter_args(%{{.*}}) -> (f64)
// FIXED-COUNT-2: affine.load %arg1
// FIXED-NOT: affine.load
// FIXED: affine.yield
// CHECK-LABEL: @prefix
// CHECK: affine.for {{.*}} iter_args(%{{.*}}, %{{.*}}) -> (f64, f64)
// CHECK-NEXT: affine.load %arg1
// CHECK-NOT: affine.load
// CHECK: affine.yield
func.func @prefix(%n: index, %t: memref<?x?xf64>, %s: memref<?xf64>) {
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.for %k = 1 to %n {
      %0 = affine.load %s[%i] : memref<?xf64>
      %1 = affine.load %t[%i, %k] : memref<?x?xf64>
      %2 = affine.load %t[%i, %k - 1] : memref<?x?xf64>
      %3 = arith.mulf %1, %2 : f64
      %4 = arith.addf %0, %3 : f64
      affine.store %4, %s[%i] : memref<?xf64>
    }
  }
  return
}
