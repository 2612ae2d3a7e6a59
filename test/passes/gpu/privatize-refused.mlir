// RUN: terrace-opt %s -split-input-file -gpu-privatize-reductions=arch=sm_90 | FileCheck %s

// CHECK-NOT: gpu.launch

// The result is used.
func.func @used(%a: memref<?xi32>, %h: memref<100xi32>, %to: memref<?xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %a[%i] : memref<?xi32>
    %k = arith.index_cast %v : i32 to index
    %old = memref.atomic_rmw addi %one, %h[%k] : (i32, memref<100xi32>) -> i32
    memref.store %old, %to[%i] : memref<?xi32>
    scf.reduce
  }
  return
}

// -----

// The array is read, by way of another view.
func.func @read(%h: memref<100xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %view = memref.cast %h : memref<100xi32> to memref<?xi32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %view[%c0] : memref<?xi32>
    %k = arith.index_cast %v : i32 to index
    %old = memref.atomic_rmw addi %v, %h[%k] : (i32, memref<100xi32>) -> i32
    scf.reduce
  }
  return
}

// -----

// It is combined in two ways, which do not go together in any order.
func.func @two_kinds(%a: memref<?xi32>, %h: memref<100xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %a[%i] : memref<?xi32>
    %k = arith.index_cast %v : i32 to index
    %old = memref.atomic_rmw addi %v, %h[%k] : (i32, memref<100xi32>) -> i32
    %older = memref.atomic_rmw maxs %v, %h[%c0] : (i32, memref<100xi32>) -> i32
    scf.reduce
  }
  return
}

// -----

// The last value that comes is no combination.
func.func @assigned(%a: memref<?xi32>, %h: memref<100xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %a[%i] : memref<?xi32>
    %k = arith.index_cast %v : i32 to index
    %old = memref.atomic_rmw assign %v, %h[%k] : (i32, memref<100xi32>) -> i32
    scf.reduce
  }
  return
}

// -----

// It does not fit.
func.func @too_large(%a: memref<?xi32>, %h: memref<24577xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %a[%i] : memref<?xi32>
    %k = arith.index_cast %v : i32 to index
    %old = memref.atomic_rmw addi %v, %h[%k] : (i32, memref<24577xi32>) -> i32
    scf.reduce
  }
  return
}

// -----

// There are too few iterations.
func.func @few(%a: memref<?xi32>, %h: memref<100xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %a[%i] : memref<?xi32>
    %k = arith.index_cast %v : i32 to index
    %old = memref.atomic_rmw addi %v, %h[%k] : (i32, memref<100xi32>) -> i32
    scf.reduce
  }
  return
}

// -----

// A thread does more than to update: there should be as many as iterations.
func.func @row(%a: memref<?x?xi32>, %h: memref<100xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%t = %zero) -> i32 {
      %v = memref.load %a[%i, %j] : memref<?x?xi32>
      %u = arith.addi %t, %v : i32
      scf.yield %u : i32
    }
    %k = arith.index_cast %s : i32 to index
    %old = memref.atomic_rmw addi %s, %h[%k] : (i32, memref<100xi32>) -> i32
    scf.reduce
  }
  return
}

// -----

// The directive says how many threads a block has.
func.func @given(%a: memref<?xi32>, %h: memref<100xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %a[%i] : memref<?xi32>
    %k = arith.index_cast %v : i32 to index
    %old = memref.atomic_rmw addi %v, %h[%k] : (i32, memref<100xi32>) -> i32
    scf.reduce
  } {acc.loop = {vector = 128 : i64}}
  return
}
