// RUN: terrace-opt %s -split-input-file -verify-diagnostics

func.func @plain(%a: memref<4x4xf64>, %i: index) {
  // expected-error @+1 {{requires a memref with tables of rows, in the space '#rows.tables<1>', but got 'memref<4x4xf64>'}}
  %r = rows.row %a[%i] : memref<4x4xf64> to memref<4xf64>
  return
}

// -----

func.func @other_row(%a: memref<?x?xf64, #rows.tables<1>>, %i: index) {
  // expected-error @+1 {{rows of 'memref<?x?xf64, #rows.tables<1>>' are 'memref<?xf64>', but the result is 'memref<?xf32>'}}
  %r = rows.row %a[%i] : memref<?x?xf64, #rows.tables<1>> to memref<?xf32>
  return
}

// -----

// The elements of the last table would be numbers without a row.
func.func @no_rows(%a: memref<?xf64, #rows.tables<1>>, %i: index) {
  // expected-error @+1 {{requires a memref with tables of rows}}
  %r = rows.row %a[%i] : memref<?xf64, #rows.tables<1>> to memref<f64>
  return
}

// -----

// expected-error @+1 {{expected a number of pointers, 1 or more, but got 0}}
func.func @distance(%a: memref<?x?xf64, #rows.tables<0>>) {
  return
}
