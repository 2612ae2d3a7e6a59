// The mean of each column of a matrix, a column at a time.

func.func @columns_mean(
    %a: memref<?x?xf32> {terrace.name = "a", terrace.dims = ["m", "n"], terrace.init = "random:37x130:1"},
    %s: memref<?xf32> {terrace.name = "s", terrace.dims = ["n"], terrace.init = "random:130:2"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %m = memref.dim %a, %at0 : memref<?x?xf32>
  %n = memref.dim %a, %at1 : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %rows = arith.index_cast %m : index to i32
  %count = arith.sitofp %rows : i32 to f32
  affine.for %j = 0 to %n {
    %sum = affine.for %i = 0 to %m iter_args(%t = %zero) -> (f32) {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      %q = arith.addf %t, %x : f32
      affine.yield %q : f32
    }
    %d = arith.divf %sum, %count : f32
    affine.store %d, %s[%j] : memref<?xf32>
  }
  return
}
