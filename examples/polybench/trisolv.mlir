// L * x = b, L lower triangular.

func.func @trisolv_f64(
    %L: memref<?x?xf64> {terrace.name = "L", terrace.dims = ["N", "N"], terrace.init = "dominant:400x400:1"},
    %x: memref<?xf64> {terrace.name = "x", terrace.dims = ["N"], terrace.init = "zeros:400"},
    %b: memref<?xf64> {terrace.name = "b", terrace.dims = ["N"], terrace.init = "random:400:2"}
) attributes {terrace.flops = "N*N"} {
  %c0 = arith.constant 0 : index
  %N = memref.dim %L, %c0 : memref<?x?xf64>
  affine.for %i = 0 to %N {
    %b_i = affine.load %b[%i] : memref<?xf64>
    affine.store %b_i, %x[%i] : memref<?xf64>
    affine.for %j = 0 to affine_map<(i) -> (i)>(%i) {
      %x_i = affine.load %x[%i] : memref<?xf64>
      %l_ij = affine.load %L[%i, %j] : memref<?x?xf64>
      %x_j = affine.load %x[%j] : memref<?xf64>
      %0 = arith.mulf %l_ij, %x_j : f64
      %1 = arith.subf %x_i, %0 : f64
      affine.store %1, %x[%i] : memref<?xf64>
    }
    %x_i = affine.load %x[%i] : memref<?xf64>
    %l_ii = affine.load %L[%i, %i] : memref<?x?xf64>
    %2 = arith.divf %x_i, %l_ii : f64
    affine.store %2, %x[%i] : memref<?xf64>
  }
  return
}
