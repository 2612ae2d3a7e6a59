// RUN: terrace-opt %s -split-input-file -affine-delinearize -canonicalize | FileCheck %s

// The neighbour before exists where the condition says so. C compares in 32 bits, and nothing
// wraps around: n is positive where the loops run.
// CHECK-LABEL: func.func @guarded
// CHECK: scf.if
// CHECK: affine.load %{{.*}}[%[[I:.*]], %[[J:.*]] - 1] : memref<?x?xf64>
// CHECK: scf.if
// CHECK: affine.load %{{.*}}[%[[I]], %[[J]] + 1] : memref<?x?xf64>
func.func @guarded(%A: memref<?xf64>, %B: memref<?xf64>, %n: i32) {
  %N = arith.index_cast %n : i32 to index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : index
  affine.for %i = 0 to %N {
    affine.for %j = 0 to %N {
      %j32 = arith.index_cast %j : index to i32
      %r = arith.muli %i, %N : index
      %k = arith.addi %r, %j : index
      %x = memref.load %A[%k] : memref<?xf64>
      %first = arith.cmpi sgt, %j32, %c0 : i32
      %l = scf.if %first -> f64 {
        %k0 = arith.subi %k, %one : index
        %y = memref.load %A[%k0] : memref<?xf64>
        scf.yield %y : f64
      } else {
        scf.yield %x : f64
      }
      %n1 = arith.subi %n, %c1 : i32
      %last = arith.cmpi slt, %j32, %n1 : i32
      %u = scf.if %last -> f64 {
        %k1 = arith.addi %k, %one : index
        %y = memref.load %A[%k1] : memref<?xf64>
        scf.yield %y : f64
      } else {
        scf.yield %x : f64
      }
      %s = arith.addf %l, %u : f64
      memref.store %s, %B[%k] : memref<?xf64>
    }
  }
  return
}

// -----

// Several conditions at once, as && of C becomes; unsigned ones of numbers that are not negative;
// and the other way.
// CHECK-LABEL: func.func @together
// CHECK: affine.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}} - 1] : memref<?x?xf64>
// CHECK: affine.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}} + 1] : memref<?x?xf64>
func.func @together(%A: memref<?xf64>, %n: index, %m: index, %f: f64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %false = arith.constant false
  %n1 = arith.subi %n, %one : index
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %inside = arith.cmpi ult, %zero, %j : index
      %even = arith.cmpi ne, %i, %one : index
      %both = arith.select %inside, %even, %false : i1
      %r = arith.muli %i, %n : index
      %k = arith.addi %r, %j : index
      scf.if %both {
        %k0 = arith.subi %k, %one : index
        memref.store %f, %A[%k0] : memref<?xf64>
      }
      %last = arith.cmpi sge, %j, %n1 : index
      scf.if %last {
      } else {
        %k1 = arith.addi %k, %one : index
        memref.store %f, %A[%k1] : memref<?xf64>
      }
    }
  }
  return
}

// -----

// j + m may wrap around in 32 bits, so that the comparison says nothing of j.
// CHECK-LABEL: func.func @wraps
// CHECK-NOT: memref<?x?xf64>
func.func @wraps(%A: memref<?xf64>, %n: i32, %m: i32) {
  %N = arith.index_cast %n : i32 to index
  %M = arith.index_cast %m : i32 to index
  %one = arith.constant 1 : index
  %f = arith.constant 1.0 : f64
  affine.for %i = 0 to %M {
    affine.for %j = 0 to %N {
      %j32 = arith.index_cast %j : index to i32
      %far = arith.addi %j32, %m : i32
      %last = arith.cmpi sgt, %far, %m : i32
      scf.if %last {
        %r = arith.muli %i, %N : index
        %k = arith.addi %r, %j : index
        %k0 = arith.subi %k, %one : index
        memref.store %f, %A[%k0] : memref<?xf64>
      }
    }
  }
  return
}

// -----

// The condition is about another side.
// CHECK-LABEL: func.func @other_side
// CHECK-NOT: memref<?x?xf64>
func.func @other_side(%A: memref<?xf64>, %n: index) {
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %f = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %r = arith.muli %i, %n : index
      %k = arith.addi %r, %j : index
      %inside = arith.cmpi sgt, %j, %zero : index
      scf.if %inside {
        %k1 = arith.addi %k, %one : index
        memref.store %f, %A[%k1] : memref<?xf64>
      }
    }
  }
  return
}
