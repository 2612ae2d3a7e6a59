// Matrix products on the emulator, which looks for races: edges, factors in all
// orientations, a triangle with its mirror.
// RUN: terrace run %s --entry tn --target emulator --verify --size M=130 --size N=7 --size K=33 | FileCheck %s
// RUN: terrace run %s --entry nt --target emulator --verify --size M=5 --size N=131 --size K=1 | FileCheck %s
// RUN: terrace run %s --entry upper --target emulator --verify --size M=70 --size K=20 | FileCheck %s
// RUN: terrace compile %s --emit ptx --arch sm_90 | FileCheck %s --check-prefix=PTX
// RUN: terrace compile %s --emit ptx --arch sm_90 --fp-contract=off | FileCheck %s --check-prefix=OFF

// CHECK: verify   passed
// PTX: mma.sync.aligned.m16n8k8
// OFF-NOT: mma.sync
// OFF-NOT: fma.rn

func.func @tn(%A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["K", "M"], terrace.init = "random:8x8:1"},
              %B: memref<?x?xf64> {terrace.name = "B", terrace.dims = ["K", "N"], terrace.init = "random:8x8:2"},
              %C: memref<?x?xf64> {terrace.name = "C", terrace.dims = ["M", "N"], terrace.init = "random:8x8:3"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f64
  %K = memref.dim %A, %c0 : memref<?x?xf64>
  %M = memref.dim %A, %c1 : memref<?x?xf64>
  %N = memref.dim %B, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %M {
    affine.for %j = 0 to %N {
      %0 = affine.load %C[%i, %j] : memref<?x?xf64>
      %1 = arith.mulf %0, %two : f64
      affine.store %1, %C[%i, %j] : memref<?x?xf64>
    }
    affine.for %k = 0 to %K {
      affine.for %j = 0 to %N {
        %0 = affine.load %A[%k, %i] : memref<?x?xf64>
        %1 = arith.mulf %0, %two : f64
        %2 = affine.load %B[%k, %j] : memref<?x?xf64>
        %3 = arith.mulf %1, %2 : f64
        %4 = affine.load %C[%i, %j] : memref<?x?xf64>
        %5 = arith.subf %4, %3 : f64
        affine.store %5, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

func.func @nt(%A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["M", "K"], terrace.init = "random:8x8:1"},
              %B: memref<?x?xf32> {terrace.name = "B", terrace.dims = ["N", "K"], terrace.init = "random:8x8:2"},
              %C: memref<?x?xf32> {terrace.name = "C", terrace.dims = ["M", "N"], terrace.init = "zeros:8x8"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %M = memref.dim %A, %c0 : memref<?x?xf32>
  %K = memref.dim %A, %c1 : memref<?x?xf32>
  %N = memref.dim %B, %c0 : memref<?x?xf32>
  affine.for %j = 0 to %N {
    affine.for %i = 0 to %M {
      %dot = affine.for %k = 0 to %K iter_args(%sum = %zero) -> (f32) {
        %a = affine.load %A[%i, %k] : memref<?x?xf32>
        %b = affine.load %B[%j, %k] : memref<?x?xf32>
        %ab = arith.mulf %b, %a : f32
        %next = arith.addf %ab, %sum : f32
        affine.yield %next : f32
      }
      affine.store %dot, %C[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

func.func @upper(%A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["K", "M"], terrace.init = "random:8x8:1"},
                 %C: memref<?x?xf64> {terrace.name = "C", terrace.dims = ["M", "M"], terrace.init = "random:8x8:3"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %K = memref.dim %A, %c0 : memref<?x?xf64>
  %M = memref.dim %A, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %M {
    affine.store %one, %C[%i, %i] : memref<?x?xf64>
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to %M {
      affine.store %zero, %C[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %K {
        %0 = affine.load %A[%k, %i] : memref<?x?xf64>
        %1 = affine.load %A[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %C[%i, %j] : memref<?x?xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %C[%i, %j] : memref<?x?xf64>
      }
      %5 = affine.load %C[%i, %j] : memref<?x?xf64>
      affine.store %5, %C[%j, %i] : memref<?x?xf64>
    }
  }
  return
}
