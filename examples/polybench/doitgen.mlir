// A[r, q, p] = sum over s of A[r, q, s] * C4[s, p].

func.func @doitgen_f64(
    %A: memref<?x?x?xf64> {terrace.name = "A", terrace.dims = ["NR", "NQ", "NP"], terrace.init = "random:50x40x60:1"},
    %C4: memref<?x?xf64> {terrace.name = "C4", terrace.dims = ["NP", "NP"], terrace.init = "random:60x60:2"},
    %sum: memref<?xf64> {terrace.name = "sum", terrace.dims = ["NP"], terrace.init = "zeros:60"}
) attributes {terrace.flops = "2*NR*NQ*NP*NP"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %NQ = memref.dim %A, %c1 : memref<?x?x?xf64>
  %NR = memref.dim %A, %c0 : memref<?x?x?xf64>
  %NP = memref.dim %A, %c2 : memref<?x?x?xf64>
  affine.for %r = 0 to %NR {
    affine.for %q = 0 to %NQ {
      affine.for %p = 0 to %NP {
        affine.store %zero, %sum[%p] : memref<?xf64>
        affine.for %s = 0 to %NP {
          %sum_p = affine.load %sum[%p] : memref<?xf64>
          %a_rqs = affine.load %A[%r, %q, %s] : memref<?x?x?xf64>
          %c4_sp = affine.load %C4[%s, %p] : memref<?x?xf64>
          %0 = arith.mulf %a_rqs, %c4_sp : f64
          %1 = arith.addf %sum_p, %0 : f64
          affine.store %1, %sum[%p] : memref<?xf64>
        }
      }
      affine.for %p = 0 to %NP {
        %sum_p = affine.load %sum[%p] : memref<?xf64>
        affine.store %sum_p, %A[%r, %q, %p] : memref<?x?x?xf64>
      }
    }
  }
  return
}
