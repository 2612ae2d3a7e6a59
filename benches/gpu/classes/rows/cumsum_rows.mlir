// Cumulative sums of each row.

func.func @cumsum_rows(
    %a: memref<?x?xf32> {terrace.name = "a", terrace.dims = ["m", "n"], terrace.init = "random:13x130:1"},
    %b: memref<?x?xf32> {terrace.name = "b", terrace.dims = ["m", "n"], terrace.init = "random:13x130:2"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %m = memref.dim %a, %at0 : memref<?x?xf32>
  %n = memref.dim %a, %at1 : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %m {
    %all = affine.for %j = 0 to %n iter_args(%s = %zero) -> (f32) {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      %t = arith.addf %s, %x : f32
      affine.store %t, %b[%i, %j] : memref<?x?xf32>
      affine.yield %t : f32
    }
  }
  return
}
