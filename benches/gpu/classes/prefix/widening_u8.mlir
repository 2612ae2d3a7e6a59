// Sums of bytes up to each, as 64-bit integers.

func.func @widening_u8(
    %a: memref<?xi8> {terrace.name = "a", terrace.dims = ["n"], terrace.init = "zeros:5003"},
    %b: memref<?xi64> {terrace.name = "b", terrace.dims = ["n"], terrace.init = "random:5003:2"}
) {
  %at0 = arith.constant 0 : index
  %n = memref.dim %a, %at0 : memref<?xi8>
  %zero = arith.constant 0 : i64
  %all = affine.for %i = 0 to %n iter_args(%s = %zero) -> (i64) {
    %x8 = affine.load %a[%i] : memref<?xi8>
    %x = arith.extui %x8 : i8 to i64
    %t = arith.addi %s, %x : i64
    affine.store %t, %b[%i] : memref<?xi64>
    affine.yield %t : i64
  }
  return
}
