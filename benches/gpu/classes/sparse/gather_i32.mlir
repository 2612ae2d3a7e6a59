// Elements of an array in the order that another one names.

func.func @gather_i32(
    %at: memref<?xi32> {terrace.name = "at", terrace.dims = ["n"], terrace.init = "zeros:5003"},
    %a: memref<?xi32> {terrace.name = "a", terrace.dims = ["table"], terrace.init = "random:5003:2"},
    %b: memref<?xi32> {terrace.name = "b", terrace.dims = ["n"], terrace.init = "random:5003:3"}
) {
  %at0 = arith.constant 0 : index
  %n = memref.dim %at, %at0 : memref<?xi32>
  affine.for %i = 0 to %n {
    %k32 = affine.load %at[%i] : memref<?xi32>
    %k = arith.index_cast %k32 : i32 to index
    %v = memref.load %a[%k] : memref<?xi32>
    affine.store %v, %b[%i] : memref<?xi32>
  }
  return
}
