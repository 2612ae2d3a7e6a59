// The transpose of a matrix.

func.func @transpose(
    %a: memref<?x?xf32> {terrace.name = "a", terrace.dims = ["m", "n"], terrace.init = "random:37x53:1"},
    %b: memref<?x?xf32> {terrace.name = "b", terrace.dims = ["n", "m"], terrace.init = "random:53x37:2"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %m = memref.dim %a, %at0 : memref<?x?xf32>
  %n = memref.dim %a, %at1 : memref<?x?xf32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      affine.store %x, %b[%j, %i] : memref<?x?xf32>
    }
  }
  return
}
