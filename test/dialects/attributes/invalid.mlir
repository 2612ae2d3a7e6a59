// RUN: terrace-opt %s -split-input-file -verify-diagnostics

// Attributes by which passes talk to each other are checked wherever they stand.

func.func @mapper(%m: memref<4xf32>, %x: f32) {
  // expected-error @+1 {{attribute 'gpu.mapper' must satisfy constraint: string attribute, found '3 : i64'}}
  affine.parallel (%i) = (0) to (4) {
    affine.store %x, %m[%i] : memref<4xf32>
  } {gpu.mapper = 3}
  return
}

// -----

func.func @block(%m: memref<4xf32>, %x: f32) {
  // expected-error @+1 {{attribute 'gpu.block' must satisfy constraint: array of three i64 numbers, found 'array<i64: 4, 4>'}}
  affine.parallel (%i) = (0) to (4) {
    affine.store %x, %m[%i] : memref<4xf32>
  } {gpu.block = array<i64: 4, 4>}
  return
}

// -----

// expected-error @+1 {{attribute 'terrace.name' must satisfy constraint: string attribute, found '7 : i64'}}
func.func @argument(%m: memref<4xf32> {terrace.name = 7}) {
  return
}

// -----

// expected-error @+1 {{attribute 'terrace.dims' must satisfy constraint: array of strings, found '["n", 3]'}}
func.func @dims(%m: memref<?x?xf32> {terrace.dims = ["n", 3]}) {
  return
}

// -----

// expected-error @+1 {{has 'llvm.noalias', which is for arguments of functions}}
func.func @place(%m: memref<4xf32>) attributes {llvm.noalias} {
  return
}

// -----

// expected-error @+1 {{has 'gpu.rows', which is for ops}}
func.func @not_an_op(%m: memref<4xf32> {gpu.rows = 3 : i64}) {
  return
}
