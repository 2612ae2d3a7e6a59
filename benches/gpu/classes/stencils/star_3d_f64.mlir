// Seven points in three dimensions; f64.

func.func @star_3d_f64(
    %a: memref<?x?x?xf64> {terrace.name = "a", terrace.dims = ["l", "m", "n"], terrace.init = "random:17x23x29:1"},
    %b: memref<?x?x?xf64> {terrace.name = "b", terrace.dims = ["l", "m", "n"], terrace.init = "random:17x23x29:2"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %at2 = arith.constant 2 : index
  %l = memref.dim %a, %at0 : memref<?x?x?xf64>
  %m = memref.dim %a, %at1 : memref<?x?x?xf64>
  %n = memref.dim %a, %at2 : memref<?x?x?xf64>
  %c0 = arith.constant 0.4 : f64
  %c1 = arith.constant 0.1 : f64
  affine.for %i = 1 to affine_map<()[l] -> (l - 1)>()[%l] {
    affine.for %j = 1 to affine_map<()[m] -> (m - 1)>()[%m] {
      affine.for %k = 1 to affine_map<()[n] -> (n - 1)>()[%n] {
        %x0 = affine.load %a[%i, %j, %k] : memref<?x?x?xf64>
        %x1 = affine.load %a[%i - 1, %j, %k] : memref<?x?x?xf64>
        %x2 = affine.load %a[%i + 1, %j, %k] : memref<?x?x?xf64>
        %x3 = affine.load %a[%i, %j - 1, %k] : memref<?x?x?xf64>
        %x4 = affine.load %a[%i, %j + 1, %k] : memref<?x?x?xf64>
        %x5 = affine.load %a[%i, %j, %k - 1] : memref<?x?x?xf64>
        %x6 = affine.load %a[%i, %j, %k + 1] : memref<?x?x?xf64>
        %s2 = arith.addf %x1, %x2 : f64
        %s3 = arith.addf %s2, %x3 : f64
        %s4 = arith.addf %s3, %x4 : f64
        %s5 = arith.addf %s4, %x5 : f64
        %s6 = arith.addf %s5, %x6 : f64
        %p = arith.mulf %c0, %x0 : f64
        %q = arith.mulf %c1, %s6 : f64
        %r = arith.addf %p, %q : f64
        affine.store %r, %b[%i, %j, %k] : memref<?x?x?xf64>
      }
    }
  }
  return
}
