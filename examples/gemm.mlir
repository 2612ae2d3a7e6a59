// C = alpha * A * B + beta * C.

func.func @gemm_f64(
    %alpha: f64 {terrace.name = "alpha", terrace.init = "1.5"},
    %beta: f64 {terrace.name = "beta", terrace.init = "1.2"},
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["M", "K"], terrace.init = "random:512x512:1"},
    %B: memref<?x?xf64> {terrace.name = "B", terrace.dims = ["K", "N"], terrace.init = "random:512x512:2"},
    %C: memref<?x?xf64> {terrace.name = "C", terrace.dims = ["M", "N"], terrace.init = "random:512x512:3"}
) attributes {terrace.flops = "2*M*N*K + 3*M*N"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %M = memref.dim %A, %c0 : memref<?x?xf64>
  %N = memref.dim %B, %c1 : memref<?x?xf64>
  %K = memref.dim %A, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %M {
    affine.for %j = 0 to %N {
      %dot = affine.for %k = 0 to %K iter_args(%sum = %zero) -> (f64) {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %ab = arith.mulf %a, %b : f64
        %next = arith.addf %sum, %ab : f64
        affine.yield %next : f64
      }
      %old = affine.load %C[%i, %j] : memref<?x?xf64>
      %new = arith.mulf %alpha, %dot : f64
      %kept = arith.mulf %beta, %old : f64
      %c = arith.addf %new, %kept : f64
      affine.store %c, %C[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
