// A = L * U in place, without pivoting: L below the diagonal, with ones on it, and U above.
// The default input has a dominant diagonal, which pivoting would leave alone.
// In f32.

func.func @lu_f32(
    %A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["N", "N"], terrace.init = "dominant:400x400:1"}
) attributes {terrace.flops = "N*(N-1)/2 + N*(N-1)*(2*N-1)/3"} {
  %c0 = arith.constant 0 : index
  %N = memref.dim %A, %c0 : memref<?x?xf32>
  affine.for %k = 0 to %N {
    affine.for %i = affine_map<(k) -> (k + 1)>(%k) to %N {
      %pivot = affine.load %A[%k, %k] : memref<?x?xf32>
      %a = affine.load %A[%i, %k] : memref<?x?xf32>
      %l = arith.divf %a, %pivot : f32
      affine.store %l, %A[%i, %k] : memref<?x?xf32>
    }
    affine.for %i = affine_map<(k) -> (k + 1)>(%k) to %N {
      affine.for %j = affine_map<(k) -> (k + 1)>(%k) to %N {
        %l = affine.load %A[%i, %k] : memref<?x?xf32>
        %u = affine.load %A[%k, %j] : memref<?x?xf32>
        %lu = arith.mulf %l, %u : f32
        %a = affine.load %A[%i, %j] : memref<?x?xf32>
        %rest = arith.subf %a, %lu : f32
        affine.store %rest, %A[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}
