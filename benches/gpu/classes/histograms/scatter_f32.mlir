// Numbers are added to the elements that an array of places names.

func.func @scatter_f32(
    %at: memref<?xi32> {terrace.name = "at", terrace.dims = ["n"], terrace.init = "zeros:5003"},
    %x: memref<?xf32> {terrace.name = "x", terrace.dims = ["n"], terrace.init = "random:5003:2"},
    %y: memref<?xf32> {terrace.name = "y", terrace.dims = ["bins"], terrace.init = "zeros:300"}
) {
  %at0 = arith.constant 0 : index
  %n = memref.dim %at, %at0 : memref<?xi32>
  affine.for %i = 0 to %n {
    %v = affine.load %at[%i] : memref<?xi32>
    %d = affine.load %x[%i] : memref<?xf32>
    %bin = arith.index_cast %v : i32 to index
    %old = memref.atomic_rmw addf %d, %y[%bin] : (f32, memref<?xf32>) -> f32
  }
  return
}
