// RUN: terrace-opt %s -map-parallel-to-gpu -canonicalize -cse | FileCheck %s

// The last block is guarded. A launch without blocks runs nothing.
// CHECK-LABEL: func.func @one
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C256:.*]] = arith.constant 256 : index
// CHECK: %[[TRIPS:.*]] = arith.maxsi %arg1, %[[C0]]
// CHECK: %[[BLOCKS:.*]] = arith.ceildivsi %[[TRIPS]], %[[C256]]
// CHECK: gpu.launch blocks(%[[B:[^,]*]], {{.*}}) in (%{{[^ ]*}} = %[[BLOCKS]], {{.*}}) threads(%[[T:[^,]*]], {{.*}}) in (%[[N:[^ ]*]] = %[[C256]], {{.*}})
// CHECK: %[[FIRST:.*]] = arith.muli %[[B]], %[[N]]
// CHECK: %[[K:.*]] = arith.addi %[[FIRST]], %[[T]]
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[K]], %[[TRIPS]]
// CHECK: scf.if %[[INSIDE]] {
// CHECK: memref.store %{{.*}}, %arg0[%[[K]]]
func.func @one(%a: memref<?xf64>, %n: index) attributes {acc.region = {construct = "parallel"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %z, %a[%i] : memref<?xf64>
  }
  return
}

// A triangle is launched as its square, with a guard; what stands between the loops
// and only reads is done again by each thread.
// CHECK-LABEL: func.func @triangle
// CHECK: gpu.launch
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[R:.*]] = memref.load %arg1[%[[I]]]
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[J:.*]], %[[I]]
// CHECK: scf.if %[[INSIDE]] {
// CHECK-NEXT: memref.store %[[R]], %arg0[%[[I]], %[[J]]]
func.func @triangle(%a: memref<?x?xf64>, %x: memref<?xf64>, %n: index) attributes {acc.region = {construct = "parallel"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %x[%i] : memref<?xf64>
    scf.parallel (%j) = (%c0) to (%i) step (%c1) {
      memref.store %v, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Bounds that memory holds cannot be known in front: that loop runs in the thread.
// CHECK-LABEL: func.func @sparse
// CHECK: gpu.launch
// CHECK: scf.if
// CHECK: %[[L:.*]] = memref.load %arg1
// CHECK: %[[U:.*]] = memref.load %arg1
// CHECK: scf.for %{{.*}} = %[[L]] to %[[U]]
func.func @sparse(%a: memref<?xf64>, %row: memref<?xindex>, %n: index) attributes {acc.region = {construct = "parallel"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %l = memref.load %row[%i] : memref<?xindex>
    %i1 = arith.addi %i, %c1 : index
    %u = memref.load %row[%i1] : memref<?xindex>
    scf.parallel (%k) = (%l) to (%u) step (%c1) {
      memref.store %z, %a[%k] : memref<?xf64>
    }
  }
  return
}

// The loop along which elements lie side by side runs along x: here the outer one.
// Sizes that divide evenly need no guard.
// CHECK-LABEL: func.func @transposed
// CHECK: gpu.launch blocks(%[[BX:[^,]*]], %[[BY:[^,]*]], {{.*}}) threads(%[[TX:[^,]*]], %[[TY:[^,]*]], {{.*}})
// CHECK-NOT: scf.if
// CHECK: %[[Y0:.*]] = arith.muli %[[BY]]
// CHECK: %[[Y:.*]] = arith.addi %[[Y0]], %[[TY]]
// CHECK: %[[X0:.*]] = arith.muli %[[BX]]
// CHECK: %[[X:.*]] = arith.addi %[[X0]], %[[TX]]
// CHECK: memref.store %{{.*}}, %arg0[%[[Y]], %[[X]]]
func.func @transposed(%a: memref<64x64xf64>) attributes {acc.region = {construct = "parallel"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f64
  scf.parallel (%i, %j) = (%c0, %c0) to (%c64, %c64) step (%c1, %c1) {
    memref.store %z, %a[%j, %i] : memref<64x64xf64>
  }
  return
}

// Of four loops the two outer ones share z.
// CHECK-LABEL: func.func @four
// CHECK: gpu.launch
// CHECK: %[[A:.*]] = arith.divui %[[Z:.*]], %{{.*}}
// CHECK: memref.store %{{.*}}, %arg0[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}]
func.func @four(%a: memref<5x6x7x8xf64>) attributes {acc.region = {construct = "parallel"}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f64
  scf.parallel (%i, %j, %k, %l) = (%c0, %c0, %c0, %c0) to (%c5, %c6, %c7, %c8) step (%c1, %c1, %c1, %c1) {
    memref.store %z, %a[%i, %j, %k, %l] : memref<5x6x7x8xf64>
  }
  return
}

// Clauses give the shape: 64 threads along x, 4 along y, and 10 blocks go round.
// CHECK-LABEL: func.func @clauses
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C10:.*]] = arith.constant 10 : index
// CHECK: gpu.launch {{.*}} threads({{.*}}) in (%{{[^ ]*}} = %[[C64]], %{{[^ ]*}} = %[[C4]],
// CHECK: scf.for
// CHECK: scf.if
// CHECK: memref.store
// CHECK: gpu.launch blocks({{.*}}) in (%{{[^ ]*}} = %{{.*}}, {{.*}}) threads({{.*}}) in (%{{[^ ]*}} = %[[C128:.*]],
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: memref.store
func.func @clauses(%a: memref<?x?xf64>, %n: index) attributes {acc.region = {construct = "parallel", num_gangs = 10 : i64, num_workers = 4 : i64, vector_length = 64 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f64
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    memref.store %z, %a[%i, %j] : memref<?x?xf64>
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %z, %a[%i, %c0] : memref<?x?xf64>
  } {acc.loop = {vector = 128 : i64}}
  return
}
