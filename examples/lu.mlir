// A = L * U in place, without pivoting: L below the diagonal, with ones on it, and U above.
// The default input has a dominant diagonal, which pivoting would leave alone.

func.func @lu_f64(
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["N", "N"], terrace.init = "dominant:400x400:1"}
) attributes {terrace.flops = "N*(N-1)/2 + N*(N-1)*(2*N-1)/3"} {
  %c0 = arith.constant 0 : index
  %N = memref.dim %A, %c0 : memref<?x?xf64>
  affine.for %k = 0 to %N {
    affine.for %i = affine_map<(k) -> (k + 1)>(%k) to %N {
      %pivot = affine.load %A[%k, %k] : memref<?x?xf64>
      %a = affine.load %A[%i, %k] : memref<?x?xf64>
      %l = arith.divf %a, %pivot : f64
      affine.store %l, %A[%i, %k] : memref<?x?xf64>
    }
    affine.for %i = affine_map<(k) -> (k + 1)>(%k) to %N {
      affine.for %j = affine_map<(k) -> (k + 1)>(%k) to %N {
        %l = affine.load %A[%i, %k] : memref<?x?xf64>
        %u = affine.load %A[%k, %j] : memref<?x?xf64>
        %lu = arith.mulf %l, %u : f64
        %a = affine.load %A[%i, %j] : memref<?x?xf64>
        %rest = arith.subf %a, %lu : f64
        affine.store %rest, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
