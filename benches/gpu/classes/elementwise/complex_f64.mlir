// Product of complex numbers whose parts lie in arrays of their own, and its magnitude.

func.func @complex_f64(
    %ar: memref<?xf64> {terrace.name = "ar", terrace.dims = ["n"], terrace.init = "random:3001:1"},
    %ai: memref<?xf64> {terrace.name = "ai", terrace.dims = ["n"], terrace.init = "random:3001:2"},
    %br: memref<?xf64> {terrace.name = "br", terrace.dims = ["n"], terrace.init = "random:3001:3"},
    %bi: memref<?xf64> {terrace.name = "bi", terrace.dims = ["n"], terrace.init = "random:3001:4"},
    %cr: memref<?xf64> {terrace.name = "cr", terrace.dims = ["n"], terrace.init = "random:3001:5"},
    %ci: memref<?xf64> {terrace.name = "ci", terrace.dims = ["n"], terrace.init = "random:3001:6"},
    %mag: memref<?xf64> {terrace.name = "mag", terrace.dims = ["n"], terrace.init = "random:3001:7"}
) {
  %at0 = arith.constant 0 : index
  %n = memref.dim %ar, %at0 : memref<?xf64>
  affine.for %i = 0 to %n {
    %a = affine.load %ar[%i] : memref<?xf64>
    %b = affine.load %ai[%i] : memref<?xf64>
    %c = affine.load %br[%i] : memref<?xf64>
    %d = affine.load %bi[%i] : memref<?xf64>
    %ac = arith.mulf %a, %c : f64
    %bd = arith.mulf %b, %d : f64
    %ad = arith.mulf %a, %d : f64
    %bc = arith.mulf %b, %c : f64
    %re = arith.subf %ac, %bd : f64
    %im = arith.addf %ad, %bc : f64
    affine.store %re, %cr[%i] : memref<?xf64>
    affine.store %im, %ci[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    %re = affine.load %cr[%i] : memref<?xf64>
    %im = affine.load %ci[%i] : memref<?xf64>
    %p = arith.mulf %re, %re : f64
    %q = arith.mulf %im, %im : f64
    %s = arith.addf %p, %q : f64
    %r = math.sqrt %s : f64
    affine.store %r, %mag[%i] : memref<?xf64>
  }
  return
}
