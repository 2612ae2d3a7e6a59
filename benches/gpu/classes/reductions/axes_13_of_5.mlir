// Sums along the second and fourth axis of a 5-D array.

func.func @axes_13_of_5(
    %a: memref<?x?x?x?x?xf32> {terrace.name = "a", terrace.dims = ["e", "f", "g", "h", "k"], terrace.init = "random:3x4x5x6x7:1"},
    %s: memref<?x?x?xf32> {terrace.name = "s", terrace.dims = ["e", "g", "k"], terrace.init = "random:3x5x7:2"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %at2 = arith.constant 2 : index
  %at3 = arith.constant 3 : index
  %at4 = arith.constant 4 : index
  %e = memref.dim %a, %at0 : memref<?x?x?x?x?xf32>
  %f = memref.dim %a, %at1 : memref<?x?x?x?x?xf32>
  %g = memref.dim %a, %at2 : memref<?x?x?x?x?xf32>
  %h = memref.dim %a, %at3 : memref<?x?x?x?x?xf32>
  %k = memref.dim %a, %at4 : memref<?x?x?x?x?xf32>
  %zero = arith.constant 0.0 : f32
  affine.for %p = 0 to %e {
    affine.for %r = 0 to %g {
      affine.for %t = 0 to %k {
        %sum = affine.for %q = 0 to %f iter_args(%s0 = %zero) -> (f32) {
          %in = affine.for %u = 0 to %h iter_args(%s1 = %s0) -> (f32) {
            %v = affine.load %a[%p, %q, %r, %u, %t] : memref<?x?x?x?x?xf32>
            %s2 = arith.addf %s1, %v : f32
            affine.yield %s2 : f32
          }
          affine.yield %in : f32
        }
        affine.store %sum, %s[%p, %r, %t] : memref<?x?x?xf32>
      }
    }
  }
  return
}
