// The sum of each column of a matrix of f64, added up row by row.

func.func @columns_sum(
    %a: memref<?x?xf64> {terrace.name = "a", terrace.dims = ["m", "n"], terrace.init = "random:37x130:1"},
    %s: memref<?xf64> {terrace.name = "s", terrace.dims = ["n"], terrace.init = "random:130:2"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %m = memref.dim %a, %at0 : memref<?x?xf64>
  %n = memref.dim %a, %at1 : memref<?x?xf64>
  %zero = arith.constant 0.0 : f64
  affine.for %j = 0 to %n {
    affine.store %zero, %s[%j] : memref<?xf64>
  }
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %t = affine.load %s[%j] : memref<?xf64>
      %x = affine.load %a[%i, %j] : memref<?x?xf64>
      %q = arith.addf %t, %x : f64
      affine.store %q, %s[%j] : memref<?xf64>
    }
  }
  return
}
