// Sums along the middle axis of a 3-D array of f64.

func.func @middle_axis_f64(
    %a: memref<?x?x?xf64> {terrace.name = "a", terrace.dims = ["l", "m", "n"], terrace.init = "random:7x31x23:1"},
    %b: memref<?x?x?xf64> {terrace.name = "b", terrace.dims = ["l", "m", "n"], terrace.init = "random:7x31x23:2"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %at2 = arith.constant 2 : index
  %l = memref.dim %a, %at0 : memref<?x?x?xf64>
  %m = memref.dim %a, %at1 : memref<?x?x?xf64>
  %n = memref.dim %a, %at2 : memref<?x?x?xf64>
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %l {
    affine.for %k = 0 to %n {
      %all = affine.for %j = 0 to %m iter_args(%s = %zero) -> (f64) {
        %x = affine.load %a[%i, %j, %k] : memref<?x?x?xf64>
        %t = arith.addf %s, %x : f64
        affine.store %t, %b[%i, %j, %k] : memref<?x?x?xf64>
        affine.yield %t : f64
      }
    }
  }
  return
}
