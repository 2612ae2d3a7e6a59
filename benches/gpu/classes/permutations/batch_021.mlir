// The transposes of many matrices.

func.func @batch_021(
    %a: memref<?x?x?xf32> {terrace.name = "a", terrace.dims = ["l", "m", "n"], terrace.init = "random:5x17x23:1"},
    %b: memref<?x?x?xf32> {terrace.name = "b", terrace.dims = ["l", "n", "m"], terrace.init = "random:5x23x17:2"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %at2 = arith.constant 2 : index
  %l = memref.dim %a, %at0 : memref<?x?x?xf32>
  %m = memref.dim %a, %at1 : memref<?x?x?xf32>
  %n = memref.dim %a, %at2 : memref<?x?x?xf32>
  affine.for %i = 0 to %l {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %n {
        %x = affine.load %a[%i, %j, %k] : memref<?x?x?xf32>
        affine.store %x, %b[%i, %k, %j] : memref<?x?x?xf32>
      }
    }
  }
  return
}
