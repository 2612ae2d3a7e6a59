// A step of the optimizer Adam: three arrays are updated in place.

func.func @adam(
    %g: memref<?xf32> {terrace.name = "g", terrace.dims = ["n"], terrace.init = "random:5003:1"},
    %p: memref<?xf32> {terrace.name = "p", terrace.dims = ["n"], terrace.init = "random:5003:2"},
    %m: memref<?xf32> {terrace.name = "m", terrace.dims = ["n"], terrace.init = "random:5003:3"},
    %v: memref<?xf32> {terrace.name = "v", terrace.dims = ["n"], terrace.init = "random:5003:4"}
) {
  %at0 = arith.constant 0 : index
  %n = memref.dim %g, %at0 : memref<?xf32>
  %b1 = arith.constant 0.9 : f32
  %a1 = arith.constant 0.1 : f32
  %b2 = arith.constant 0.999 : f32
  %a2 = arith.constant 0.001 : f32
  %eps = arith.constant 1.0e-8 : f32
  affine.for %i = 0 to %n {
    %x = affine.load %m[%i] : memref<?xf32>
    %d = affine.load %g[%i] : memref<?xf32>
    %s = arith.mulf %b1, %x : f32
    %t = arith.mulf %a1, %d : f32
    %r = arith.addf %s, %t : f32
    affine.store %r, %m[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    %x = affine.load %v[%i] : memref<?xf32>
    %d = affine.load %g[%i] : memref<?xf32>
    %s = arith.mulf %b2, %x : f32
    %t = arith.mulf %a2, %d : f32
    %u = arith.mulf %t, %d : f32
    %r = arith.addf %s, %u : f32
    affine.store %r, %v[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    %x = affine.load %m[%i] : memref<?xf32>
    %y = affine.load %v[%i] : memref<?xf32>
    %z = affine.load %p[%i] : memref<?xf32>
    %s = arith.mulf %a2, %x : f32
    %q = math.sqrt %y : f32
    %e = arith.addf %q, %eps : f32
    %d = arith.divf %s, %e : f32
    %r = arith.subf %z, %d : f32
    affine.store %r, %p[%i] : memref<?xf32>
  }
  return
}
