// The sum of each row of a matrix.

func.func @rows_sum(
    %a: memref<?x?xf32> {terrace.name = "a", terrace.dims = ["m", "n"], terrace.init = "random:37x130:1"},
    %s: memref<?xf32> {terrace.name = "s", terrace.dims = ["m"], terrace.init = "random:37:2"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %m = memref.dim %a, %at0 : memref<?x?xf32>
  %n = memref.dim %a, %at1 : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %m {
    %sum = affine.for %j = 0 to %n iter_args(%t = %zero) -> (f32) {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      %q = arith.addf %t, %x : f32
      affine.yield %q : f32
    }
    affine.store %sum, %s[%i] : memref<?xf32>
  }
  return
}
