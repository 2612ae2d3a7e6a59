// RUN: terrace-opt %s -split-input-file -gpu-privatize-reductions=arch=sm_90 -canonicalize -cse | FileCheck %s

// Elements in copies side by side, of which neighbouring threads have different ones. Blocks take
// pieces by turns, and where a piece is full all is loaded before anything is updated.
// CHECK-LABEL: func.func @counts
// CHECK: %[[FITS:.*]] = arith.cmpi sle, %{{.*}}, %c98304
// CHECK: %[[MANY:.*]] = arith.cmpi sle
// CHECK: %[[PAYS:.*]] = arith.andi %[[FITS]], %[[MANY]]
// CHECK: scf.if %[[PAYS]]
// CHECK: gpu.launch blocks(%[[BLOCK:[^,]*]], {{.*}}) in (%[[BLOCKS:[^ ]*]] = {{.*}} threads(%[[THREAD:[^,]*]], {{.*}} in (%{{.*}} = %c512{{.*}} dynamic_shared_memory_size
// CHECK: %[[OWN:.*]] = arith.andi %[[THREAD]], %[[REST:.*]] : index
// CHECK: %[[COPIES:.*]] = memref.view {{.*}} to memref<?xi32, #gpu.address_space<workgroup>>
// CHECK: scf.for %{{.*}} = %[[THREAD]]
// CHECK-NEXT: memref.store %c0_i32, %[[COPIES]]
// CHECK: gpu.barrier
// CHECK-NEXT: scf.for %{{.*}} = %[[BLOCK]] to %{{.*}} step %[[BLOCKS]]
// CHECK: scf.if
// CHECK-COUNT-4: memref.load %arg0
// CHECK-NOT: memref.load
// CHECK-COUNT-4: memref.atomic_rmw addi %c1_i32, %[[COPIES]]
// CHECK: } else {
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c1
// CHECK: scf.if
// CHECK: memref.load %arg0
// CHECK: memref.atomic_rmw addi %c1_i32, %[[COPIES]]
// CHECK: gpu.barrier
// CHECK-NEXT: scf.for %[[BIN:.*]] = %[[THREAD]] to
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: memref.load %[[COPIES]]
// CHECK: %[[CHANGES:.*]] = arith.cmpi ne, %[[SUM]], %c0_i32
// CHECK-NEXT: scf.if %[[CHANGES]]
// CHECK-NEXT: memref.atomic_rmw addi %[[SUM]], %arg1[%[[BIN]]]
// CHECK: gpu.note = "sums into h in up to 32 copies a block, in shared memory; each block then changes an element once; runs where the program finds that it pays, else the next kernel does"
// CHECK: } else {
// CHECK-NEXT: scf.parallel
func.func @counts(%a: memref<?xi32>, %h: memref<?xi32> {terrace.name = "h"}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %a[%i] : memref<?xi32>
    %k = arith.index_cast %v : i32 to index
    %old = memref.atomic_rmw addi %one, %h[%k] : (i32, memref<?xi32>) -> i32
    scf.reduce
  }
  return
}

// -----

// Shared memory has no instruction for sums of f64: lanes with one element would try again and
// again, so what a warp adds to one element is added up first. All sizes are known.
// CHECK-LABEL: func.func @weights
// CHECK-NOT: scf.parallel
// CHECK: gpu.launch
// CHECK: %[[FIRST:.*]], %{{.*}} = gpu.shuffle idx
// CHECK: gpu.subgroup_reduce and
// CHECK: scf.if
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: scf.if
// CHECK: memref.atomic_rmw addf
// CHECK: } else {
// CHECK-COUNT-4: memref.atomic_rmw addf
// CHECK: arith.bitcast {{.*}} : f64 to i64
// CHECK: gpu.note = "sums into y in 32 copies a block, in shared memory; each block then changes an element once"
func.func @weights(%at: memref<1000000xi32>, %w: memref<1000000xf64>, %y: memref<77xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000000 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %at[%i] : memref<1000000xi32>
    %x = memref.load %w[%i] : memref<1000000xf64>
    %k = arith.index_cast %v : i32 to index
    %old = memref.atomic_rmw addf %x, %y[%k] : (f64, memref<77xf64>) -> f64
    scf.reduce
  }
  return
}

// -----

// What a thread does in a strip: the loop has its iterations side by side. Elements that the
// sizes of the array do not have are updated in the array itself, as C may reach them.
// CHECK-LABEL: func.func @strips
// CHECK: gpu.launch
// CHECK: scf.if
// CHECK-COUNT-4: memref.load %arg0
// CHECK: %[[WITHIN:.*]] = arith.cmpi ult
// CHECK-NEXT: scf.if %[[WITHIN]]
// CHECK: memref.atomic_rmw maxs %{{.*}}, %view
// CHECK: } else {
// CHECK-NEXT: memref.atomic_rmw maxs %{{.*}}, %arg1
// CHECK: gpu.note = "greatest values into h in 32 copies
func.func @strips(%a: memref<?xi32>, %h: memref<100xi32>) attributes {acc.region = {construct = "auto"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 100000 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %first = arith.muli %i, %c4 : index
    scf.for %j = %c0 to %c4 step %c1 {
      %at = arith.addi %first, %j : index
      %v = memref.load %a[%at] : memref<?xi32>
      %k = arith.index_cast %v : i32 to index
      %old = memref.atomic_rmw maxs %v, %h[%k] : (i32, memref<100xi32>) -> i32
    }
    scf.reduce
  }
  return
}

// -----

// Two arrays have copies one behind the other, those with the larger elements first. The third
// is read, and stays as it is.
// CHECK-LABEL: func.func @several
// CHECK: memref.view %{{.*}}[%c0]{{.*}} to memref<1600xf64, #gpu.address_space<workgroup>>
// CHECK: memref.view %{{.*}}[%c12800]{{.*}} to memref<1600xi32, #gpu.address_space<workgroup>>
// CHECK: memref.atomic_rmw addi %{{.*}}, %arg3
// CHECK: gpu.note = "sums into y and combined bits into x in 16 copies
func.func @several(%a: memref<?xi32>, %x: memref<100xi32>, %y: memref<100xf64>, %z: memref<100xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %f = arith.constant 1.0 : f64
  %n = arith.constant 100000 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %a[%i] : memref<?xi32>
    %k = arith.index_cast %v : i32 to index
    %o = memref.atomic_rmw ori %v, %x[%k] : (i32, memref<100xi32>) -> i32
    %p = memref.atomic_rmw addf %f, %y[%k] : (f64, memref<100xf64>) -> f64
    %w = memref.load %z[%k] : memref<100xi32>
    %q = memref.atomic_rmw addi %w, %z[%k] : (i32, memref<100xi32>) -> i32
    scf.reduce
  }
  return
}
