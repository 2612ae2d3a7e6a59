// C[r] = alpha * A[r] * B[r] + beta * C[r] for each r.

func.func @batch_gemm_f64(
    %alpha: f64 {terrace.name = "alpha", terrace.init = "1.5"},
    %beta: f64 {terrace.name = "beta", terrace.init = "1.2"},
    %A: memref<?x?x?xf64> {terrace.name = "A", terrace.dims = ["R", "M", "K"], terrace.init = "random:64x128x128:1"},
    %B: memref<?x?x?xf64> {terrace.name = "B", terrace.dims = ["R", "K", "N"], terrace.init = "random:64x128x128:2"},
    %C: memref<?x?x?xf64> {terrace.name = "C", terrace.dims = ["R", "M", "N"], terrace.init = "random:64x128x128:3"}
) attributes {terrace.flops = "R*(2*M*N*K + 3*M*N)"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %R = memref.dim %A, %c0 : memref<?x?x?xf64>
  %M = memref.dim %A, %c1 : memref<?x?x?xf64>
  %K = memref.dim %A, %c2 : memref<?x?x?xf64>
  %N = memref.dim %B, %c2 : memref<?x?x?xf64>
  affine.for %r = 0 to %R {
    affine.for %i = 0 to %M {
      affine.for %j = 0 to %N {
        %dot = affine.for %k = 0 to %K iter_args(%sum = %zero) -> (f64) {
          %a = affine.load %A[%r, %i, %k] : memref<?x?x?xf64>
          %b = affine.load %B[%r, %k, %j] : memref<?x?x?xf64>
          %ab = arith.mulf %a, %b : f64
          %next = arith.addf %sum, %ab : f64
          affine.yield %next : f64
        }
        %old = affine.load %C[%r, %i, %j] : memref<?x?x?xf64>
        %new = arith.mulf %alpha, %dot : f64
        %kept = arith.mulf %beta, %old : f64
        %c = arith.addf %new, %kept : f64
        affine.store %c, %C[%r, %i, %j] : memref<?x?x?xf64>
      }
    }
  }
  return
}
