// C = alpha * A * B + beta * C.
// With sizes known at compile time.

func.func @gemm_static(
    %alpha: f64 {terrace.name = "alpha", terrace.init = "1.5"},
    %beta: f64 {terrace.name = "beta", terrace.init = "1.2"},
    %A: memref<128x112xf64> {terrace.name = "A", terrace.dims = ["M", "K"], terrace.init = "random:128x112:1"},
    %B: memref<112x96xf64> {terrace.name = "B", terrace.dims = ["K", "N"], terrace.init = "random:112x96:2"},
    %C: memref<128x96xf64> {terrace.name = "C", terrace.dims = ["M", "N"], terrace.init = "random:128x96:3"}
) attributes {terrace.flops = "2*M*N*K + 3*M*N"} {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 128 {
    affine.for %j = 0 to 96 {
      %dot = affine.for %k = 0 to 112 iter_args(%sum = %zero) -> (f64) {
        %a = affine.load %A[%i, %k] : memref<128x112xf64>
        %b = affine.load %B[%k, %j] : memref<112x96xf64>
        %ab = arith.mulf %a, %b : f64
        %next = arith.addf %sum, %ab : f64
        affine.yield %next : f64
      }
      %old = affine.load %C[%i, %j] : memref<128x96xf64>
      %new = arith.mulf %alpha, %dot : f64
      %kept = arith.mulf %beta, %old : f64
      %c = arith.addf %new, %kept : f64
      affine.store %c, %C[%i, %j] : memref<128x96xf64>
    }
  }
  return
}
