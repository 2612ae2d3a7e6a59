// Rows of a table, as many as an array names.

func.func @embedding(
    %at: memref<?xi32> {terrace.name = "at", terrace.dims = ["n"], terrace.init = "zeros:301"},
    %e: memref<?x?xf32> {terrace.name = "e", terrace.dims = ["table", "d"], terrace.init = "random:50x20:2"},
    %y: memref<?x?xf32> {terrace.name = "y", terrace.dims = ["n", "d"], terrace.init = "random:301x20:3"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %n = memref.dim %at, %at0 : memref<?xi32>
  %d = memref.dim %e, %at1 : memref<?x?xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %d {
      %k32 = affine.load %at[%i] : memref<?xi32>
      %k = arith.index_cast %k32 : i32 to index
      %v = memref.load %e[%k, %j] : memref<?x?xf32>
      affine.store %v, %y[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
