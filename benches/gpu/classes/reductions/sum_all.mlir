// The sum of an array.

func.func @sum_all(
    %x: memref<?xf32> {terrace.name = "x", terrace.dims = ["n"], terrace.init = "random:5003:1"},
    %s: memref<1xf32> {terrace.name = "s", terrace.dims = ["1"], terrace.init = "random:1:2"}
) {
  %at0 = arith.constant 0 : index
  %n = memref.dim %x, %at0 : memref<?xf32>
  %zero = arith.constant 0.0 : f32
  %sum = affine.for %i = 0 to %n iter_args(%t = %zero) -> (f32) {
    %a = affine.load %x[%i] : memref<?xf32>
    %q = arith.addf %t, %a : f32
    affine.yield %q : f32
  }
  affine.store %sum, %s[0] : memref<1xf32>
  return
}
