// A sparse matrix with as many numbers in each row, stored column by column, times a vector.

func.func @ell_f64(
    %col: memref<?x?xi32> {terrace.name = "col", terrace.dims = ["w", "n"], terrace.init = "zeros:9x400"},
    %val: memref<?x?xf64> {terrace.name = "val", terrace.dims = ["w", "n"], terrace.init = "random:9x400:2"},
    %x: memref<?xf64> {terrace.name = "x", terrace.dims = ["n"], terrace.init = "random:400:3"},
    %y: memref<?xf64> {terrace.name = "y", terrace.dims = ["n"], terrace.init = "random:400:4"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %w = memref.dim %col, %at0 : memref<?x?xi32>
  %n = memref.dim %col, %at1 : memref<?x?xi32>
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    %s = affine.for %k = 0 to %w iter_args(%t = %zero) -> (f64) {
      %v = affine.load %val[%k, %i] : memref<?x?xf64>
      %c32 = affine.load %col[%k, %i] : memref<?x?xi32>
      %c = arith.index_cast %c32 : i32 to index
      %z = memref.load %x[%c] : memref<?xf64>
      %p = arith.mulf %v, %z : f64
      %q = arith.addf %t, %p : f64
      affine.yield %q : f64
    }
    affine.store %s, %y[%i] : memref<?xf64>
  }
  return
}
