// How often each number occurs.

func.func @counts_i32(
    %a: memref<?xi32> {terrace.name = "a", terrace.dims = ["n"], terrace.init = "zeros:5003"},
    %h: memref<?xi32> {terrace.name = "h", terrace.dims = ["bins"], terrace.init = "zeros:100"}
) {
  %at0 = arith.constant 0 : index
  %n = memref.dim %a, %at0 : memref<?xi32>
  %one = arith.constant 1 : i32
  affine.for %i = 0 to %n {
    %v = affine.load %a[%i] : memref<?xi32>
    %bin = arith.index_cast %v : i32 to index
    %old = memref.atomic_rmw addi %one, %h[%bin] : (i32, memref<?xi32>) -> i32
  }
  return
}
