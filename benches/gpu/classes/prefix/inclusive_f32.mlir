// The sums of all elements up to each.

func.func @inclusive_f32(
    %a: memref<?xf32> {terrace.name = "a", terrace.dims = ["n"], terrace.init = "random:5003:1"},
    %b: memref<?xf32> {terrace.name = "b", terrace.dims = ["n"], terrace.init = "random:5003:2"}
) {
  %at0 = arith.constant 0 : index
  %n = memref.dim %a, %at0 : memref<?xf32>
  %zero = arith.constant 0.0 : f32
  %all = affine.for %i = 0 to %n iter_args(%s = %zero) -> (f32) {
    %x = affine.load %a[%i] : memref<?xf32>
    %t = arith.addf %s, %x : f32
    affine.store %t, %b[%i] : memref<?xf32>
    affine.yield %t : f32
  }
  return
}
