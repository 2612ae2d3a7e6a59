// C = alpha * (A * B' + B * A') + beta * C, the lower triangle of C.

func.func @syr2k_f64(
    %alpha: f64 {terrace.name = "alpha", terrace.init = "1.5"},
    %beta: f64 {terrace.name = "beta", terrace.init = "1.2"},
    %C: memref<?x?xf64> {terrace.name = "C", terrace.dims = ["N", "N"], terrace.init = "random:120x120:1"},
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["N", "M"], terrace.init = "random:120x100:2"},
    %B: memref<?x?xf64> {terrace.name = "B", terrace.dims = ["N", "M"], terrace.init = "random:120x100:3"}
) attributes {terrace.flops = "N*(N+1)/2*(6*M+1)"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %N = memref.dim %C, %c0 : memref<?x?xf64>
  %M = memref.dim %A, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %N {
    affine.for %j = 0 to affine_map<(i) -> (i + 1)>(%i) {
      %c_ij = affine.load %C[%i, %j] : memref<?x?xf64>
      %0 = arith.mulf %c_ij, %beta : f64
      affine.store %0, %C[%i, %j] : memref<?x?xf64>
    }
    affine.for %k = 0 to %M {
      affine.for %j = 0 to affine_map<(i) -> (i + 1)>(%i) {
        %c_ij = affine.load %C[%i, %j] : memref<?x?xf64>
        %a_jk = affine.load %A[%j, %k] : memref<?x?xf64>
        %1 = arith.mulf %a_jk, %alpha : f64
        %b_ik = affine.load %B[%i, %k] : memref<?x?xf64>
        %2 = arith.mulf %1, %b_ik : f64
        %b_jk = affine.load %B[%j, %k] : memref<?x?xf64>
        %3 = arith.mulf %b_jk, %alpha : f64
        %a_ik = affine.load %A[%i, %k] : memref<?x?xf64>
        %4 = arith.mulf %3, %a_ik : f64
        %5 = arith.addf %2, %4 : f64
        %6 = arith.addf %c_ij, %5 : f64
        affine.store %6, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
