// Where each part begins when the parts' lengths are given.

func.func @exclusive_i32(
    %a: memref<?xi32> {terrace.name = "a", terrace.dims = ["n"], terrace.init = "random:5003:1"},
    %b: memref<?xi32> {terrace.name = "b", terrace.dims = ["n"], terrace.init = "random:5003:2"}
) {
  %at0 = arith.constant 0 : index
  %n = memref.dim %a, %at0 : memref<?xi32>
  %zero = arith.constant 0 : i32
  %all = affine.for %i = 0 to %n iter_args(%s = %zero) -> (i32) {
    affine.store %s, %b[%i] : memref<?xi32>
    %x = affine.load %a[%i] : memref<?xi32>
    %t = arith.addi %s, %x : i32
    affine.yield %t : i32
  }
  return
}
