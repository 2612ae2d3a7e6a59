// Sums down each column of a matrix, row by row.

func.func @down_columns(
    %a: memref<?x?xf32> {terrace.name = "a", terrace.dims = ["m", "n"], terrace.init = "random:67x45:1"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %m = memref.dim %a, %at0 : memref<?x?xf32>
  %n = memref.dim %a, %at1 : memref<?x?xf32>
  affine.for %i = 1 to %m {
    affine.for %j = 0 to %n {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      %y = affine.load %a[%i - 1, %j] : memref<?x?xf32>
      %t = arith.addf %x, %y : f32
      affine.store %t, %a[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
