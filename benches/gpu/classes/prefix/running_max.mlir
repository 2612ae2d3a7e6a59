// The greatest number up to each.

func.func @running_max(
    %a: memref<?xf32> {terrace.name = "a", terrace.dims = ["n"], terrace.init = "random:5003:1"},
    %b: memref<?xf32> {terrace.name = "b", terrace.dims = ["n"], terrace.init = "random:5003:2"}
) {
  %at0 = arith.constant 0 : index
  %n = memref.dim %a, %at0 : memref<?xf32>
  %first = affine.load %a[0] : memref<?xf32>
  %all = affine.for %i = 0 to %n iter_args(%s = %first) -> (f32) {
    %x = affine.load %a[%i] : memref<?xf32>
    %t = arith.maxnumf %s, %x : f32
    affine.store %t, %b[%i] : memref<?xf32>
    affine.yield %t : f32
  }
  return
}
