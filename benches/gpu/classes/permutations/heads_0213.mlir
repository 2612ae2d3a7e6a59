// The heads of attention in front of the positions: the innermost axis stays.

func.func @heads_0213(
    %x: memref<?x?x?x?xf32> {terrace.name = "x", terrace.dims = ["b", "s", "h", "d"], terrace.init = "random:2x9x3x8:1"},
    %y: memref<?x?x?x?xf32> {terrace.name = "y", terrace.dims = ["b", "h", "s", "d"], terrace.init = "random:2x3x9x8:2"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %at2 = arith.constant 2 : index
  %at3 = arith.constant 3 : index
  %b = memref.dim %x, %at0 : memref<?x?x?x?xf32>
  %s = memref.dim %x, %at1 : memref<?x?x?x?xf32>
  %h = memref.dim %x, %at2 : memref<?x?x?x?xf32>
  %d = memref.dim %x, %at3 : memref<?x?x?x?xf32>
  affine.for %p = 0 to %b {
    affine.for %i = 0 to %s {
      affine.for %j = 0 to %h {
        affine.for %k = 0 to %d {
          %v = affine.load %x[%p, %i, %j, %k] : memref<?x?x?x?xf32>
          affine.store %v, %y[%p, %j, %i, %k] : memref<?x?x?x?xf32>
        }
      }
    }
  }
  return
}
