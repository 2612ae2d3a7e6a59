// A = L * U in place, without pivoting: L below the diagonal, with ones on it, and U
// above. The elements are finished row by row.

func.func @lu_f64(
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["N", "N"], terrace.init = "dominant:160x160:1"}
) attributes {terrace.flops = "N*(N-1)/2 + N*(N-1)*(2*N-1)/3"} {
  %c0 = arith.constant 0 : index
  %N = memref.dim %A, %c0 : memref<?x?xf64>
  affine.for %i = 0 to %N {
    affine.for %j = 0 to affine_map<(i) -> (i)>(%i) {
      affine.for %k = 0 to affine_map<(j) -> (j)>(%j) {
        %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
        %a_ik = affine.load %A[%i, %k] : memref<?x?xf64>
        %a_kj = affine.load %A[%k, %j] : memref<?x?xf64>
        %0 = arith.mulf %a_ik, %a_kj : f64
        %1 = arith.subf %a_ij, %0 : f64
        affine.store %1, %A[%i, %j] : memref<?x?xf64>
      }
      %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
      %a_jj = affine.load %A[%j, %j] : memref<?x?xf64>
      %2 = arith.divf %a_ij, %a_jj : f64
      affine.store %2, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %j = affine_map<(i) -> (i)>(%i) to %N {
      affine.for %k = 0 to affine_map<(i) -> (i)>(%i) {
        %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
        %a_ik = affine.load %A[%i, %k] : memref<?x?xf64>
        %a_kj = affine.load %A[%k, %j] : memref<?x?xf64>
        %3 = arith.mulf %a_ik, %a_kj : f64
        %4 = arith.subf %a_ij, %3 : f64
        affine.store %4, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
