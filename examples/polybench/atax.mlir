// y = A' * (A * x), a row of A at a time.

func.func @atax_f64(
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["M", "N"], terrace.init = "random:390x410:1"},
    %x: memref<?xf64> {terrace.name = "x", terrace.dims = ["N"], terrace.init = "random:410:2"},
    %y: memref<?xf64> {terrace.name = "y", terrace.dims = ["N"], terrace.init = "zeros:410"},
    %tmp: memref<?xf64> {terrace.name = "tmp", terrace.dims = ["M"], terrace.init = "zeros:390"}
) attributes {terrace.flops = "4*M*N"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %M = memref.dim %A, %c0 : memref<?x?xf64>
  %N = memref.dim %A, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %N {
    affine.store %zero, %y[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %M {
    affine.store %zero, %tmp[%i] : memref<?xf64>
    affine.for %j = 0 to %N {
      %tmp_i = affine.load %tmp[%i] : memref<?xf64>
      %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
      %x_j = affine.load %x[%j] : memref<?xf64>
      %0 = arith.mulf %a_ij, %x_j : f64
      %1 = arith.addf %tmp_i, %0 : f64
      affine.store %1, %tmp[%i] : memref<?xf64>
    }
    affine.for %j = 0 to %N {
      %y_j = affine.load %y[%j] : memref<?xf64>
      %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
      %tmp_i = affine.load %tmp[%i] : memref<?xf64>
      %2 = arith.mulf %a_ij, %tmp_i : f64
      %3 = arith.addf %y_j, %2 : f64
      affine.store %3, %y[%j] : memref<?xf64>
    }
  }
  return
}
