// The greatest integer so far of each row.

func.func @cummax_i32(
    %a: memref<?x?xi32> {terrace.name = "a", terrace.dims = ["m", "n"], terrace.init = "random:13x130:1"},
    %b: memref<?x?xi32> {terrace.name = "b", terrace.dims = ["m", "n"], terrace.init = "random:13x130:2"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %m = memref.dim %a, %at0 : memref<?x?xi32>
  %n = memref.dim %a, %at1 : memref<?x?xi32>
  affine.for %i = 0 to %m {
    %first = affine.load %a[%i, 0] : memref<?x?xi32>
    %all = affine.for %j = 0 to %n iter_args(%s = %first) -> (i32) {
      %x = affine.load %a[%i, %j] : memref<?x?xi32>
      %t = arith.maxsi %s, %x : i32
      affine.store %t, %b[%i, %j] : memref<?x?xi32>
      affine.yield %t : i32
    }
  }
  return
}
