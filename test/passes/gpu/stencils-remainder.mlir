// RUN: terrace-opt %s -gpu-map-stencils -canonicalize -cse | FileCheck %s

// A row that is a remainder of the counter is another one in each iteration. It was taken for one that all share.
// CHECK-LABEL: func.func @periodic(
// CHECK: scf.if
// CHECK-COUNT-4: arith.remsi
// CHECK-COUNT-9: memref.load
// CHECK-NOT: memref.load
// CHECK-COUNT-4: memref.store
// CHECK: } else {
func.func @periodic(%n: index, %m: index, %a: memref<?x?xf64>, %b: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
    %next = arith.addi %i, %c1 : index
    %below = arith.remsi %next, %n : index
    %x = memref.load %a[%below, %j] : memref<?x?xf64>
    %y = memref.load %a[%i, %j] : memref<?x?xf64>
    %z = memref.load %a[%next, %j] : memref<?x?xf64>
    %s = arith.addf %x, %y : f64
    %t = arith.addf %s, %z : f64
    memref.store %t, %b[%i, %j] : memref<?x?xf64>
    scf.reduce
  }
  return
}
