// Where the parts of a buffer begin: B[i] is the sum of A[0] to A[i - 1]. The sum of all is
// the result, the size of the buffer.

func.func @prefix_sum(
    %A: memref<?xi32> {terrace.name = "A", terrace.dims = ["N"], terrace.init = "iota:1000000"},
    %B: memref<?xi32> {terrace.name = "B", terrace.dims = ["N"], terrace.init = "zeros:1000000"}
) -> i32 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %N = memref.dim %A, %c0 : memref<?xi32>
  %all = affine.for %i = 0 to %N iter_args(%s = %zero) -> (i32) {
    affine.store %s, %B[%i] : memref<?xi32>
    %a = affine.load %A[%i] : memref<?xi32>
    %t = arith.addi %s, %a : i32
    affine.yield %t : i32
  }
  return %all : i32
}
