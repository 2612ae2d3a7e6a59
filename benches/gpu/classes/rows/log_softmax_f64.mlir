// The logarithm of softmax of each row; f64.

func.func @log_softmax_f64(
    %a: memref<?x?xf64> {terrace.name = "a", terrace.dims = ["m", "n"], terrace.init = "random:13x130:1"},
    %b: memref<?x?xf64> {terrace.name = "b", terrace.dims = ["m", "n"], terrace.init = "random:13x130:2"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %m = memref.dim %a, %at0 : memref<?x?xf64>
  %n = memref.dim %a, %at1 : memref<?x?xf64>
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %m {
    %first = affine.load %a[%i, 0] : memref<?x?xf64>
    %top = affine.for %j = 1 to %n iter_args(%t = %first) -> (f64) {
      %x = affine.load %a[%i, %j] : memref<?x?xf64>
      %q = arith.maxnumf %t, %x : f64
      affine.yield %q : f64
    }
    %sum = affine.for %j = 0 to %n iter_args(%t = %zero) -> (f64) {
      %x = affine.load %a[%i, %j] : memref<?x?xf64>
      %d = arith.subf %x, %top : f64
      %e = math.exp %d : f64
      %q = arith.addf %t, %e : f64
      affine.yield %q : f64
    }
    %l = math.log %sum : f64
    %shift = arith.addf %top, %l : f64
    affine.for %j = 0 to %n {
      %x = affine.load %a[%i, %j] : memref<?x?xf64>
      %d = arith.subf %x, %shift : f64
      affine.store %d, %b[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
