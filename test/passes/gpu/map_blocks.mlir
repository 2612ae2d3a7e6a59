// Iterations of gang loops as the work of blocks.
//
// RUN: terrace-opt %s -split-input-file -gpu-map-blocks -canonicalize -cse | FileCheck %s

// All threads have the sum, one stores it, and they wait for it before they read it again.
// CHECK-LABEL: func.func @normalize
// CHECK: gpu.launch blocks(%[[I:[^,]*]], {{.*}}) in (%{{[^ ]*}} = %[[ROWS:[^,]*]], {{.*}} threads(%[[T:[^,]*]], {{.*}} in (%{{[^ ]*}} = %c128
// CHECK-SAME: workgroup(%[[BUFFER:.*]] : memref<4xf32, #gpu.address_space<workgroup>>)
// CHECK: %[[OWN:.*]] = scf.for %{{.*}} = %[[T]] to %{{.*}} step %c128 iter_args(
// CHECK: memref.load %arg0[%[[I]],
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: scf.if
// CHECK: memref.store %{{.*}}, %[[BUFFER]]
// CHECK: gpu.barrier
// CHECK-COUNT-4: memref.load %[[BUFFER]]
// CHECK: scf.if
// CHECK-NEXT: memref.store %{{.*}}, %arg2[%[[I]]]
// CHECK: gpu.barrier
// CHECK: memref.load %arg2[%[[I]]]
// CHECK: scf.for %{{.*}} = %[[T]] to
// CHECK: memref.store %{{.*}}, %arg1
// CHECK-NOT: gpu.barrier
// CHECK: gpu.terminator
// CHECK: gpu.note = "each iteration of {{.*}} is the work of a block, whose 128 threads share the loops in it"
func.func @normalize(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %S: memref<?xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%m) step (%c1) {
    %s = scf.parallel (%j) = (%c0) to (%n) step (%c1) init (%zero) -> f32 {
      %v = memref.load %A[%i, %j] : memref<?x?xf32>
      scf.reduce(%v : f32) {
      ^bb0(%x: f32, %y: f32):
        %r = arith.addf %x, %y : f32
        scf.reduce.return %r : f32
      }
    } {acc.loop = {vector}}
    memref.store %s, %S[%i] : memref<?xf32>
    %t = memref.load %S[%i] : memref<?xf32>
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      %v = memref.load %A[%i, %j] : memref<?x?xf32>
      %q = arith.divf %v, %t : f32
      memref.store %q, %B[%i, %j] : memref<?x?xf32>
      scf.reduce
    } {acc.loop = {vector}}
    scf.reduce
  } {acc.loop = {gang}}
  return
}

// -----

// An array of a gang's own is in workgroup memory, and threads wait between writing it and
// reading what others wrote. Loops of 20 iterations have one warp.
// CHECK-LABEL: func.func @own
// CHECK: threads({{.*}} in (%{{[^ ]*}} = %c32
// CHECK-SAME: workgroup(%[[OWN:.*]] : memref<20xf64, #gpu.address_space<workgroup>>)
// CHECK-NOT: memref.alloc
// CHECK: memref.store %{{.*}}, %[[OWN]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[OWN]]
// CHECK-NOT: gpu.barrier
// CHECK: gpu.terminator
func.func @own(%A: memref<?x20xf64>, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c19 = arith.constant 19 : index
  %c20 = arith.constant 20 : index
  scf.parallel (%i) = (%c0) to (%m) step (%c1) {
    %t = memref.alloc() : memref<20xf64>
    scf.parallel (%j) = (%c0) to (%c20) step (%c1) {
      %v = memref.load %A[%i, %j] : memref<?x20xf64>
      memref.store %v, %t[%j] : memref<20xf64>
      scf.reduce
    } {acc.loop = {vector}}
    scf.parallel (%j) = (%c0) to (%c20) step (%c1) {
      %k = arith.subi %c19, %j : index
      %v = memref.load %t[%k] : memref<20xf64>
      memref.store %v, %A[%i, %j] : memref<?x20xf64>
      scf.reduce
    } {acc.loop = {vector}}
    memref.dealloc %t : memref<20xf64>
    scf.reduce
  } {acc.loop = {gang}}
  return
}

// -----

// A loop around those that threads share runs for the whole block: they meet before the next
// iteration. Gangs and threads are as many as the clauses say.
// CHECK-LABEL: func.func @steps
// CHECK: %[[GANGS:.*]] = arith.minsi %{{.*}}, %c7
// CHECK: gpu.launch blocks(%[[ID:[^,]*]], {{.*}}) in (%{{[^ ]*}} = %[[GANGS]], {{.*}} threads({{.*}} = %c64
// CHECK: scf.for %{{.*}} = %[[ID]] to %{{.*}} step %[[GANGS]] {
// CHECK: scf.for %{{.*}} = %c0 to %arg2 step %c1 {
// CHECK: scf.for %{{.*}} step %c64 {
// CHECK: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: }
func.func @steps(%A: memref<?x?xf64>, %m: index, %n: index) attributes {acc.region = {construct = "parallel", num_gangs = 7 : i64, vector_length = 64 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%m) step (%c1) {
    scf.for %k = %c0 to %n step %c1 {
      %k1 = arith.addi %k, %c1 : index
      %p = memref.load %A[%i, %k] : memref<?x?xf64>
      scf.parallel (%j) = (%k1) to (%n) step (%c1) {
        %v = memref.load %A[%i, %j] : memref<?x?xf64>
        %q = arith.subf %v, %p : f64
        memref.store %q, %A[%i, %j] : memref<?x?xf64>
        scf.reduce
      } {acc.loop = {vector}}
    }
    scf.reduce
  } {acc.loop = {gang}}
  return
}

// -----

// What all threads read at the end of an iteration the next one writes: they meet in between.
// CHECK-LABEL: func.func @read_last
// CHECK: scf.for
// CHECK: memref.store
// CHECK: gpu.barrier
// CHECK-NEXT: %{{.*}} = memref.load %arg0
// CHECK: gpu.barrier
// CHECK-NEXT: scf.yield
func.func @read_last(%A: memref<?x?xf64>, %S: memref<?xf64>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%m) step (%c1) {
    %s = scf.for %k = %c0 to %n step %c1 iter_args(%t = %zero) -> (f64) {
      scf.parallel (%j) = (%c0) to (%n) step (%c1) {
        memref.store %t, %A[%i, %j] : memref<?x?xf64>
        scf.reduce
      } {acc.loop = {vector}}
      %v = memref.load %A[%i, %k] : memref<?x?xf64>
      %u = arith.addf %t, %v : f64
      scf.yield %u : f64
    }
    memref.store %s, %S[%i] : memref<?xf64>
    scf.reduce
  } {acc.loop = {gang}}
  return
}

// -----

// Without a directive, and with nothing in a gang but one loop, others map the loops; so where
// an array has no constant size.
// CHECK-LABEL: func.func @others
// CHECK-NOT: gpu.launch
func.func @others(%A: memref<?x?xf64>, %S: memref<?xf64>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%m) step (%c1) {
    memref.store %zero, %S[%i] : memref<?xf64>
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      memref.store %zero, %A[%i, %j] : memref<?x?xf64>
      scf.reduce
    }
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%m) step (%c1) {
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      memref.store %zero, %A[%i, %j] : memref<?x?xf64>
      scf.reduce
    } {acc.loop = {vector}}
    scf.reduce
  } {acc.loop = {gang}}
  scf.parallel (%i) = (%c0) to (%m) step (%c1) {
    %t = memref.alloc(%n) : memref<?xf64>
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      memref.store %zero, %t[%j] : memref<?xf64>
      scf.reduce
    } {acc.loop = {vector}}
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      %v = memref.load %t[%j] : memref<?xf64>
      memref.store %v, %A[%i, %j] : memref<?x?xf64>
      scf.reduce
    } {acc.loop = {vector}}
    memref.dealloc %t : memref<?xf64>
    scf.reduce
  } {acc.loop = {gang}}
  return
}

// -----

// An iteration of workers is a warp's: rows whose lengths are in memory are mostly short.
// CHECK-LABEL: func.func @workers
// CHECK: gpu.launch blocks({{.*}} threads({{.*}} in (%{{[^ ]*}} = %c32
// CHECK-NOT: workgroup
// CHECK: gpu.note = "each iteration of {{.*}} is the work of a block, whose 32 threads share the loops in it"
func.func @workers(%ptr: memref<?xindex>, %A: memref<?xi32>, %S: memref<?xi32>, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  scf.parallel (%i) = (%c0) to (%m) step (%c1) {
    %next = arith.addi %i, %c1 : index
    %from = memref.load %ptr[%i] : memref<?xindex>
    %to = memref.load %ptr[%next] : memref<?xindex>
    %s = scf.parallel (%j) = (%from) to (%to) step (%c1) init (%zero) -> i32 {
      %v = memref.load %A[%j] : memref<?xi32>
      scf.reduce(%v : i32) {
      ^bb0(%x: i32, %y: i32):
        %r = arith.addi %x, %y : i32
        scf.reduce.return %r : i32
      }
    } {acc.loop = {vector}}
    memref.store %s, %S[%i] : memref<?xi32>
    scf.reduce
  } {acc.loop = {gang, worker}}
  return
}

// -----

// A loop that begins elsewhere in each row cannot be one with the rows: it is a block's work. What
// the rows combine goes by way of memory.
// CHECK-LABEL: func.func @uneven
// CHECK: %[[PART:.*]] = memref.alloc(%{{.*}}) : memref<?xf64>
// CHECK: gpu.launch blocks(%[[I:[^,]*]], {{.*}} threads({{.*}} in (%{{[^ ]*}} = %c128
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %[[PART]][%[[I]]] : memref<?xf64>
// CHECK: gpu.terminator
// CHECK: %[[ALL:.*]] = scf.parallel (%[[K:.*]]) = (%c0) to (%{{.*}}) step (%c1) init (%{{.*}}) -> f64 {
// CHECK-NEXT: %[[V:.*]] = memref.load %[[PART]][%[[K]]] : memref<?xf64>
// CHECK-NEXT: scf.reduce(%[[V]] : f64) {
// CHECK: arith.maxnumf
// CHECK: memref.dealloc %[[PART]]
// CHECK-NEXT: return %[[ALL]]
func.func @uneven(%A: memref<?x?xf64>, %m: index, %n: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %s = scf.parallel (%i) = (%c1) to (%m) step (%c1) init (%zero) -> f64 {
    %start = arith.remsi %i, %c2 : index
    %t = scf.parallel (%j) = (%start) to (%n) step (%c2) init (%zero) -> f64 {
      %v = memref.load %A[%i, %j] : memref<?x?xf64>
      scf.reduce(%v : f64) {
      ^bb0(%x: f64, %y: f64):
        %r = arith.maxnumf %x, %y : f64
        scf.reduce.return %r : f64
      }
    } {acc.loop = {vector}}
    scf.reduce(%t : f64) {
    ^bb0(%x: f64, %y: f64):
      %r = arith.maxnumf %x, %y : f64
      scf.reduce.return %r : f64
    }
  } {acc.loop = {gang}}
  return %s : f64
}

// -----

// Rows whose ends lie in memory are warps' work.
// CHECK-LABEL: func.func @sparse
// CHECK: gpu.launch blocks({{.*}} threads({{.*}} in (%{{[^ ]*}} = %c32
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %arg1
// CHECK: gpu.terminator
func.func @sparse(%ptr: memref<?xi32>, %A: memref<?xf32>, %m: index, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%m) step (%c1) {
    %next = arith.addi %i, %c1 : index
    %p = memref.load %ptr[%i] : memref<?xi32>
    %q = memref.load %ptr[%next] : memref<?xi32>
    %from = arith.index_cast %p : i32 to index
    %to = arith.index_cast %q : i32 to index
    scf.parallel (%j) = (%from) to (%to) step (%c1) {
      memref.store %f, %A[%j] : memref<?xf32>
      scf.reduce
    } {acc.loop = {vector}}
    scf.reduce
  } {acc.loop = {gang}}
  return
}
