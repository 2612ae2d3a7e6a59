// The greatest value of each group.

func.func @greatest_i32(
    %at: memref<?xi32> {terrace.name = "at", terrace.dims = ["n"], terrace.init = "zeros:5003"},
    %x: memref<?xi32> {terrace.name = "x", terrace.dims = ["n"], terrace.init = "random:5003:2"},
    %top: memref<?xi32> {terrace.name = "top", terrace.dims = ["bins"], terrace.init = "random:100:3"}
) {
  %at0 = arith.constant 0 : index
  %n = memref.dim %at, %at0 : memref<?xi32>
  affine.for %i = 0 to %n {
    %v = affine.load %at[%i] : memref<?xi32>
    %d = affine.load %x[%i] : memref<?xi32>
    %bin = arith.index_cast %v : i32 to index
    %old = memref.atomic_rmw maxs %d, %top[%bin] : (i32, memref<?xi32>) -> i32
  }
  return
}
