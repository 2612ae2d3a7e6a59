// Rows and columns of smaller arrays are combined into each element of a 3-D one.

func.func @broadcast_3d(
    %a: memref<?x?xf32> {terrace.name = "a", terrace.dims = ["l", "n"], terrace.init = "random:11x23:1"},
    %b: memref<?x?xf32> {terrace.name = "b", terrace.dims = ["m", "n"], terrace.init = "random:17x23:2"},
    %s: memref<?x?xf32> {terrace.name = "s", terrace.dims = ["l", "m"], terrace.init = "random:11x17:3"},
    %c: memref<?x?x?xf32> {terrace.name = "c", terrace.dims = ["l", "m", "n"], terrace.init = "random:11x17x23:4"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %l = memref.dim %a, %at0 : memref<?x?xf32>
  %n = memref.dim %a, %at1 : memref<?x?xf32>
  %m = memref.dim %b, %at0 : memref<?x?xf32>
  affine.for %i = 0 to %l {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %n {
        %x = affine.load %s[%i, %j] : memref<?x?xf32>
        %y = affine.load %a[%i, %k] : memref<?x?xf32>
        %z = affine.load %b[%j, %k] : memref<?x?xf32>
        %p = arith.addf %y, %z : f32
        %q = arith.mulf %x, %p : f32
        affine.store %q, %c[%i, %j, %k] : memref<?x?x?xf32>
      }
    }
  }
  return
}
