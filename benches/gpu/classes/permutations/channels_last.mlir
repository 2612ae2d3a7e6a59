// Pictures with the channel innermost become ones with the channel behind the picture's number.

func.func @channels_last(
    %x: memref<?x?x?x?xf32> {terrace.name = "x", terrace.dims = ["b", "h", "w", "c"], terrace.init = "random:2x9x11x3:1"},
    %y: memref<?x?x?x?xf32> {terrace.name = "y", terrace.dims = ["b", "c", "h", "w"], terrace.init = "random:2x3x9x11:2"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %at2 = arith.constant 2 : index
  %at3 = arith.constant 3 : index
  %b = memref.dim %x, %at0 : memref<?x?x?x?xf32>
  %h = memref.dim %x, %at1 : memref<?x?x?x?xf32>
  %w = memref.dim %x, %at2 : memref<?x?x?x?xf32>
  %c = memref.dim %x, %at3 : memref<?x?x?x?xf32>
  affine.for %p = 0 to %b {
    affine.for %k = 0 to %c {
      affine.for %i = 0 to %h {
        affine.for %j = 0 to %w {
          %v = affine.load %x[%p, %i, %j, %k] : memref<?x?x?x?xf32>
          affine.store %v, %y[%p, %k, %i, %j] : memref<?x?x?x?xf32>
        }
      }
    }
  }
  return
}
