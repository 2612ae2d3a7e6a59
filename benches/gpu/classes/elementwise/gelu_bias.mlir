// A bias for each column, GELU in its form with tanh, and the sum with what came in.

func.func @gelu_bias(
    %x: memref<?x?xf32> {terrace.name = "x", terrace.dims = ["m", "n"], terrace.init = "random:37x130:1"},
    %y: memref<?x?xf32> {terrace.name = "y", terrace.dims = ["m", "n"], terrace.init = "random:37x130:2"},
    %bias: memref<?xf32> {terrace.name = "bias", terrace.dims = ["n"], terrace.init = "random:130:3"},
    %z: memref<?x?xf32> {terrace.name = "z", terrace.dims = ["m", "n"], terrace.init = "random:37x130:4"}
) {
  %at0 = arith.constant 0 : index
  %at1 = arith.constant 1 : index
  %m = memref.dim %x, %at0 : memref<?x?xf32>
  %n = memref.dim %x, %at1 : memref<?x?xf32>
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %c0 = arith.constant 0.7978845608 : f32
  %c1 = arith.constant 0.044715 : f32
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %a = affine.load %y[%i, %j] : memref<?x?xf32>
      %b = affine.load %bias[%j] : memref<?xf32>
      %v = arith.addf %a, %b : f32
      %v1 = arith.mulf %c1, %v : f32
      %v2 = arith.mulf %v1, %v : f32
      %v3 = arith.mulf %v2, %v : f32
      %w = arith.addf %v, %v3 : f32
      %u = arith.mulf %c0, %w : f32
      %t = math.tanh %u : f32
      %s = arith.addf %one, %t : f32
      %h = arith.mulf %half, %v : f32
      %g = arith.mulf %h, %s : f32
      %p = affine.load %x[%i, %j] : memref<?x?xf32>
      %r = arith.addf %p, %g : f32
      affine.store %r, %z[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
