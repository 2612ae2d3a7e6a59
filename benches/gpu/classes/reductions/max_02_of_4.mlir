// The greatest number over the first and third axis of a 4-D array.

func.func @max_02_of_4(
    %a: memref<?x?x?x?xf32> {terrace.name = "a", terrace.dims = ["e", "f", "g", "h"], terrace.init = "random:3x5x7x11:1"},
    %top: memref<?x?xf32> {terrace.name = "top", terrace.dims = ["f", "h"], terrace.init = "random:5x11:2"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %at2 = arith.constant 2 : index
  %at3 = arith.constant 3 : index
  %e = memref.dim %a, %at0 : memref<?x?x?x?xf32>
  %f = memref.dim %a, %at1 : memref<?x?x?x?xf32>
  %g = memref.dim %a, %at2 : memref<?x?x?x?xf32>
  %h = memref.dim %a, %at3 : memref<?x?x?x?xf32>
  affine.for %q = 0 to %f {
    affine.for %s = 0 to %h {
      %first = affine.load %a[0, %q, 0, %s] : memref<?x?x?x?xf32>
      %t = affine.for %p = 0 to %e iter_args(%t0 = %first) -> (f32) {
        %in = affine.for %r = 0 to %g iter_args(%t1 = %t0) -> (f32) {
          %v = affine.load %a[%p, %q, %r, %s] : memref<?x?x?x?xf32>
          %t2 = arith.maxnumf %t1, %v : f32
          affine.yield %t2 : f32
        }
        affine.yield %in : f32
      }
      affine.store %t, %top[%q, %s] : memref<?x?xf32>
    }
  }
  return
}
