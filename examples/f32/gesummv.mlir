// y = alpha * A * x + beta * B * x.
// In f32.

func.func @gesummv_f32(
    %alpha: f32 {terrace.name = "alpha", terrace.init = "1.5"},
    %beta: f32 {terrace.name = "beta", terrace.init = "1.2"},
    %A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["N", "N"], terrace.init = "random:2000x2000:1"},
    %B: memref<?x?xf32> {terrace.name = "B", terrace.dims = ["N", "N"], terrace.init = "random:2000x2000:2"},
    %x: memref<?xf32> {terrace.name = "x", terrace.dims = ["N"], terrace.init = "random:2000:3"},
    %y: memref<?xf32> {terrace.name = "y", terrace.dims = ["N"], terrace.init = "zeros:2000"}
) attributes {terrace.flops = "4*N*N + 3*N"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %N = memref.dim %A, %c0 : memref<?x?xf32>
  affine.for %i = 0 to %N {
    %dots:2 = affine.for %j = 0 to %N iter_args(%p = %zero, %q = %zero) -> (f32, f32) {
      %v = affine.load %x[%j] : memref<?xf32>
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %av = arith.mulf %a, %v : f32
      %p1 = arith.addf %p, %av : f32
      %b = affine.load %B[%i, %j] : memref<?x?xf32>
      %bv = arith.mulf %b, %v : f32
      %q1 = arith.addf %q, %bv : f32
      affine.yield %p1, %q1 : f32, f32
    }
    %left = arith.mulf %alpha, %dots#0 : f32
    %right = arith.mulf %beta, %dots#1 : f32
    %sum = arith.addf %left, %right : f32
    affine.store %sum, %y[%i] : memref<?xf32>
  }
  return
}
