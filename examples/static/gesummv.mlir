// y = alpha * A * x + beta * B * x.
// With sizes known at compile time.

func.func @gesummv_static(
    %alpha: f64 {terrace.name = "alpha", terrace.init = "1.5"},
    %beta: f64 {terrace.name = "beta", terrace.init = "1.2"},
    %A: memref<125x125xf64> {terrace.name = "A", terrace.dims = ["N", "N"], terrace.init = "random:125x125:1"},
    %B: memref<125x125xf64> {terrace.name = "B", terrace.dims = ["N", "N"], terrace.init = "random:125x125:2"},
    %x: memref<125xf64> {terrace.name = "x", terrace.dims = ["N"], terrace.init = "random:125:3"},
    %y: memref<125xf64> {terrace.name = "y", terrace.dims = ["N"], terrace.init = "zeros:125"}
) attributes {terrace.flops = "4*N*N + 3*N"} {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 125 {
    %dots:2 = affine.for %j = 0 to 125 iter_args(%p = %zero, %q = %zero) -> (f64, f64) {
      %v = affine.load %x[%j] : memref<125xf64>
      %a = affine.load %A[%i, %j] : memref<125x125xf64>
      %av = arith.mulf %a, %v : f64
      %p1 = arith.addf %p, %av : f64
      %b = affine.load %B[%i, %j] : memref<125x125xf64>
      %bv = arith.mulf %b, %v : f64
      %q1 = arith.addf %q, %bv : f64
      affine.yield %p1, %q1 : f64, f64
    }
    %left = arith.mulf %alpha, %dots#0 : f64
    %right = arith.mulf %beta, %dots#1 : f64
    %sum = arith.addf %left, %right : f64
    affine.store %sum, %y[%i] : memref<125xf64>
  }
  return
}
