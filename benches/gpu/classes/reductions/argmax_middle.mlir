// Where along the middle axis of a 3-D array of f64 the greatest number is.

func.func @argmax_middle(
    %a: memref<?x?x?xf64> {terrace.name = "a", terrace.dims = ["l", "m", "n"], terrace.init = "random:5x31x23:1"},
    %at: memref<?x?xi32> {terrace.name = "at", terrace.dims = ["l", "n"], terrace.init = "random:5x23:2"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %at2 = arith.constant 2 : index
  %l = memref.dim %a, %at0 : memref<?x?x?xf64>
  %m = memref.dim %a, %at1 : memref<?x?x?xf64>
  %n = memref.dim %a, %at2 : memref<?x?x?xf64>
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to %l {
    affine.for %k = 0 to %n {
      %first = affine.load %a[%i, 0, %k] : memref<?x?x?xf64>
      %r:2 = affine.for %j = 1 to %m iter_args(%s = %first, %t = %zero) -> (f64, i32) {
        %x = affine.load %a[%i, %j, %k] : memref<?x?x?xf64>
        %q = arith.index_cast %j : index to i32
        %c = arith.cmpf ogt, %x, %s : f64
        %u = arith.select %c, %x, %s : f64
        %v = arith.select %c, %q, %t : i32
        affine.yield %u, %v : f64, i32
      }
      affine.store %r#1, %at[%i, %k] : memref<?x?xi32>
    }
  }
  return
}
