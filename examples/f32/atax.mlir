// y = transpose(A) * (A * x).
// In f32.

func.func @atax_f32(
    %A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["M", "N"], terrace.init = "random:1800x2000:1"},
    %x: memref<?xf32> {terrace.name = "x", terrace.dims = ["N"], terrace.init = "random:2000:2"},
    %y: memref<?xf32> {terrace.name = "y", terrace.dims = ["N"], terrace.init = "zeros:2000"}
) attributes {terrace.flops = "4*M*N"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %M = memref.dim %A, %c0 : memref<?x?xf32>
  %N = memref.dim %A, %c1 : memref<?x?xf32>
  %Ax = memref.alloc(%M) : memref<?xf32>
  affine.for %i = 0 to %M {
    %dot = affine.for %j = 0 to %N iter_args(%sum = %zero) -> (f32) {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %v = affine.load %x[%j] : memref<?xf32>
      %av = arith.mulf %a, %v : f32
      %next = arith.addf %sum, %av : f32
      affine.yield %next : f32
    }
    affine.store %dot, %Ax[%i] : memref<?xf32>
  }
  affine.for %j = 0 to %N {
    %dot = affine.for %i = 0 to %M iter_args(%sum = %zero) -> (f32) {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %v = affine.load %Ax[%i] : memref<?xf32>
      %av = arith.mulf %a, %v : f32
      %next = arith.addf %sum, %av : f32
      affine.yield %next : f32
    }
    affine.store %dot, %y[%j] : memref<?xf32>
  }
  memref.dealloc %Ax : memref<?xf32>
  return
}
