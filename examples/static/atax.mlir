// y = transpose(A) * (A * x).
// With sizes known at compile time.

func.func @atax_static(
    %A: memref<116x124xf64> {terrace.name = "A", terrace.dims = ["M", "N"], terrace.init = "random:116x124:1"},
    %x: memref<124xf64> {terrace.name = "x", terrace.dims = ["N"], terrace.init = "random:124:2"},
    %y: memref<124xf64> {terrace.name = "y", terrace.dims = ["N"], terrace.init = "zeros:124"}
) attributes {terrace.flops = "4*M*N"} {
  %zero = arith.constant 0.0 : f64
  %Ax = memref.alloc() : memref<116xf64>
  affine.for %i = 0 to 116 {
    %dot = affine.for %j = 0 to 124 iter_args(%sum = %zero) -> (f64) {
      %a = affine.load %A[%i, %j] : memref<116x124xf64>
      %v = affine.load %x[%j] : memref<124xf64>
      %av = arith.mulf %a, %v : f64
      %next = arith.addf %sum, %av : f64
      affine.yield %next : f64
    }
    affine.store %dot, %Ax[%i] : memref<116xf64>
  }
  affine.for %j = 0 to 124 {
    %dot = affine.for %i = 0 to 116 iter_args(%sum = %zero) -> (f64) {
      %a = affine.load %A[%i, %j] : memref<116x124xf64>
      %v = affine.load %Ax[%i] : memref<116xf64>
      %av = arith.mulf %a, %v : f64
      %next = arith.addf %sum, %av : f64
      affine.yield %next : f64
    }
    affine.store %dot, %y[%j] : memref<124xf64>
  }
  memref.dealloc %Ax : memref<116xf64>
  return
}
