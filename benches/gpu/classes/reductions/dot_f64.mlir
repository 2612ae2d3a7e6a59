// The inner product of two arrays of f64.

func.func @dot_f64(
    %x: memref<?xf64> {terrace.name = "x", terrace.dims = ["n"], terrace.init = "random:5003:1"},
    %y: memref<?xf64> {terrace.name = "y", terrace.dims = ["n"], terrace.init = "random:5003:2"},
    %s: memref<1xf64> {terrace.name = "s", terrace.dims = ["1"], terrace.init = "random:1:3"}
) {
  %at0 = arith.constant 0 : index
  %n = memref.dim %x, %at0 : memref<?xf64>
  %zero = arith.constant 0.0 : f64
  %sum = affine.for %i = 0 to %n iter_args(%t = %zero) -> (f64) {
    %a = affine.load %x[%i] : memref<?xf64>
    %b = affine.load %y[%i] : memref<?xf64>
    %p = arith.mulf %a, %b : f64
    %q = arith.addf %t, %p : f64
    affine.yield %q : f64
  }
  affine.store %sum, %s[0] : memref<1xf64>
  return
}
