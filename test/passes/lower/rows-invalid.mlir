// RUN: terrace-opt --lower-rows %s -split-input-file -verify-diagnostics

func.func @view(%a: memref<?x?xf32, #rows.tables<1>>) {
  // expected-error @+1 {{'memref.cast' takes an array of rows as a whole}}
  %b = memref.cast %a : memref<?x?xf32, #rows.tables<1>> to memref<4x?xf32, #rows.tables<1>>
  return
}

// -----

// Elements of a column lie in as many rows.
func.func @column(%a: memref<?x?xf32, #rows.tables<1>>, %i: index) -> vector<4xf32> {
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{'vector.transfer_read' takes an array of rows as a whole}}
  %v = vector.transfer_read %a[%i, %i], %z {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<?x?xf32, #rows.tables<1>>, vector<4xf32>
  return %v : vector<4xf32>
}
