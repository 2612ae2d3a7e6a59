// Rows are added to the rows of a matrix that an array names, as gradients of an embedding are.

func.func @add_rows(
    %at: memref<?xi32> {terrace.name = "at", terrace.dims = ["n"], terrace.init = "zeros:301"},
    %x: memref<?x?xf32> {terrace.name = "x", terrace.dims = ["n", "d"], terrace.init = "random:301x20:2"},
    %y: memref<?x?xf32> {terrace.name = "y", terrace.dims = ["bins", "d"], terrace.init = "zeros:50x20"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %n = memref.dim %at, %at0 : memref<?xi32>
  %d = memref.dim %x, %at1 : memref<?x?xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %d {
      %v = affine.load %at[%i] : memref<?xi32>
      %g = affine.load %x[%i, %j] : memref<?x?xf32>
      %bin = arith.index_cast %v : i32 to index
      %old = memref.atomic_rmw addf %g, %y[%bin, %j] : (f32, memref<?x?xf32>) -> f32
    }
  }
  return
}
