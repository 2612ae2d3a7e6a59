// A sparse matrix as a list of its numbers with rows and columns, times a vector.

func.func @coo(
    %row: memref<?xi32> {terrace.name = "row", terrace.dims = ["nnz"], terrace.init = "zeros:6400"},
    %col: memref<?xi32> {terrace.name = "col", terrace.dims = ["nnz"], terrace.init = "zeros:6400"},
    %val: memref<?xf32> {terrace.name = "val", terrace.dims = ["nnz"], terrace.init = "random:6400:3"},
    %x: memref<?xf32> {terrace.name = "x", terrace.dims = ["n"], terrace.init = "random:400:4"},
    %y: memref<?xf32> {terrace.name = "y", terrace.dims = ["n"], terrace.init = "zeros:400"}
) {
  %at0 = arith.constant 0 : index
  %nnz = memref.dim %row, %at0 : memref<?xi32>
  affine.for %k = 0 to %nnz {
    %r32 = affine.load %row[%k] : memref<?xi32>
    %c32 = affine.load %col[%k] : memref<?xi32>
    %r = arith.index_cast %r32 : i32 to index
    %c = arith.index_cast %c32 : i32 to index
    %v = affine.load %val[%k] : memref<?xf32>
    %z = memref.load %x[%c] : memref<?xf32>
    %p = arith.mulf %v, %z : f32
    %old = memref.atomic_rmw addf %p, %y[%r] : (f32, memref<?xf32>) -> f32
  }
  return
}
