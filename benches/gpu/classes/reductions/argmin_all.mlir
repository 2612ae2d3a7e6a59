// The least number of an array of f64 and where it is first.

func.func @argmin_all(
    %x: memref<?xf64> {terrace.name = "x", terrace.dims = ["n"], terrace.init = "random:5003:1"},
    %best: memref<1xf64> {terrace.name = "best", terrace.dims = ["1"], terrace.init = "random:1:2"},
    %at: memref<1xi32> {terrace.name = "at", terrace.dims = ["1"], terrace.init = "random:1:3"}
) {
  %at0 = arith.constant 0 : index
  %n = memref.dim %x, %at0 : memref<?xf64>
  %zero = arith.constant 0 : i32
  %first = affine.load %x[0] : memref<?xf64>
  %r:2 = affine.for %i = 1 to %n iter_args(%s = %first, %t = %zero) -> (f64, i32) {
    %v = affine.load %x[%i] : memref<?xf64>
    %k = arith.index_cast %i : index to i32
    %c = arith.cmpf olt, %v, %s : f64
    %u = arith.select %c, %v, %s : f64
    %w = arith.select %c, %k, %t : i32
    affine.yield %u, %w : f64, i32
  }
  affine.store %r#0, %best[0] : memref<1xf64>
  affine.store %r#1, %at[0] : memref<1xi32>
  return
}
