// The greatest number of each row and its column.

func.func @top_value(
    %a: memref<?x?xf32> {terrace.name = "a", terrace.dims = ["m", "n"], terrace.init = "random:13x130:1"},
    %value: memref<?xf32> {terrace.name = "value", terrace.dims = ["m"], terrace.init = "random:13:2"},
    %at: memref<?xi32> {terrace.name = "at", terrace.dims = ["m"], terrace.init = "random:13:3"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %m = memref.dim %a, %at0 : memref<?x?xf32>
  %n = memref.dim %a, %at1 : memref<?x?xf32>
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to %m {
    %first = affine.load %a[%i, 0] : memref<?x?xf32>
    %r:2 = affine.for %j = 1 to %n iter_args(%s = %first, %t = %zero) -> (f32, i32) {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      %k = arith.index_cast %j : index to i32
      %c = arith.cmpf ogt, %x, %s : f32
      %u = arith.select %c, %x, %s : f32
      %v = arith.select %c, %k, %t : i32
      affine.yield %u, %v : f32, i32
    }
    affine.store %r#0, %value[%i] : memref<?xf32>
    affine.store %r#1, %at[%i] : memref<?xi32>
  }
  return
}
