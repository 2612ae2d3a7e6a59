// RUN: terrace-opt %s -gpu-map-stencils -canonicalize -cse | FileCheck %s
// RUN: terrace-opt %s -gpu-map-stencils='rows=2' -canonicalize -cse | FileCheck %s --check-prefix=TWO
// RUN: terrace-opt %s -gpu-map-stencils -map-parallel-to-gpu -canonicalize -cse | FileCheck %s --check-prefix=BLOCK
// RUN: not terrace-opt %s -gpu-map-stencils='rows=9' 2>&1 | FileCheck %s --check-prefix=NINE

// NINE: rows is 9, expected at most 8

// Rows of neighbouring iterations are loaded once, and all loads stand in front of all
// stores. With few iterations a thread has one, which the host sees. The first thread of a
// row is idle so that the others are aligned.
// CHECK-LABEL: func.func @rows
// CHECK: %[[MANY:.*]] = arith.cmpi sge, %{{.*}}, %c1048576
// CHECK: %[[STEP:.*]] = arith.select %[[MANY]], %c8, %c1
// CHECK: scf.parallel (%[[I:.*]], %[[J:.*]]) = (%c1, %c0) to ({{.*}}) step (%[[STEP]], %c1)
// CHECK: %[[INSIDE:.*]] = arith.cmpi sge, %[[J]], %c1
// CHECK: scf.if %[[INSIDE]] {
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %[[STEP]]
// CHECK: %[[STOP:.*]] = arith.minsi %{{.*}}, %[[NEXT]]
// CHECK: %[[LAST:.*]] = arith.addi %[[I]], %c7
// CHECK: %[[FULL:.*]] = arith.cmpi slt, %[[LAST]], %[[STOP]]
// CHECK: scf.if %[[FULL]] {
// CHECK-COUNT-10: memref.load
// CHECK-NOT: memref.load
// CHECK-COUNT-8: memref.store
// CHECK: } else {
// CHECK: scf.for %[[K:.*]] = %[[I]] to %[[STOP]] step %c1
// CHECK-COUNT-3: memref.load
// CHECK: memref.store %{{.*}}, %arg1[%[[K]], %[[J]]]
// CHECK: gpu.rows = 8
// CHECK: gpu.block = array<i64: 128, 2, 1>, gpu.fit, gpu.rows = 8
// TWO-LABEL: func.func @rows
// TWO: scf.parallel ({{.*}}) = (%c1, %c0) to ({{.*}}) step (%c2, %c1)
// TWO-COUNT-4: memref.load
// TWO-NOT: memref.load
// TWO: } else {
// BLOCK-LABEL: func.func @rows
// BLOCK: gpu.launch {{.*}} threads({{.*}}) in (%{{.*}} = %c128, %{{.*}} = %c2, %{{.*}} = %c1)
func.func @rows(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c-1 = arith.constant -1 : index
  scf.parallel (%i) = (%c1) to (%n) step (%c1) {
    %up = arith.addi %i, %c1 : index
    %down = arith.addi %i, %c-1 : index
    scf.parallel (%j) = (%c1) to (%n) step (%c1) {
      %0 = memref.load %a[%down, %j] : memref<?x?xf32>
      %1 = memref.load %a[%i, %j] : memref<?x?xf32>
      %2 = memref.load %a[%up, %j] : memref<?x?xf32>
      %3 = arith.addf %0, %1 : f32
      %4 = arith.addf %3, %2 : f32
      memref.store %4, %b[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// The same where the program computes the place of an element itself; what is updated in
// place is loaded by the iteration that stores it and no other.
// TWO-LABEL: func.func @linear
// TWO: scf.if
// TWO-COUNT-5: memref.load
// TWO-NOT: memref.load
// TWO-COUNT-2: memref.store
// TWO: } else {
func.func @linear(%a: memref<?xf64>, %b: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i, %j) = (%c1, %c0) to (%n, %n) step (%c1, %c1) {
    %row = arith.muli %i, %n : index
    %at = arith.addi %row, %j : index
    %before = arith.subi %i, %c1 : index
    %row2 = arith.muli %before, %n : index
    %at2 = arith.addi %row2, %j : index
    %0 = memref.load %a[%at] : memref<?xf64>
    %1 = memref.load %b[%at] : memref<?xf64>
    %2 = memref.load %b[%at2] : memref<?xf64>
    %3 = arith.subf %1, %2 : f64
    %4 = arith.addf %0, %3 : f64
    memref.store %4, %a[%at] : memref<?xf64>
  }
  return
}

// Of three loops the middle one; what is known to be few iterations stays one a thread.
// CHECK-LABEL: func.func @few
// CHECK: scf.parallel ({{.*}}) = (%c0, %c0, %c0) to (%c16, %c16, %c64) step (%c1, %c1, %c1)
// CHECK-NOT: scf.if
// CHECK: gpu.block = array<i64: 64, 4, 1>}
// TWO-LABEL: func.func @few
// TWO: scf.parallel ({{.*}}) = (%c0, %c0, %c0) to (%c16, %c16, %c64) step (%c1, %c2, %c1)
// BLOCK-LABEL: func.func @few
// BLOCK: gpu.launch {{.*}} threads({{.*}}) in (%{{.*}} = %c64, %{{.*}} = %c4, %{{.*}} = %c1)
func.func @few(%a: memref<16x16x64xf32>, %b: memref<16x16x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  scf.parallel (%i, %j, %k) = (%c0, %c0, %c0) to (%c16, %c16, %c64) step (%c1, %c1, %c1) {
    %0 = memref.load %a[%i, %j, %k] : memref<16x16x64xf32>
    memref.store %0, %b[%i, %j, %k] : memref<16x16x64xf32>
  }
  return
}

// Many arrays are bytes enough: two rows a thread, and what is read once does not drive
// from the cache what is read again.
// CHECK-LABEL: func.func @many
// CHECK: arith.select %{{.*}}, %c2, %c1
// CHECK-COUNT-3: memref.load %arg0[%{{.*}}, %{{.*}}] : memref<?x?xf64>
// CHECK-COUNT-8: memref.load {{.*}} {nontemporal = true}
// CHECK: } else {
// CHECK: gpu.block = array<i64: 128, 2, 1>, gpu.fit, gpu.rows = 2
func.func @many(%a: memref<?x?xf64>, %b: memref<4x?x?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    %up = arith.addi %i, %c1 : index
    %x = memref.load %a[%i, %j] : memref<?x?xf64>
    %y = memref.load %a[%up, %j] : memref<?x?xf64>
    %0 = memref.load %b[%c0, %i, %j] : memref<4x?x?xf64>
    %1 = memref.load %b[%c1, %i, %j] : memref<4x?x?xf64>
    %2 = memref.load %b[%c2, %i, %j] : memref<4x?x?xf64>
    %3 = memref.load %b[%c3, %i, %j] : memref<4x?x?xf64>
    %4 = arith.addf %x, %y : f64
    %5 = arith.addf %0, %1 : f64
    %6 = arith.addf %2, %3 : f64
    %7 = arith.mulf %4, %5 : f64
    %8 = arith.mulf %7, %6 : f64
    memref.store %8, %b[%c3, %i, %j] : memref<4x?x?xf64>
  }
  return
}

// Columns, other steps, bounds that change, sizes that a directive gives, and bodies that do
// more are not for this.
// CHECK-LABEL: func.func @others
// CHECK-NOT: gpu.block
// CHECK: return
func.func @others(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    %0 = memref.load %a[%j, %i] : memref<?x?xf32>
    memref.store %0, %b[%i, %j] : memref<?x?xf32>
  }
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c2) {
    %0 = memref.load %a[%i, %j] : memref<?x?xf32>
    memref.store %0, %b[%i, %j] : memref<?x?xf32>
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.parallel (%j) = (%i) to (%n) step (%c1) {
      %0 = memref.load %a[%i, %j] : memref<?x?xf32>
      memref.store %0, %b[%i, %j] : memref<?x?xf32>
    }
  }
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    %0 = memref.load %a[%i, %j] : memref<?x?xf32>
    memref.store %0, %b[%i, %j] : memref<?x?xf32>
  } {acc.loop = {vector = 64 : i64}}
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    %0 = memref.load %a[%i, %j] : memref<?x?xf32>
    %less = arith.cmpi slt, %i, %j : index
    scf.if %less {
      memref.store %0, %b[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// Rows of one element, of which the host does not know whether there is one.
// CHECK-LABEL: func.func @thin
// CHECK-NOT: gpu.block
// CHECK: return
func.func @thin(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.minsi %m, %c1 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %end) step (%c1, %c1) {
    %0 = memref.load %a[%i, %j] : memref<?x?xf64>
    memref.store %0, %b[%i, %j] : memref<?x?xf64>
  }
  return
}
