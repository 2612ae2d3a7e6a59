// RUN: terrace run %s --target interp --size N=1 --out A=%t.1.npy && terrace-opt %s -affine-delay-updates='size=3 least=3' | terrace run - --target interp --size N=1 --out A=%t.1.delayed.npy && cmp %t.1.npy %t.1.delayed.npy
// RUN: terrace run %s --target interp --size N=2 --out A=%t.2.npy && terrace-opt %s -affine-delay-updates='size=3 least=3' | terrace run - --target interp --size N=2 --out A=%t.2.delayed.npy && cmp %t.2.npy %t.2.delayed.npy
// RUN: terrace run %s --target interp --size N=3 --out A=%t.3.npy && terrace-opt %s -affine-delay-updates='size=3 least=3' | terrace run - --target interp --size N=3 --out A=%t.3.delayed.npy && cmp %t.3.npy %t.3.delayed.npy
// RUN: terrace run %s --target interp --size N=4 --out A=%t.4.npy && terrace-opt %s -affine-delay-updates='size=3 least=3' | terrace run - --target interp --size N=4 --out A=%t.4.delayed.npy && cmp %t.4.npy %t.4.delayed.npy
// RUN: terrace run %s --target interp --size N=9 --out A=%t.9.npy && terrace-opt %s -affine-delay-updates='size=3 least=3' | terrace run - --target interp --size N=9 --out A=%t.9.delayed.npy && cmp %t.9.npy %t.9.delayed.npy
// RUN: terrace run %s --target interp --size N=11 --out A=%t.11.npy && terrace-opt %s -affine-delay-updates='size=3 least=3' | terrace run - --target interp --size N=11 --out A=%t.11.delayed.npy && cmp %t.11.npy %t.11.delayed.npy

// And of Cholesky, of which the numbers below the steps' end are one more than the steps.
func.func @f(
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["N", "N"], terrace.init = "dominant:13x13:1"}) {
  %c0 = arith.constant 0 : index
  %N = memref.dim %A, %c0 : memref<?x?xf64>
  affine.for %k = 0 to affine_map<(n) -> (n - 1)>(%N) {
    %d = affine.load %A[%k, %k] : memref<?x?xf64>
    %root = math.sqrt %d : f64
    affine.store %root, %A[%k, %k] : memref<?x?xf64>
    affine.parallel (%i) = (%k + 1) to (symbol(%N)) {
      %pivot = affine.load %A[%k, %k] : memref<?x?xf64>
      %a = affine.load %A[%i, %k] : memref<?x?xf64>
      %l = arith.divf %a, %pivot : f64
      affine.store %l, %A[%i, %k] : memref<?x?xf64>
    }
    affine.parallel (%i) = (%k + 1) to (symbol(%N)) {
      affine.parallel (%j) = (%k + 1) to (%i + 1) {
        %l = affine.load %A[%i, %k] : memref<?x?xf64>
        %u = affine.load %A[%j, %k] : memref<?x?xf64>
        %lu = arith.mulf %l, %u : f64
        %a = affine.load %A[%i, %j] : memref<?x?xf64>
        %rest = arith.subf %a, %lu : f64
        affine.store %rest, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
