// RUN: terrace run %s --target interp --size N=6 --out A=%t.6.npy && terrace-opt %s -affine-delay-updates='size=4 least=4' | terrace run - --target interp --size N=6 --out A=%t.6.delayed.npy && cmp %t.6.npy %t.6.delayed.npy
// RUN: terrace run %s --target interp --size N=7 --out A=%t.7.npy && terrace-opt %s -affine-delay-updates='size=4 least=4' | terrace run - --target interp --size N=7 --out A=%t.7.delayed.npy && cmp %t.7.npy %t.7.delayed.npy
// RUN: terrace run %s --target interp --size N=8 --out A=%t.8.npy && terrace-opt %s -affine-delay-updates='size=4 least=4' | terrace run - --target interp --size N=8 --out A=%t.8.delayed.npy && cmp %t.8.npy %t.8.delayed.npy
// RUN: terrace run %s --target interp --size N=11 --out A=%t.11.npy && terrace-opt %s -affine-delay-updates='size=4 least=4' | terrace run - --target interp --size N=11 --out A=%t.11.delayed.npy && cmp %t.11.npy %t.11.delayed.npy
// RUN: terrace run %s --target interp --size N=16 --out A=%t.16.npy && terrace-opt %s -affine-delay-updates='size=4 least=4' | terrace run - --target interp --size N=16 --out A=%t.16.delayed.npy && cmp %t.16.npy %t.16.delayed.npy

// Steps from 2 on; rows and columns that begin further behind, and end before the steps do: both
// ends of a tile may be behind the end of the array.
func.func @f(
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["N", "N"], terrace.init = "dominant:13x13:1"}) {
  %c0 = arith.constant 0 : index
  %N = memref.dim %A, %c0 : memref<?x?xf64>
  affine.for %k = 2 to %N {
    affine.parallel (%i, %j) = (%k + 2, %k + 3) to (symbol(%N) - 1, symbol(%N)) {
      %l = affine.load %A[%i, %k] : memref<?x?xf64>
      %u = affine.load %A[%k, %j] : memref<?x?xf64>
      %lu = arith.mulf %l, %u : f64
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %rest = arith.subf %a, %lu : f64
      affine.store %rest, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
