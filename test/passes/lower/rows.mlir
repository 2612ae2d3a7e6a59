// RUN: terrace-opt --lower-rows %s | FileCheck %s

// A row is found in front of the loop that it is the same in, once for all its accesses. The
// table has it only where the loop has iterations.
// CHECK-LABEL: func @scale
func.func @scale(%a: memref<?x?xf64, #rows.tables<1>>, %n: index, %m: index, %f: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[N:.*]] step
  scf.for %i = %c0 to %n step %c1 {
    // CHECK-NEXT: %[[SOME:.*]] = arith.cmpi slt, %[[C0:.*]], %[[M:.*]] : index
    // CHECK-NEXT: scf.if %[[SOME]] {
    // CHECK-NEXT: %[[ROW:.*]] = rows.row %{{.*}}[%[[I]]] : memref<?x?xf64, #rows.tables<1>> to memref<?xf64>
    // CHECK-NEXT: scf.for %[[J:.*]] = %[[C0]] to %[[M]] step
    scf.for %j = %c0 to %m step %c1 {
      // CHECK-NEXT: memref.load %[[ROW]][%[[J]]] : memref<?xf64>
      %v = memref.load %a[%i, %j] : memref<?x?xf64, #rows.tables<1>>
      %w = arith.mulf %v, %f : f64
      // CHECK: memref.store %{{.*}}, %[[ROW]][%[[J]]] : memref<?xf64>
      memref.store %w, %a[%i, %j] : memref<?x?xf64, #rows.tables<1>>
    }
  }
  return
}

// What a loop without iterations gives is what it begins with.
// CHECK-LABEL: func @sum
func.func @sum(%a: memref<?x?xf64, #rows.tables<1>>, %i: index, %m: index, %z: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[S:.*]] = scf.if %{{.*}} -> (f64) {
  // CHECK-NEXT: rows.row
  // CHECK-NEXT: %[[T:.*]] = scf.for
  %s = scf.for %j = %c0 to %m step %c1 iter_args(%t = %z) -> (f64) {
    %v = memref.load %a[%i, %j] : memref<?x?xf64, #rows.tables<1>>
    %u = arith.addf %t, %v : f64
    scf.yield %u : f64
  }
  // CHECK: scf.yield %[[T]] : f64
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield %{{.*}} : f64
  // CHECK: return %[[S]]
  return %s : f64
}

// A loop that surely has iterations needs no question; a condition keeps its row inside.
// CHECK-LABEL: func @known
func.func @known(%a: memref<?x?xf32, #rows.tables<2>>, %n: index, %p: i1, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK-NOT: scf.if
  // CHECK: %[[ROW:.*]] = rows.row %{{.*}}[%{{.*}}] : memref<?x?xf32, #rows.tables<2>> to memref<?xf32>
  // CHECK-NEXT: scf.for
  scf.for %j = %c0 to %c8 step %c1 {
    // CHECK-NEXT: memref.store %{{.*}}, %[[ROW]]
    memref.store %f, %a[%c0, %j] : memref<?x?xf32, #rows.tables<2>>
    // CHECK: scf.if
    scf.if %p {
      // CHECK-NEXT: %[[OTHER:.*]] = rows.row
      // CHECK-NEXT: memref.store %{{.*}}, %[[OTHER]]
      memref.store %f, %a[%c1, %j] : memref<?x?xf32, #rows.tables<2>>
    }
  }
  return
}

// Vectors lie in a row; each of two tables is followed.
// CHECK-LABEL: func @vectors
func.func @vectors(%a: memref<?x?x?xf32, #rows.tables<1, 1>>, %i: index, %j: index, %k: index) {
  %z = arith.constant 0.0 : f32
  // CHECK: %[[P:.*]] = rows.row %{{.*}}[%{{.*}}] : memref<?x?x?xf32, #rows.tables<1, 1>> to memref<?x?xf32, #rows.tables<1>>
  // CHECK-NEXT: %[[Q:.*]] = rows.row %[[P]][%{{.*}}] : memref<?x?xf32, #rows.tables<1>> to memref<?xf32>
  // CHECK-NEXT: %[[V:.*]] = vector.transfer_read %[[Q]][%{{.*}}], %{{.*}} {in_bounds = [true]} : memref<?xf32>, vector<8xf32>
  %v = vector.transfer_read %a[%i, %j, %k], %z {in_bounds = [true]} : memref<?x?x?xf32, #rows.tables<1, 1>>, vector<8xf32>
  // CHECK-NEXT: vector.store %[[V]], %[[Q]][%{{.*}}] : memref<?xf32>, vector<8xf32>
  vector.store %v, %a[%i, %j, %k] : memref<?x?x?xf32, #rows.tables<1, 1>>, vector<8xf32>
  return
}
