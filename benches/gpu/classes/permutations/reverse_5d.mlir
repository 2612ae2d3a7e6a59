// The axes of a 5-D array of integers in the opposite order.

func.func @reverse_5d(
    %a: memref<?x?x?x?x?xi32> {terrace.name = "a", terrace.dims = ["e", "f", "g", "h", "k"], terrace.init = "random:3x4x5x6x7:1"},
    %b: memref<?x?x?x?x?xi32> {terrace.name = "b", terrace.dims = ["k", "h", "g", "f", "e"], terrace.init = "random:7x6x5x4x3:2"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %at2 = arith.constant 2 : index
  %at3 = arith.constant 3 : index
  %at4 = arith.constant 4 : index
  %e = memref.dim %a, %at0 : memref<?x?x?x?x?xi32>
  %f = memref.dim %a, %at1 : memref<?x?x?x?x?xi32>
  %g = memref.dim %a, %at2 : memref<?x?x?x?x?xi32>
  %h = memref.dim %a, %at3 : memref<?x?x?x?x?xi32>
  %k = memref.dim %a, %at4 : memref<?x?x?x?x?xi32>
  affine.for %p = 0 to %e {
    affine.for %q = 0 to %f {
      affine.for %r = 0 to %g {
        affine.for %s = 0 to %h {
          affine.for %t = 0 to %k {
            %v = affine.load %a[%p, %q, %r, %s, %t] : memref<?x?x?x?x?xi32>
            affine.store %v, %b[%t, %s, %r, %q, %p] : memref<?x?x?x?x?xi32>
          }
        }
      }
    }
  }
  return
}
