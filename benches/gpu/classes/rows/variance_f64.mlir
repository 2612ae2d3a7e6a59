// Mean and variance of each row of f64, in two passes.

func.func @variance_f64(
    %a: memref<?x?xf64> {terrace.name = "a", terrace.dims = ["m", "n"], terrace.init = "random:13x130:1"},
    %mean: memref<?xf64> {terrace.name = "mean", terrace.dims = ["m"], terrace.init = "random:13:2"},
    %var: memref<?xf64> {terrace.name = "var", terrace.dims = ["m"], terrace.init = "random:13:3"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %m = memref.dim %a, %at0 : memref<?x?xf64>
  %n = memref.dim %a, %at1 : memref<?x?xf64>
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %columns = arith.index_cast %n : index to i32
  %count = arith.sitofp %columns : i32 to f64
  %less = arith.subf %count, %one : f64
  affine.for %i = 0 to %m {
    %sum = affine.for %j = 0 to %n iter_args(%t = %zero) -> (f64) {
      %x = affine.load %a[%i, %j] : memref<?x?xf64>
      %q = arith.addf %t, %x : f64
      affine.yield %q : f64
    }
    %middle = arith.divf %sum, %count : f64
    %square = affine.for %j = 0 to %n iter_args(%t = %zero) -> (f64) {
      %x = affine.load %a[%i, %j] : memref<?x?xf64>
      %d = arith.subf %x, %middle : f64
      %p = arith.mulf %d, %d : f64
      %q = arith.addf %t, %p : f64
      affine.yield %q : f64
    }
    %v = arith.divf %square, %less : f64
    affine.store %middle, %mean[%i] : memref<?xf64>
    affine.store %v, %var[%i] : memref<?xf64>
  }
  return
}
