// C = alpha * A * B + beta * C.
// Arrays in bf16, sums in f32.

func.func @gemm_bf16(
    %alpha: f32 {terrace.name = "alpha", terrace.init = "1.5"},
    %beta: f32 {terrace.name = "beta", terrace.init = "1.2"},
    %A: memref<?x?xbf16> {terrace.name = "A", terrace.dims = ["M", "K"], terrace.init = "random:512x512:1"},
    %B: memref<?x?xbf16> {terrace.name = "B", terrace.dims = ["K", "N"], terrace.init = "random:512x512:2"},
    %C: memref<?x?xbf16> {terrace.name = "C", terrace.dims = ["M", "N"], terrace.init = "random:512x512:3"}
) attributes {terrace.flops = "2*M*N*K + 3*M*N"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %M = memref.dim %A, %c0 : memref<?x?xbf16>
  %N = memref.dim %B, %c1 : memref<?x?xbf16>
  %K = memref.dim %A, %c1 : memref<?x?xbf16>
  affine.for %i = 0 to %M {
    affine.for %j = 0 to %N {
      %dot = affine.for %k = 0 to %K iter_args(%sum = %zero) -> (f32) {
        %a16 = affine.load %A[%i, %k] : memref<?x?xbf16>
        %b16 = affine.load %B[%k, %j] : memref<?x?xbf16>
        %a = arith.extf %a16 : bf16 to f32
        %b = arith.extf %b16 : bf16 to f32
        %ab = arith.mulf %a, %b : f32
        %next = arith.addf %sum, %ab : f32
        affine.yield %next : f32
      }
      %old16 = affine.load %C[%i, %j] : memref<?x?xbf16>
      %old = arith.extf %old16 : bf16 to f32
      %new = arith.mulf %alpha, %dot : f32
      %kept = arith.mulf %beta, %old : f32
      %c = arith.addf %new, %kept : f32
      %c16 = arith.truncf %c : f32 to bf16
      affine.store %c16, %C[%i, %j] : memref<?x?xbf16>
    }
  }
  return
}
