// A summed-area table: S[i][j] is the sum of all A[k][l] with k <= i and l <= j. Rows are
// scanned, then columns. The sums of rows may be computed in any order.

func.func @summed_area(
    %A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["M", "N"], terrace.init = "random:1000x1000:1"},
    %S: memref<?x?xf32> {terrace.name = "S", terrace.dims = ["M", "N"], terrace.init = "zeros:1000x1000"}
) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %M = memref.dim %A, %c0 : memref<?x?xf32>
  %N = memref.dim %A, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %M {
    affine.for %j = 0 to %N iter_args(%s = %zero) -> (f32) {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %t = arith.addf %s, %a fastmath<reassoc> : f32
      affine.store %t, %S[%i, %j] : memref<?x?xf32>
      affine.yield %t : f32
    }
  }
  affine.for %j = 0 to %N {
    affine.for %i = 1 to %M {
      %above = affine.load %S[%i - 1, %j] : memref<?x?xf32>
      %row = affine.load %S[%i, %j] : memref<?x?xf32>
      %t = arith.addf %above, %row : f32
      affine.store %t, %S[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
