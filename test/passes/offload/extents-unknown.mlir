// RUN: terrace-opt %s -pass-pipeline="builtin.module(offload-extents)" -o %t.mlir 2>&1 | FileCheck %s

// What keeps the extent of an array from being known.
func.func @subscripts(%n: index, %z: f64, %p: memref<?xindex> {acc.name = "p"}, %a: memref<?xf64> {acc.name = "a"}, %b: memref<?xf64> {acc.name = "b"}, %c: memref<?xf64> {acc.name = "c"}) attributes {acc.region = {}} {
  %c3 = arith.constant 3 : index
  affine.for %i = 0 to %n {
    %v = memref.load %p[%i] : memref<?xindex>
    // CHECK-DAG: the extent of a is not known: which part of it {{.*}} reaches: p[i] is read from memory
    %q = arith.divsi %i, %v : index
    memref.store %z, %a[%q] : memref<?xf64>
    // CHECK-DAG: the extent of b is not known: which part of it {{.*}} reaches: p[i] is read from memory
    %r = arith.remsi %i, %v : index
    memref.store %z, %b[%r] : memref<?xf64>
    // CHECK-DAG: the extent of c is not known: which part of it {{.*}} reaches: k is not affine in the loop counters
    %k = arith.xori %i, %c3 : index
    memref.store %z, %c[%k] : memref<?xf64>
  } loc("i")
  return
}

// A loop whose bound is read from memory.
func.func @bounds(%p: memref<1xindex> {acc.name = "p"}, %t: i1, %n: index, %z: f64, %d: memref<?xf64> {acc.name = "d"}, %e: memref<?xf64> {acc.name = "e"}, %f: memref<?xf64> {acc.name = "f"}) attributes {acc.region = {}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = memref.load %p[%c0] : memref<1xindex>
  scf.for %i = %c0 to %m step %c1 {
    // CHECK-DAG: the extent of d is not known: which part of it {{.*}} reaches: what is divided has no known range
    %h = arith.divsi %i, %c2 : index
    memref.store %z, %d[%h] : memref<?xf64>
    // CHECK-DAG: the extent of e is not known: which part of it {{.*}} reaches: what is compared has no known range
    %l = arith.minsi %i, %n : index
    memref.store %z, %e[%l] : memref<?xf64>
    scf.if %t {
      // CHECK-DAG: the extent of f is not known: which part of it {{.*}} reaches: the bounds of a loop around it are not affine
      memref.store %z, %f[%i] : memref<?xf64>
    }
  }
  return
}

// CHECK-DAG: the extent of g is not known: which part of it {{.*}} reaches: the expression is too large
func.func @large(%n: index, %m: index, %o: index, %z: f64, %g: memref<?xf64> {acc.name = "g"}) attributes {acc.region = {}} {
  affine.for %i = 0 to %n {
    %1 = arith.addi %i, %n : index
    %2 = arith.addi %1, %m : index
    %3 = arith.addi %2, %o : index
    %4 = arith.muli %3, %3 : index
    %5 = arith.muli %4, %4 : index
    %6 = arith.muli %5, %5 : index
    %7 = arith.muli %6, %6 : index
    memref.store %z, %g[%7] : memref<?xf64>
  }
  return
}
