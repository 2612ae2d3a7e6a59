// A product of matrices of 1024 by 1024.

func.func @matmul_1k(
    %a: memref<?x?xf32> {terrace.name = "a", terrace.dims = ["m", "k"], terrace.init = "random:65x70:1"},
    %b: memref<?x?xf32> {terrace.name = "b", terrace.dims = ["k", "n"], terrace.init = "random:70x67:2"},
    %c: memref<?x?xf32> {terrace.name = "c", terrace.dims = ["m", "n"], terrace.init = "random:65x67:3"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %m = memref.dim %a, %at0 : memref<?x?xf32>
  %k = memref.dim %a, %at1 : memref<?x?xf32>
  %n = memref.dim %b, %at1 : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %s = affine.for %l = 0 to %k iter_args(%t = %zero) -> (f32) {
        %x = affine.load %a[%i, %l] : memref<?x?xf32>
        %y = affine.load %b[%l, %j] : memref<?x?xf32>
        %p = arith.mulf %x, %y : f32
        %q = arith.addf %t, %p : f32
        affine.yield %q : f32
      }
      affine.store %s, %c[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
