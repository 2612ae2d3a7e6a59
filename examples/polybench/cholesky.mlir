// A = L * L', L in the lower triangle of A. Only that triangle is read; it stands
// for a positive definite matrix.

func.func @cholesky_f64(
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["N", "N"], terrace.init = "dominant:160x160:1"}
) attributes {terrace.flops = "N*(N-1)*(N-2)/3 + 3*(N*(N-1)/2) + N"} {
  %c0 = arith.constant 0 : index
  %N = memref.dim %A, %c0 : memref<?x?xf64>
  affine.for %i = 0 to %N {
    affine.for %j = 0 to affine_map<(i) -> (i)>(%i) {
      affine.for %k = 0 to affine_map<(j) -> (j)>(%j) {
        %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
        %a_ik = affine.load %A[%i, %k] : memref<?x?xf64>
        %a_jk = affine.load %A[%j, %k] : memref<?x?xf64>
        %0 = arith.mulf %a_ik, %a_jk : f64
        %1 = arith.subf %a_ij, %0 : f64
        affine.store %1, %A[%i, %j] : memref<?x?xf64>
      }
      %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
      %a_jj = affine.load %A[%j, %j] : memref<?x?xf64>
      %2 = arith.divf %a_ij, %a_jj : f64
      affine.store %2, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %k = 0 to affine_map<(i) -> (i)>(%i) {
      %a_ii = affine.load %A[%i, %i] : memref<?x?xf64>
      %a_ik = affine.load %A[%i, %k] : memref<?x?xf64>
      %3 = arith.mulf %a_ik, %a_ik : f64
      %4 = arith.subf %a_ii, %3 : f64
      affine.store %4, %A[%i, %i] : memref<?x?xf64>
    }
    %a_ii = affine.load %A[%i, %i] : memref<?x?xf64>
    %5 = math.sqrt %a_ii : f64
    affine.store %5, %A[%i, %i] : memref<?x?xf64>
  }
  return
}
