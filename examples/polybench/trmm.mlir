// B = alpha * A' * B in place, A lower triangular with ones on the diagonal.

func.func @trmm_f64(
    %alpha: f64 {terrace.name = "alpha", terrace.init = "1.5"},
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["M", "M"], terrace.init = "random:120x120:1"},
    %B: memref<?x?xf64> {terrace.name = "B", terrace.dims = ["M", "N"], terrace.init = "random:120x130:2"}
) attributes {terrace.flops = "N*M*M"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %M = memref.dim %A, %c0 : memref<?x?xf64>
  %N = memref.dim %B, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %M {
    affine.for %j = 0 to %N {
      affine.for %k = affine_map<(i) -> (i + 1)>(%i) to %M {
        %b_ij = affine.load %B[%i, %j] : memref<?x?xf64>
        %a_ki = affine.load %A[%k, %i] : memref<?x?xf64>
        %b_kj = affine.load %B[%k, %j] : memref<?x?xf64>
        %0 = arith.mulf %a_ki, %b_kj : f64
        %1 = arith.addf %b_ij, %0 : f64
        affine.store %1, %B[%i, %j] : memref<?x?xf64>
      }
      %b_ij = affine.load %B[%i, %j] : memref<?x?xf64>
      %2 = arith.mulf %alpha, %b_ij : f64
      affine.store %2, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
