// The histogram of a picture of bytes.

func.func @grey_u8(
    %a: memref<?x?xi8> {terrace.name = "a", terrace.dims = ["m", "n"], terrace.init = "zeros:37x53"},
    %h: memref<256xi32> {terrace.name = "h", terrace.dims = ["256"], terrace.init = "zeros:256"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %m = memref.dim %a, %at0 : memref<?x?xi8>
  %n = memref.dim %a, %at1 : memref<?x?xi8>
  %one = arith.constant 1 : i32
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %v8 = affine.load %a[%i, %j] : memref<?x?xi8>
      %v = arith.extui %v8 : i8 to i32
      %bin = arith.index_cast %v : i32 to index
      %old = memref.atomic_rmw addi %one, %h[%bin] : (i32, memref<256xi32>) -> i32
    }
  }
  return
}
