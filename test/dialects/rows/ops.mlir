// RUN: terrace-opt %s | FileCheck %s
// RUN: terrace-opt %s | terrace-opt | FileCheck %s
// RUN: terrace-opt --mlir-print-op-generic %s | terrace-opt | FileCheck %s

// CHECK-LABEL: func @rows
// CHECK-SAME: memref<?x?xf64, #rows.tables<1>>
// CHECK-SAME: memref<?x?x4xi8, #rows.tables<3>>
// CHECK-SAME: memref<?x?x?xf32, #rows.tables<1, 1>>
func.func @rows(%a: memref<?x?xf64, #rows.tables<1>>, %b: memref<?x?x4xi8, #rows.tables<3>>,
                %c: memref<?x?x?xf32, #rows.tables<1, 1>>, %i: index) -> f64 {
  // CHECK: %[[R:.*]] = rows.row %{{.*}}[%{{.*}}] : memref<?x?xf64, #rows.tables<1>> to memref<?xf64>
  %r = rows.row %a[%i] : memref<?x?xf64, #rows.tables<1>> to memref<?xf64>
  // CHECK: rows.row %{{.*}} : memref<?x?x4xi8, #rows.tables<3>> to memref<?x4xi8>
  %s = rows.row %b[%i] : memref<?x?x4xi8, #rows.tables<3>> to memref<?x4xi8>
  // CHECK: rows.row %{{.*}} : memref<?x?x?xf32, #rows.tables<1, 1>> to memref<?x?xf32, #rows.tables<1>>
  %t = rows.row %c[%i] : memref<?x?x?xf32, #rows.tables<1, 1>> to memref<?x?xf32, #rows.tables<1>>
  // CHECK: memref.load %[[R]][
  %v = memref.load %r[%i] : memref<?xf64>
  return %v : f64
}
