// y = alpha * A * x + beta * B * x.

func.func @gesummv_f64(
    %alpha: f64 {terrace.name = "alpha", terrace.init = "1.5"},
    %beta: f64 {terrace.name = "beta", terrace.init = "1.2"},
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["N", "N"], terrace.init = "random:400x400:1"},
    %B: memref<?x?xf64> {terrace.name = "B", terrace.dims = ["N", "N"], terrace.init = "random:400x400:2"},
    %tmp: memref<?xf64> {terrace.name = "tmp", terrace.dims = ["N"], terrace.init = "zeros:400"},
    %x: memref<?xf64> {terrace.name = "x", terrace.dims = ["N"], terrace.init = "random:400:3"},
    %y: memref<?xf64> {terrace.name = "y", terrace.dims = ["N"], terrace.init = "zeros:400"}
) attributes {terrace.flops = "4*N*N + 3*N"} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %N = memref.dim %A, %c0 : memref<?x?xf64>
  affine.for %i = 0 to %N {
    affine.store %zero, %tmp[%i] : memref<?xf64>
    affine.store %zero, %y[%i] : memref<?xf64>
    affine.for %j = 0 to %N {
      %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
      %x_j = affine.load %x[%j] : memref<?xf64>
      %0 = arith.mulf %a_ij, %x_j : f64
      %tmp_i = affine.load %tmp[%i] : memref<?xf64>
      %1 = arith.addf %0, %tmp_i : f64
      affine.store %1, %tmp[%i] : memref<?xf64>
      %b_ij = affine.load %B[%i, %j] : memref<?x?xf64>
      %x_j_1 = affine.load %x[%j] : memref<?xf64>
      %2 = arith.mulf %b_ij, %x_j_1 : f64
      %y_i = affine.load %y[%i] : memref<?xf64>
      %3 = arith.addf %2, %y_i : f64
      affine.store %3, %y[%i] : memref<?xf64>
    }
    %tmp_i = affine.load %tmp[%i] : memref<?xf64>
    %4 = arith.mulf %alpha, %tmp_i : f64
    %y_i = affine.load %y[%i] : memref<?xf64>
    %5 = arith.mulf %beta, %y_i : f64
    %6 = arith.addf %4, %5 : f64
    affine.store %6, %y[%i] : memref<?xf64>
  }
  return
}
