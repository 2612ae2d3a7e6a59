// A[r, q, p] = sum over s of A[r, q, s] * C4[s, p].
// With sizes known at compile time.

func.func @doitgen_static(
    %A: memref<10x8x12xf64> {terrace.name = "A", terrace.dims = ["R", "Q", "P"], terrace.init = "random:10x8x12:1"},
    %C4: memref<12x12xf64> {terrace.name = "C4", terrace.dims = ["P", "P"], terrace.init = "random:12x12:2"}
) attributes {terrace.flops = "2*R*Q*P*P"} {
  %zero = arith.constant 0.0 : f64
  %sum = memref.alloc() : memref<10x8x12xf64>
  affine.for %r = 0 to 10 {
    affine.for %q = 0 to 8 {
      affine.for %p = 0 to 12 {
        affine.store %zero, %sum[%r, %q, %p] : memref<10x8x12xf64>
        affine.for %s = 0 to 12 {
          %a = affine.load %A[%r, %q, %s] : memref<10x8x12xf64>
          %c = affine.load %C4[%s, %p] : memref<12x12xf64>
          %ac = arith.mulf %a, %c : f64
          %old = affine.load %sum[%r, %q, %p] : memref<10x8x12xf64>
          %new = arith.addf %old, %ac : f64
          affine.store %new, %sum[%r, %q, %p] : memref<10x8x12xf64>
        }
      }
    }
  }
  affine.for %r = 0 to 10 {
    affine.for %q = 0 to 8 {
      affine.for %p = 0 to 12 {
        %v = affine.load %sum[%r, %q, %p] : memref<10x8x12xf64>
        affine.store %v, %A[%r, %q, %p] : memref<10x8x12xf64>
      }
    }
  }
  memref.dealloc %sum : memref<10x8x12xf64>
  return
}
