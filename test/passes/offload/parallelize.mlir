// RUN: terrace-opt %s -offload-parallelize | FileCheck %s

// What does not meet in memory runs in any order; the sum in k does not.
// CHECK-LABEL: @gemm
// CHECK: affine.parallel (%[[I:.*]]) = (0) to (symbol(%{{.*}}))
// CHECK-NEXT: affine.parallel
// CHECK: affine.for
func.func @gemm(%ni: index, %alpha: f64, %C: memref<?x20xf64>, %A: memref<?x30xf64>, %B: memref<30x20xf64>) attributes {acc.region = {construct = "auto"}} {
  affine.for %i = 0 to %ni {
    affine.for %j = 0 to 20 {
      %0 = affine.load %C[%i, %j] : memref<?x20xf64>
      %1 = arith.mulf %0, %alpha : f64
      affine.store %1, %C[%i, %j] : memref<?x20xf64>
      affine.for %k = 0 to 30 {
        %2 = affine.load %A[%i, %k] : memref<?x30xf64>
        %3 = affine.load %B[%k, %j] : memref<30x20xf64>
        %4 = arith.mulf %2, %3 : f64
        %5 = affine.load %C[%i, %j] : memref<?x20xf64>
        %6 = arith.addf %5, %4 : f64
        affine.store %6, %C[%i, %j] : memref<?x20xf64>
      }
    }
  }
  return
}

// The time loop stays, the sweeps in it do not.
// CHECK-LABEL: @jacobi
// CHECK: affine.for
// CHECK-NEXT: affine.parallel
// CHECK: affine.parallel
func.func @jacobi(%t: index, %n: index, %a: memref<?xf64>, %b: memref<?xf64>) attributes {acc.region = {construct = "auto"}} {
  affine.for %s = 0 to %t {
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%n] {
      %0 = affine.load %a[%i - 1] : memref<?xf64>
      %1 = affine.load %a[%i + 1] : memref<?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %b[%i] : memref<?xf64>
    }
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%n] {
      %0 = affine.load %b[%i] : memref<?xf64>
      affine.store %0, %a[%i] : memref<?xf64>
    }
  }
  return
}

// A sum through two loops, and a maximum found with a comparison: each iteration
// starts at the neutral value.
// CHECK-LABEL: @sum_and_maximum
// CHECK: %[[R:.*]]:2 = affine.parallel (%{{.*}}) = (0) to (symbol(%{{.*}})) reduce ("addf", "maxnumf")
// CHECK: affine.parallel (%{{.*}}) = (0) to (symbol(%{{.*}})) reduce ("addf", "maxnumf")
// CHECK: arith.addf %{{.*}}, %[[R]]#0
// CHECK: arith.cmpf ogt, %[[R]]#1
// CHECK: arith.select
func.func @sum_and_maximum(%n: index, %a: memref<?x?xf64>) -> (f64, f64) attributes {acc.region = {construct = "kernels"}} {
  %z = arith.constant 0.0 : f64
  %r:2 = affine.for %i = 0 to %n iter_args(%s = %z, %m = %z) -> (f64, f64) {
    %q:2 = affine.for %j = 0 to %n iter_args(%s2 = %s, %m2 = %m) -> (f64, f64) {
      %x = affine.load %a[%i, %j] : memref<?x?xf64>
      %s3 = arith.addf %s2, %x : f64
      %c = arith.cmpf ogt, %x, %m2 : f64
      %m3 = scf.if %c -> f64 {
        %x2 = affine.load %a[%i, %j] : memref<?x?xf64>
        scf.yield %x2 : f64
      } else {
        scf.yield %m2 : f64
      }
      affine.yield %s3, %m3 : f64, f64
    }
    affine.yield %q#0, %q#1 : f64, f64
  }
  return %r#0, %r#1 : f64, f64
}

// Accumulated on one path only, by subtraction, and a minimum of integers by select.
// CHECK-LABEL: @paths
// CHECK: affine.parallel {{.*}} reduce ("addf", "mins", "ori")
func.func @paths(%n: index, %a: memref<?xf64>, %k: memref<?xi32>) -> (f64, i32, i32) attributes {acc.region = {construct = "kernels"}} {
  %z = arith.constant 0.0 : f64
  %zero = arith.constant 0 : i32
  %r:3 = affine.for %i = 0 to %n iter_args(%s = %z, %m = %zero, %o = %zero) -> (f64, i32, i32) {
    %x = affine.load %a[%i] : memref<?xf64>
    %c = arith.cmpf olt, %x, %z : f64
    %s1 = scf.if %c -> f64 {
      %d = arith.subf %s, %x : f64
      scf.yield %d : f64
    } else {
      scf.yield %s : f64
    }
    %y = affine.load %k[%i] : memref<?xi32>
    %less = arith.cmpi slt, %m, %y : i32
    %m1 = arith.select %less, %m, %y : i32
    %o1 = arith.ori %y, %o : i32
    affine.yield %s1, %m1, %o1 : f64, i32, i32
  }
  return %r#0, %r#1, %r#2 : f64, i32, i32
}

// A sparse matrix: rows run in any order, the row's sum too.
// CHECK-LABEL: @csr
// CHECK: affine.parallel
// CHECK: scf.parallel {{.*}} init
// CHECK: scf.reduce
func.func @csr(%n: index, %ptr: memref<?xi32>, %col: memref<?xi32>, %val: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>) attributes {acc.region = {construct = "auto"}} {
  %z = arith.constant 0.0 : f64
  %c1 = arith.constant 1 : index
  affine.for %i = 0 to %n {
    %lo32 = affine.load %ptr[%i] : memref<?xi32>
    %hi32 = affine.load %ptr[%i + 1] : memref<?xi32>
    %lo = arith.index_cast %lo32 : i32 to index
    %hi = arith.index_cast %hi32 : i32 to index
    %s = scf.for %k = %lo to %hi step %c1 iter_args(%acc = %z) -> f64 {
      %c32 = memref.load %col[%k] : memref<?xi32>
      %c = arith.index_cast %c32 : i32 to index
      %xv = memref.load %x[%c] : memref<?xf64>
      %v = memref.load %val[%k] : memref<?xf64>
      %p = arith.mulf %xv, %v : f64
      %acc2 = arith.addf %acc, %p : f64
      scf.yield %acc2 : f64
    }
    affine.store %s, %y[%i] : memref<?xf64>
  }
  return
}

// Counters that are no index; a step that is not known.
// CHECK-LABEL: @narrow_counter
// CHECK: scf.parallel (%[[I:.*]]) =
// CHECK-NEXT: arith.index_cast %[[I]] : index to i32
func.func @narrow_counter(%n: i32, %s: i32, %a: memref<?xf64>, %v: f64) attributes {acc.region = {construct = "kernels"}} {
  %c0 = arith.constant 0 : i32
  scf.for %i = %c0 to %n step %s : i32 {
    %k = arith.index_cast %i : i32 to index
    memref.store %v, %a[%k] : memref<?xf64>
  } {acc.loop = {independent}}
  return
}

// A value that only goes round keeps no loop from being parallel.
// CHECK-LABEL: @dead_value
// CHECK: affine.parallel
// CHECK: affine.parallel
func.func @dead_value(%n: index, %a: memref<?x?xf64>, %v: f64) attributes {acc.region = {construct = "auto"}} {
  %0 = affine.for %i = 0 to %n iter_args(%t = %v) -> f64 {
    %1 = affine.for %j = 0 to %n iter_args(%u = %t) -> f64 {
      %x = affine.load %a[%i, %j] : memref<?x?xf64>
      %y = arith.addf %x, %x : f64
      affine.store %y, %a[%i, %j] : memref<?x?xf64>
      affine.yield %y : f64
    }
    affine.yield %1 : f64
  }
  return
}
