// y = transpose(A) * (A * x).

func.func @atax_f64(
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["M", "N"], terrace.init = "random:1800x2000:1"},
    %x: memref<?xf64> {terrace.name = "x", terrace.dims = ["N"], terrace.init = "random:2000:2"},
    %y: memref<?xf64> {terrace.name = "y", terrace.dims = ["N"], terrace.init = "zeros:2000"}
) attributes {terrace.flops = "4*M*N"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %M = memref.dim %A, %c0 : memref<?x?xf64>
  %N = memref.dim %A, %c1 : memref<?x?xf64>
  %Ax = memref.alloc(%M) : memref<?xf64>
  affine.for %i = 0 to %M {
    %dot = affine.for %j = 0 to %N iter_args(%sum = %zero) -> (f64) {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %v = affine.load %x[%j] : memref<?xf64>
      %av = arith.mulf %a, %v : f64
      %next = arith.addf %sum, %av : f64
      affine.yield %next : f64
    }
    affine.store %dot, %Ax[%i] : memref<?xf64>
  }
  affine.for %j = 0 to %N {
    %dot = affine.for %i = 0 to %M iter_args(%sum = %zero) -> (f64) {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %v = affine.load %Ax[%i] : memref<?xf64>
      %av = arith.mulf %a, %v : f64
      %next = arith.addf %sum, %av : f64
      affine.yield %next : f64
    }
    affine.store %dot, %y[%j] : memref<?xf64>
  }
  memref.dealloc %Ax : memref<?xf64>
  return
}
