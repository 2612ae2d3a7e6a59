// Sums that begin anew where a flag is set.

func.func @segmented(
    %a: memref<?xf32> {terrace.name = "a", terrace.dims = ["n"], terrace.init = "random:5003:1"},
    %flag: memref<?xi32> {terrace.name = "flag", terrace.dims = ["n"], terrace.init = "zeros:5003"},
    %b: memref<?xf32> {terrace.name = "b", terrace.dims = ["n"], terrace.init = "random:5003:3"}
) {
  %at0 = arith.constant 0 : index
  %n = memref.dim %a, %at0 : memref<?xf32>
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %all = affine.for %i = 0 to %n iter_args(%s = %zero) -> (f32) {
    %x = affine.load %a[%i] : memref<?xf32>
    %f = affine.load %flag[%i] : memref<?xi32>
    %c = arith.cmpi ne, %f, %none : i32
    %r = arith.select %c, %zero, %s : f32
    %t = arith.addf %r, %x : f32
    affine.store %t, %b[%i] : memref<?xf32>
    affine.yield %t : f32
  }
  return
}
