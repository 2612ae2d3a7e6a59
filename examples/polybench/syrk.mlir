// C = alpha * A * A' + beta * C, the lower triangle of C.

func.func @syrk_f64(
    %alpha: f64 {terrace.name = "alpha", terrace.init = "1.5"},
    %beta: f64 {terrace.name = "beta", terrace.init = "1.2"},
    %C: memref<?x?xf64> {terrace.name = "C", terrace.dims = ["N", "N"], terrace.init = "random:120x120:1"},
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["N", "M"], terrace.init = "random:120x100:2"}
) attributes {terrace.flops = "N*(N+1)/2*(3*M+1)"} {
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
        %a_ik = affine.load %A[%i, %k] : memref<?x?xf64>
        %1 = arith.mulf %alpha, %a_ik : f64
        %a_jk = affine.load %A[%j, %k] : memref<?x?xf64>
        %2 = arith.mulf %1, %a_jk : f64
        %3 = arith.addf %c_ij, %2 : f64
        affine.store %3, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
