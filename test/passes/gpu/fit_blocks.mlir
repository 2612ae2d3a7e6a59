// RUN: terrace-opt %s --split-input-file -map-parallel-to-gpu | FileCheck %s --check-prefix=MARK
// RUN: terrace-opt %s --split-input-file -map-parallel-to-gpu -canonicalize -cse -gpu-fit-blocks -canonicalize -cse | FileCheck %s
// RUN: terrace-opt %s --split-input-file -map-parallel-to-gpu='block-sizes=32,8' -gpu-fit-blocks | FileCheck %s --check-prefix=GIVEN

// A row of less than 128 elements has a thread for each of them, a longer one 32 threads.
// MARK-LABEL: func.func @rows
// MARK: {gpu.extents = array<i64: -1, -1, 1>}
// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[N:.*]]: index, %[[M:.*]]: index,
// CHECK: arith.select
// CHECK: %[[GX:.*]] = arith.ceildivsi %{{.*}}, %[[X:[0-9]+]] :
// CHECK: gpu.launch blocks(%[[BX:[a-z0-9]*]], %{{.*}}, %{{.*}}) in (%{{.*}} = %[[GX]], {{.*}}) threads(%[[TX:[a-z0-9]*]], %{{.*}}, %{{.*}}) in (%[[SX:.*]] = %[[X]], %{{.*}} = %{{.*}}, %{{.*}} = %c1)
// CHECK: %[[B:.*]] = arith.muli %[[BX]], %[[SX]]
// CHECK: arith.addi %[[B]], %[[TX]]
// CHECK: scf.if
// CHECK: {nvvm.maxntid = array<i32: 32, 8, 1>}
// GIVEN-LABEL: func.func @rows
// GIVEN: = %c32{{.*}}, %{{.*}} = %c8
// GIVEN-NOT: nvvm.maxntid
func.func @rows(%n: index, %m: index, %A: memref<?x?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
    memref.store %x, %A[%i, %j] : memref<?x?xf32>
    scf.reduce
  }
  return
}

// -----

// One extent is known: there are conditions along that axis too.
// MARK-LABEL: func.func @some
// MARK: %[[IN:.*]] = arith.cmpi slt
// MARK: {gpu.extents = array<i64: 64, -1, 1>}
// CHECK-LABEL: func.func @some
// CHECK: gpu.launch
// CHECK: arith.cmpi slt, %{{.*}}, %c64
// CHECK: {nvvm.maxntid = array<i32: 32, 8, 1>}
func.func @some(%n: index, %A: memref<?x64xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %c64) step (%c1, %c1) {
    memref.store %x, %A[%i, %j] : memref<?x64xf32>
    scf.reduce
  }
  return
}

// -----

// All are known: nothing is left for the run.
// MARK-LABEL: func.func @known
// MARK: threads(%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}} = %c33{{.*}}, %{{.*}} = %c7{{.*}}, %{{.*}} = %c1
// MARK-NOT: gpu.extents
// CHECK-LABEL: func.func @known
// CHECK-NOT: nvvm.maxntid
func.func @known(%A: memref<1000x33xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c33 = arith.constant 33 : index
  %c1000 = arith.constant 1000 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c1000, %c33) step (%c1, %c1) {
    memref.store %x, %A[%i, %j] : memref<1000x33xf32>
    scf.reduce
  }
  return
}

// -----

// A directive says how many threads there are along x; a schedule or another mapper says all.
// MARK-LABEL: func.func @asked
// MARK-NOT: gpu.extents
// CHECK-LABEL: func.func @asked
// CHECK-NOT: nvvm.maxntid
func.func @asked(%n: index, %m: index, %A: memref<?x?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
    memref.store %x, %A[%i, %j] : memref<?x?xf32>
    scf.reduce
  } {acc.loop = {vector = 64 : i64}}
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
    memref.store %x, %A[%i, %j] : memref<?x?xf32>
    scf.reduce
  } {gpu.block = array<i64: 16, 16, 1>, gpu.mapper = "loops"}
  return
}

// -----

// One loop: there is nothing to share out.
// MARK-LABEL: func.func @one
// MARK-NOT: gpu.extents
func.func @one(%n: index, %A: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %x, %A[%i] : memref<?xf32>
    scf.reduce
  }
  return
}

// -----

// Whatever else depends on a block's number keeps the shape that it was mapped with.
// MARK-LABEL: func.func @other
// CHECK-LABEL: func.func @other
// CHECK: = %c32, %{{.*}} = %c8
// CHECK-NOT: nvvm.maxntid
func.func @other(%n: index, %m: index, %A: memref<?xindex>) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %gx = arith.ceildivsi %m, %c32 : index
  %gy = arith.ceildivsi %n, %c8 : index
  gpu.launch blocks(%bx, %by, %bz) in (%g0 = %gx, %g1 = %gy, %g2 = %c1) threads(%tx, %ty, %tz) in (%b0 = %c32, %b1 = %c8, %b2 = %c1) {
    memref.store %by, %A[%bx] : memref<?xindex>
    gpu.terminator
  } {gpu.extents = array<i64: -1, -1, 1>}
  return
}
