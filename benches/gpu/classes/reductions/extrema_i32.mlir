// Least and greatest integer along the last axis of a 3-D array.

func.func @extrema_i32(
    %a: memref<?x?x?xi32> {terrace.name = "a", terrace.dims = ["l", "m", "n"], terrace.init = "random:7x13x67:1"},
    %low: memref<?x?xi32> {terrace.name = "low", terrace.dims = ["l", "m"], terrace.init = "random:7x13:2"},
    %high: memref<?x?xi32> {terrace.name = "high", terrace.dims = ["l", "m"], terrace.init = "random:7x13:3"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %at2 = arith.constant 2 : index
  %l = memref.dim %a, %at0 : memref<?x?x?xi32>
  %m = memref.dim %a, %at1 : memref<?x?x?xi32>
  %n = memref.dim %a, %at2 : memref<?x?x?xi32>
  affine.for %i = 0 to %l {
    affine.for %j = 0 to %m {
      %first = affine.load %a[%i, %j, 0] : memref<?x?x?xi32>
      %r:2 = affine.for %k = 1 to %n iter_args(%s = %first, %t = %first) -> (i32, i32) {
        %x = affine.load %a[%i, %j, %k] : memref<?x?x?xi32>
        %u = arith.minsi %s, %x : i32
        %v = arith.maxsi %t, %x : i32
        affine.yield %u, %v : i32, i32
      }
      affine.store %r#0, %low[%i, %j] : memref<?x?xi32>
      affine.store %r#1, %high[%i, %j] : memref<?x?xi32>
    }
  }
  return
}
