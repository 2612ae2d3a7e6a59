// x1 += A * y_1;  x2 += A' * y_2.

func.func @mvt_f64(
    %x1: memref<?xf64> {terrace.name = "x1", terrace.dims = ["N"], terrace.init = "random:400:1"},
    %x2: memref<?xf64> {terrace.name = "x2", terrace.dims = ["N"], terrace.init = "random:400:2"},
    %y_1: memref<?xf64> {terrace.name = "y_1", terrace.dims = ["N"], terrace.init = "random:400:3"},
    %y_2: memref<?xf64> {terrace.name = "y_2", terrace.dims = ["N"], terrace.init = "random:400:4"},
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["N", "N"], terrace.init = "random:400x400:5"}
) attributes {terrace.flops = "4*N*N"} {
  %c0 = arith.constant 0 : index
  %N = memref.dim %x1, %c0 : memref<?xf64>
  affine.for %i = 0 to %N {
    affine.for %j = 0 to %N {
      %x1_i = affine.load %x1[%i] : memref<?xf64>
      %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
      %y_1_j = affine.load %y_1[%j] : memref<?xf64>
      %0 = arith.mulf %a_ij, %y_1_j : f64
      %1 = arith.addf %x1_i, %0 : f64
      affine.store %1, %x1[%i] : memref<?xf64>
    }
  }
  affine.for %i = 0 to %N {
    affine.for %j = 0 to %N {
      %x2_i = affine.load %x2[%i] : memref<?xf64>
      %a_ji = affine.load %A[%j, %i] : memref<?x?xf64>
      %y_2_j = affine.load %y_2[%j] : memref<?xf64>
      %2 = arith.mulf %a_ji, %y_2_j : f64
      %3 = arith.addf %x2_i, %2 : f64
      affine.store %3, %x2[%i] : memref<?xf64>
    }
  }
  return
}
