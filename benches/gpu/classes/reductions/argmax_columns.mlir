// In which row of each column the greatest element is.

func.func @argmax_columns(
    %a: memref<?x?xf32> {terrace.name = "a", terrace.dims = ["m", "n"], terrace.init = "random:67x45:1"},
    %at: memref<?xi32> {terrace.name = "at", terrace.dims = ["n"], terrace.init = "random:45:2"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %m = memref.dim %a, %at0 : memref<?x?xf32>
  %n = memref.dim %a, %at1 : memref<?x?xf32>
  %zero = arith.constant 0 : i32
  affine.for %j = 0 to %n {
    %first = affine.load %a[0, %j] : memref<?x?xf32>
    %r:2 = affine.for %i = 1 to %m iter_args(%s = %first, %t = %zero) -> (f32, i32) {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      %k = arith.index_cast %i : index to i32
      %c = arith.cmpf ogt, %x, %s : f32
      %u = arith.select %c, %x, %s : f32
      %v = arith.select %c, %k, %t : i32
      affine.yield %u, %v : f32, i32
    }
    affine.store %r#1, %at[%j] : memref<?xi32>
  }
  return
}
