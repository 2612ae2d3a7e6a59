// Differences along the edges of a graph.

func.func @edges_f64(
    %from: memref<?xi32> {terrace.name = "from", terrace.dims = ["e"], terrace.init = "zeros:3000"},
    %to: memref<?xi32> {terrace.name = "to", terrace.dims = ["e"], terrace.init = "zeros:3000"},
    %w: memref<?xf64> {terrace.name = "w", terrace.dims = ["e"], terrace.init = "random:3000:3"},
    %u: memref<?xf64> {terrace.name = "u", terrace.dims = ["n"], terrace.init = "random:400:4"},
    %flux: memref<?xf64> {terrace.name = "flux", terrace.dims = ["e"], terrace.init = "random:3000:5"}
) {
  %at0 = arith.constant 0 : index
  %e = memref.dim %from, %at0 : memref<?xi32>
  affine.for %k = 0 to %e {
    %p32 = affine.load %from[%k] : memref<?xi32>
    %q32 = affine.load %to[%k] : memref<?xi32>
    %p = arith.index_cast %p32 : i32 to index
    %q = arith.index_cast %q32 : i32 to index
    %x = memref.load %u[%p] : memref<?xf64>
    %y = memref.load %u[%q] : memref<?xf64>
    %z = affine.load %w[%k] : memref<?xf64>
    %d = arith.subf %y, %x : f64
    %r = arith.mulf %z, %d : f64
    affine.store %r, %flux[%k] : memref<?xf64>
  }
  return
}
