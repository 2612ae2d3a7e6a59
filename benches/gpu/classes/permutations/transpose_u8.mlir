// The transpose of a picture of bytes.

func.func @transpose_u8(
    %a: memref<?x?xi8> {terrace.name = "a", terrace.dims = ["m", "n"], terrace.init = "zeros:37x53"},
    %b: memref<?x?xi8> {terrace.name = "b", terrace.dims = ["n", "m"], terrace.init = "zeros:53x37"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %m = memref.dim %a, %at0 : memref<?x?xi8>
  %n = memref.dim %a, %at1 : memref<?x?xi8>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %x = affine.load %a[%j, %i] : memref<?x?xi8>
      affine.store %x, %b[%i, %j] : memref<?x?xi8>
    }
  }
  return
}
