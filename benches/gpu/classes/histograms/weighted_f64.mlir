// A histogram with weights of f64.

func.func @weighted_f64(
    %at: memref<?xi32> {terrace.name = "at", terrace.dims = ["n"], terrace.init = "zeros:5003"},
    %w: memref<?xf64> {terrace.name = "w", terrace.dims = ["n"], terrace.init = "random:5003:2"},
    %y: memref<?xf64> {terrace.name = "y", terrace.dims = ["bins"], terrace.init = "zeros:300"}
) {
  %at0 = arith.constant 0 : index
  %n = memref.dim %at, %at0 : memref<?xi32>
  affine.for %i = 0 to %n {
    %v = affine.load %at[%i] : memref<?xi32>
    %d = affine.load %w[%i] : memref<?xf64>
    %bin = arith.index_cast %v : i32 to index
    %old = memref.atomic_rmw addf %d, %y[%bin] : (f64, memref<?xf64>) -> f64
  }
  return
}
