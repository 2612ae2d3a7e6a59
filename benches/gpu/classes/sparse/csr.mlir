// A sparse matrix in rows times a vector.

func.func @csr(
    %start: memref<?xi32> {terrace.name = "start", terrace.dims = ["np1"], terrace.init = "random:401:1"},
    %col: memref<?xi32> {terrace.name = "col", terrace.dims = ["nnz"], terrace.init = "zeros:6400"},
    %val: memref<?xf32> {terrace.name = "val", terrace.dims = ["nnz"], terrace.init = "random:6400:3"},
    %x: memref<?xf32> {terrace.name = "x", terrace.dims = ["n"], terrace.init = "random:400:4"},
    %y: memref<?xf32> {terrace.name = "y", terrace.dims = ["n"], terrace.init = "random:400:5"}
) {
  %at0 = arith.constant 0 : index
  %n = memref.dim %x, %at0 : memref<?xf32>
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : index
  affine.for %i = 0 to %n {
    %b32 = affine.load %start[%i] : memref<?xi32>
    %e32 = affine.load %start[%i + 1] : memref<?xi32>
    %b = arith.index_cast %b32 : i32 to index
    %e = arith.index_cast %e32 : i32 to index
    %s = scf.for %k = %b to %e step %one iter_args(%t = %zero) -> (f32) {
      %v = memref.load %val[%k] : memref<?xf32>
      %c32 = memref.load %col[%k] : memref<?xi32>
      %c = arith.index_cast %c32 : i32 to index
      %w = memref.load %x[%c] : memref<?xf32>
      %p = arith.mulf %v, %w : f32
      %q = arith.addf %t, %p : f32
      scf.yield %q : f32
    }
    affine.store %s, %y[%i] : memref<?xf32>
  }
  return
}
