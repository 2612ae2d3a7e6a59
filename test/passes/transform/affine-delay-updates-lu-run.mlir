// RUN: terrace run %s --target interp --size N=1 --out A=%t.1.npy && terrace-opt %s -affine-delay-updates='size=4 least=6' | terrace run - --target interp --size N=1 --out A=%t.1.delayed.npy && cmp %t.1.npy %t.1.delayed.npy
// RUN: terrace run %s --target interp --size N=5 --out A=%t.5.npy && terrace-opt %s -affine-delay-updates='size=4 least=6' | terrace run - --target interp --size N=5 --out A=%t.5.delayed.npy && cmp %t.5.npy %t.5.delayed.npy
// RUN: terrace run %s --target interp --size N=6 --out A=%t.6.npy && terrace-opt %s -affine-delay-updates='size=4 least=6' | terrace run - --target interp --size N=6 --out A=%t.6.delayed.npy && cmp %t.6.npy %t.6.delayed.npy
// RUN: terrace run %s --target interp --size N=9 --out A=%t.9.npy && terrace-opt %s -affine-delay-updates='size=4 least=6' | terrace run - --target interp --size N=9 --out A=%t.9.delayed.npy && cmp %t.9.npy %t.9.delayed.npy
// RUN: terrace run %s --target interp --size N=10 --out A=%t.10.npy && terrace-opt %s -affine-delay-updates='size=4 least=6' | terrace run - --target interp --size N=10 --out A=%t.10.delayed.npy && cmp %t.10.npy %t.10.delayed.npy
// RUN: terrace run %s --target interp --size N=13 --out A=%t.13.npy && terrace-opt %s -affine-delay-updates='size=4 least=6' | terrace run - --target interp --size N=13 --out A=%t.13.delayed.npy && cmp %t.13.npy %t.13.delayed.npy
// RUN: terrace run %s --target interp --size N=18 --out A=%t.18.npy && terrace-opt %s -affine-delay-updates='size=4 least=6' | terrace run - --target interp --size N=18 --out A=%t.18.delayed.npy && cmp %t.18.npy %t.18.delayed.npy

// Every bit of LU stays, whether tiles fill the steps or not: they begin where six steps are left.
func.func @f(
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["N", "N"], terrace.init = "dominant:13x13:1"}) {
  %c0 = arith.constant 0 : index
  %N = memref.dim %A, %c0 : memref<?x?xf64>
  affine.for %k = 0 to %N {
    affine.parallel (%i) = (%k + 1) to (symbol(%N)) {
      %pivot = affine.load %A[%k, %k] : memref<?x?xf64>
      %a = affine.load %A[%i, %k] : memref<?x?xf64>
      %l = arith.divf %a, %pivot : f64
      affine.store %l, %A[%i, %k] : memref<?x?xf64>
    }
    affine.parallel (%i, %j) = (%k + 1, %k + 1) to (symbol(%N), symbol(%N)) {
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
