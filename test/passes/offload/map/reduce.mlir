// RUN: terrace-opt %s -split-input-file -map-parallel-to-gpu -offload-map -canonicalize -cse | FileCheck %s

// Each block leaves a partial sum; one block adds those to the initial value. Who
// needs the sum on the device reads it there, and nothing is copied to the host.
// CHECK-LABEL: func.func @sum
// CHECK-NOT: gpu.memcpy
// CHECK: %[[PARTIAL:.*]] = gpu.alloc () : memref<1024xf64>
// CHECK: %[[SUM:.*]] = gpu.alloc () : memref<1xf64>
// CHECK: gpu.launch {{.*}} function(@sum_kernel0) workgroup(%[[SHARED:.*]] : memref<256xf64, #gpu.address_space<workgroup>>)
// CHECK: %[[MINE:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (f64) {
// CHECK: %[[V:.*]] = memref.load %arg0
// CHECK: %[[NEXT:.*]] = arith.addf %[[ACC]], %[[V]]
// CHECK: scf.yield %[[NEXT]]
// CHECK: memref.store %[[MINE]], %[[SHARED]]
// CHECK: gpu.barrier
// CHECK: memref.store %{{.*}}, %[[PARTIAL]]
// CHECK: gpu.launch blocks({{.*}}) in (%{{.*}} = %[[C1:[^,]*]], {{.*}}) {{.*}} function(@sum_kernel1)
// CHECK: memref.load %[[PARTIAL]]
// CHECK: arith.addf %arg1
// CHECK: memref.store %{{.*}}, %[[SUM]]
// CHECK: gpu.launch {{.*}} function(@sum_kernel2)
// CHECK: memref.load %[[SUM]]
// CHECK: gpu.dealloc %[[SUM]]
// CHECK: gpu.dealloc %[[PARTIAL]]
func.func @sum(%a: memref<?xf64>, %init: f64, %n: index) attributes {acc.region = {construct = "parallel"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%init) -> f64 {
    %v = memref.load %a[%i] : memref<?xf64>
    scf.reduce(%v : f64) {
    ^bb0(%p: f64, %q: f64):
      %o = arith.addf %p, %q : f64
      scf.reduce.return %o : f64
    }
  }
  memref.store %r, %a[%c0] : memref<?xf64>
  return
}

// -----

// A result of the function is fetched. A reduction in a reduction that does the same
// is one over both loops.
// CHECK-LABEL: func.func @count
// CHECK: gpu.launch
// CHECK: arith.remui
// CHECK: memref.load %arg0
// CHECK: gpu.launch
// CHECK: gpu.memcpy %[[ROOM:.*]], %{{.*}} : memref<1xi64>, memref<1xi64>
// CHECK: %[[R:.*]] = memref.load %[[ROOM]]
// CHECK: return %[[R]]
func.func @count(%a: memref<?x?xi64>, %n: index) -> i64 attributes {acc.region = {construct = "parallel"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> i64 {
    %s = scf.parallel (%j) = (%c0) to (%n) step (%c1) init (%zero) -> i64 {
      %v = memref.load %a[%i, %j] : memref<?x?xi64>
      scf.reduce(%v : i64) {
      ^bb0(%p: i64, %q: i64):
        %o = arith.addi %p, %q : i64
        scf.reduce.return %o : i64
      }
    }
    scf.reduce(%s : i64) {
    ^bb0(%p: i64, %q: i64):
      %o = arith.addi %p, %q : i64
      scf.reduce.return %o : i64
    }
  }
  return %r : i64
}

// -----

// Two results at once, one of them combined in a way without a neutral value: a flag
// tells whether the thread has one yet.
// CHECK-LABEL: func.func @two
// CHECK: gpu.launch {{.*}} workgroup(%[[S0:.*]] : memref<256xf64, #gpu.address_space<workgroup>>, %[[S1:.*]] : memref<256xi32, #gpu.address_space<workgroup>>)
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %arg1, %{{.*}} = %arg2, %[[SOME:.*]] = %false) -> (f64, i32, i1)
// CHECK: arith.select %[[SOME]]
func.func @two(%a: memref<?xf64>, %x: f64, %y: i32, %n: index) -> (f64, i32) attributes {acc.region = {construct = "parallel"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%x, %y) -> (f64, i32) {
    %v = memref.load %a[%i] : memref<?xf64>
    %k = arith.index_cast %i : index to i32
    scf.reduce(%v, %k : f64, i32) {
    ^bb0(%p: f64, %q: f64):
      %c = arith.cmpf ogt, %p, %q : f64
      %o = arith.select %c, %p, %q : f64
      scf.reduce.return %o : f64
    }, {
    ^bb0(%p: i32, %q: i32):
      %o = arith.maxsi %p, %q : i32
      scf.reduce.return %o : i32
    }
  }
  return %r#0, %r#1 : f64, i32
}

// -----

// A reduction in a parallel loop runs in each thread.
// CHECK-LABEL: func.func @rows
// CHECK: gpu.launch
// CHECK: scf.for {{.*}} iter_args
// CHECK: memref.store
// CHECK-NOT: gpu.launch
func.func @rows(%a: memref<?x?xf64>, %y: memref<?xf64>, %n: index) attributes {acc.region = {construct = "parallel"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %s = scf.parallel (%j) = (%c0) to (%n) step (%c1) init (%z) -> f64 {
      %v = memref.load %a[%i, %j] : memref<?x?xf64>
      scf.reduce(%v : f64) {
      ^bb0(%p: f64, %q: f64):
        %o = arith.addf %p, %q : f64
        scf.reduce.return %o : f64
      }
    }
    memref.store %s, %y[%i] : memref<?xf64>
  }
  return
}
