// RUN: terrace-opt %s -tile-expand -verify-diagnostics

// Buffers are made in the order of the text.
func.func @order(%A: memref<4xf32>) {
  cf.br ^bb2
^bb1:
  // expected-error @+1 {{works on a tile that is computed behind it}}
  tile.store %v, %A[d0] : vector<4xf32>, memref<4xf32>
  return
^bb2:
  %v = tile.load %A[d0] : memref<4xf32>, vector<4xf32>
  cf.br ^bb1
}
