// A[r, q, p] = sum over s of A[r, q, s] * C4[s, p].

func.func @doitgen_f64(
    %A: memref<?x?x?xf64> {terrace.name = "A", terrace.dims = ["R", "Q", "P"], terrace.init = "random:100x80x120:1"},
    %C4: memref<?x?xf64> {terrace.name = "C4", terrace.dims = ["P", "P"], terrace.init = "random:120x120:2"}
) attributes {terrace.flops = "2*R*Q*P*P"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %R = memref.dim %A, %c0 : memref<?x?x?xf64>
  %Q = memref.dim %A, %c1 : memref<?x?x?xf64>
  %P = memref.dim %A, %c2 : memref<?x?x?xf64>
  %sum = memref.alloc(%R, %Q, %P) : memref<?x?x?xf64>
  affine.for %r = 0 to %R {
    affine.for %q = 0 to %Q {
      affine.for %p = 0 to %P {
        affine.store %zero, %sum[%r, %q, %p] : memref<?x?x?xf64>
        affine.for %s = 0 to %P {
          %a = affine.load %A[%r, %q, %s] : memref<?x?x?xf64>
          %c = affine.load %C4[%s, %p] : memref<?x?xf64>
          %ac = arith.mulf %a, %c : f64
          %old = affine.load %sum[%r, %q, %p] : memref<?x?x?xf64>
          %new = arith.addf %old, %ac : f64
          affine.store %new, %sum[%r, %q, %p] : memref<?x?x?xf64>
        }
      }
    }
  }
  affine.for %r = 0 to %R {
    affine.for %q = 0 to %Q {
      affine.for %p = 0 to %P {
        %v = affine.load %sum[%r, %q, %p] : memref<?x?x?xf64>
        affine.store %v, %A[%r, %q, %p] : memref<?x?x?xf64>
      }
    }
  }
  memref.dealloc %sum : memref<?x?x?xf64>
  return
}
