// A = L * U in place, without pivoting: L below the diagonal, with ones on it, and U above.
// The default input has a dominant diagonal, which pivoting would leave alone.
// With sizes known at compile time.

func.func @lu_static(
    %A: memref<60x60xf64> {terrace.name = "A", terrace.dims = ["N", "N"], terrace.init = "dominant:60x60:1"}
) attributes {terrace.flops = "N*(N-1)/2 + N*(N-1)*(2*N-1)/3"} {
  affine.for %k = 0 to 60 {
    affine.for %i = affine_map<(k) -> (k + 1)>(%k) to 60 {
      %pivot = affine.load %A[%k, %k] : memref<60x60xf64>
      %a = affine.load %A[%i, %k] : memref<60x60xf64>
      %l = arith.divf %a, %pivot : f64
      affine.store %l, %A[%i, %k] : memref<60x60xf64>
    }
    affine.for %i = affine_map<(k) -> (k + 1)>(%k) to 60 {
      affine.for %j = affine_map<(k) -> (k + 1)>(%k) to 60 {
        %l = affine.load %A[%i, %k] : memref<60x60xf64>
        %u = affine.load %A[%k, %j] : memref<60x60xf64>
        %lu = arith.mulf %l, %u : f64
        %a = affine.load %A[%i, %j] : memref<60x60xf64>
        %rest = arith.subf %a, %lu : f64
        affine.store %rest, %A[%i, %j] : memref<60x60xf64>
      }
    }
  }
  return
}
