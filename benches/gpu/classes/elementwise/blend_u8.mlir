// Two pictures of three colours are laid over each other by a mask; bytes.

func.func @blend_u8(
    %a: memref<?x?x3xi8> {terrace.name = "a", terrace.dims = ["m", "n", "3"], terrace.init = "zeros:37x53x3"},
    %b: memref<?x?x3xi8> {terrace.name = "b", terrace.dims = ["m", "n", "3"], terrace.init = "zeros:37x53x3"},
    %mask: memref<?x?xi8> {terrace.name = "mask", terrace.dims = ["m", "n"], terrace.init = "zeros:37x53"},
    %c: memref<?x?x3xi8> {terrace.name = "c", terrace.dims = ["m", "n", "3"], terrace.init = "zeros:37x53x3"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %m = memref.dim %a, %at0 : memref<?x?x3xi8>
  %n = memref.dim %a, %at1 : memref<?x?x3xi8>
  %c127 = arith.constant 127 : i32
  %c255 = arith.constant 255 : i32
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %w8 = affine.load %mask[%i, %j] : memref<?x?xi8>
      %w = arith.extui %w8 : i8 to i32
      %v = arith.subi %c255, %w : i32
      affine.for %k = 0 to 3 {
        %x8 = affine.load %a[%i, %j, %k] : memref<?x?x3xi8>
        %y8 = affine.load %b[%i, %j, %k] : memref<?x?x3xi8>
        %x = arith.extui %x8 : i8 to i32
        %y = arith.extui %y8 : i8 to i32
        %p = arith.muli %x, %w : i32
        %q = arith.muli %y, %v : i32
        %r = arith.addi %p, %q : i32
        %s = arith.addi %r, %c127 : i32
        %t = arith.divsi %s, %c255 : i32
        %u = arith.trunci %t : i32 to i8
        affine.store %u, %c[%i, %j, %k] : memref<?x?x3xi8>
      }
    }
  }
  return
}
