// RUN: terrace run %s --entry open --target emulator --arch sm_90 --verify --reassociate > %t.1
// RUN: env TERRACE_EMULATOR=threads=1 terrace run %s --entry open --target emulator --arch sm_90 --verify --reassociate > %t.2
// RUN: cat %t.1 %t.2 | FileCheck %s --check-prefixes=CHECK,PARTS
// RUN: terrace run %s --entry open --target emulator --arch sm_80 --verify --reassociate --size M=3 --size N=130 --size K=1030 | FileCheck %s --check-prefixes=CHECK,ADDED
// RUN: terrace run %s --entry open --target emulator --arch sm_90 --verify --reassociate --size K=1023 | FileCheck %s --check-prefixes=CHECK,WHOLE
// RUN: terrace run %s --entry open --target emulator --arch sm_90 --verify --reassociate --size K=0 | FileCheck %s --check-prefixes=CHECK,WHOLE
// RUN: terrace run %s --entry flagged --target emulator --arch sm_90 --verify | FileCheck %s --check-prefixes=CHECK,ADDED
// RUN: terrace run %s --entry flagged --target emulator --arch sm_80 --verify --allow-tf32 --size K=4200 | FileCheck %s --check-prefixes=CHECK,ADDED
// RUN: terrace run %s --entry triangle --target emulator --arch sm_90 --verify --reassociate | FileCheck %s --check-prefixes=CHECK,ADDED
// RUN: terrace run %s --entry halves --target emulator --arch sm_90 --verify --reassociate | FileCheck %s --check-prefixes=CHECK,ADDED

// Few blocks and long k on the emulator, which looks for races: parts of k, and a second launch
// that adds them. Each run gives the same bits. Where k is short, or nobody has said that sums
// may be computed in any order, one launch.
// PARTS: array    C {{.*}} checksum sum [[BITS:.*]]
// PARTS: open_kernel{{.*}} 1x1x2
// PARTS: open_kernel{{.*}} 4x1x1 256x1x1
// PARTS: array    C {{.*}} checksum sum [[BITS]]
// ADDED: 256x1x1
// WHOLE-NOT: 256x1x1
// CHECK: verify   passed

func.func @open(
    %alpha: f64 {terrace.name = "alpha", terrace.init = "1.5"},
    %beta: f64 {terrace.name = "beta", terrace.init = "1.2"},
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["M", "K"], terrace.init = "random:33x1111:1"},
    %B: memref<?x?xf64> {terrace.name = "B", terrace.dims = ["K", "N"], terrace.init = "random:1111x29:2"},
    %C: memref<?x?xf64> {terrace.name = "C", terrace.dims = ["M", "N"], terrace.init = "random:33x29:3"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %M = memref.dim %A, %c0 : memref<?x?xf64>
  %N = memref.dim %B, %c1 : memref<?x?xf64>
  %K = memref.dim %A, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %M {
    affine.for %j = 0 to %N {
      %dot = affine.for %k = 0 to %K iter_args(%sum = %zero) -> (f64) {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %ab = arith.mulf %a, %b : f64
        %next = arith.addf %sum, %ab : f64
        affine.yield %next : f64
      }
      %old = affine.load %C[%i, %j] : memref<?x?xf64>
      %new = arith.mulf %alpha, %dot : f64
      %kept = arith.mulf %beta, %old : f64
      %c = arith.addf %new, %kept : f64
      affine.store %c, %C[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// The sum itself says so. It is in memory, scaled before, taken away from; rows and columns
// begin at 1; for each of two products side by side.
func.func @flagged(
    %A: memref<2x?x?xf32> {terrace.name = "A", terrace.dims = ["2", "K", "M"], terrace.init = "random:2x1100x21:1"},
    %B: memref<?x?xf32> {terrace.name = "B", terrace.dims = ["N", "K"], terrace.init = "random:37x1100:2"},
    %C: memref<?x2x?xf32> {terrace.name = "C", terrace.dims = ["M", "2", "N"], terrace.init = "random:21x2x37:3"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %half = arith.constant 0.5 : f32
  %K = memref.dim %A, %c1 : memref<2x?x?xf32>
  %M = memref.dim %A, %c2 : memref<2x?x?xf32>
  %N = memref.dim %B, %c0 : memref<?x?xf32>
  affine.for %q = 0 to 2 {
    affine.for %i = 1 to %M {
      affine.for %j = 1 to %N {
        %0 = affine.load %C[%i, %q, %j] : memref<?x2x?xf32>
        %1 = arith.mulf %0, %half : f32
        affine.store %1, %C[%i, %q, %j] : memref<?x2x?xf32>
        affine.for %k = 3 to %K {
          %a = affine.load %A[%q, %k, %i] : memref<2x?x?xf32>
          %b = affine.load %B[%j, %k] : memref<?x?xf32>
          %c = affine.load %C[%i, %q, %j] : memref<?x2x?xf32>
          %2 = arith.mulf %a, %b : f32
          %3 = arith.subf %c, %2 fastmath<reassoc> : f32
          affine.store %3, %C[%i, %q, %j] : memref<?x2x?xf32>
        }
      }
    }
  }
  return
}

func.func @triangle(
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["K", "M"], terrace.init = "random:1040x70:1"},
    %C: memref<?x?xf64> {terrace.name = "C", terrace.dims = ["M", "M"], terrace.init = "random:70x70:3"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %K = memref.dim %A, %c0 : memref<?x?xf64>
  %M = memref.dim %A, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %M {
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to %M {
      affine.store %zero, %C[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %K {
        %a = affine.load %A[%k, %i] : memref<?x?xf64>
        %b = affine.load %A[%k, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %0 = arith.mulf %a, %b : f64
        %1 = arith.addf %c, %0 : f64
        affine.store %1, %C[%i, %j] : memref<?x?xf64>
      }
      %2 = affine.load %C[%i, %j] : memref<?x?xf64>
      affine.store %2, %C[%j, %i] : memref<?x?xf64>
    }
  }
  return
}

// Rounded when all parts have been added.
func.func @halves(
    %A: memref<?x?xf16> {terrace.name = "A", terrace.dims = ["M", "K"], terrace.init = "random:9x8200:1"},
    %B: memref<?x?xf16> {terrace.name = "B", terrace.dims = ["K", "N"], terrace.init = "random:8200x11:2"},
    %C: memref<?x?xf16> {terrace.name = "C", terrace.dims = ["M", "N"], terrace.init = "zeros:9x11"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %M = memref.dim %A, %c0 : memref<?x?xf16>
  %N = memref.dim %B, %c1 : memref<?x?xf16>
  %K = memref.dim %A, %c1 : memref<?x?xf16>
  affine.for %i = 0 to %M {
    affine.for %j = 0 to %N {
      %dot = affine.for %k = 0 to %K iter_args(%sum = %zero) -> (f32) {
        %a16 = affine.load %A[%i, %k] : memref<?x?xf16>
        %b16 = affine.load %B[%k, %j] : memref<?x?xf16>
        %a = arith.extf %a16 : f16 to f32
        %b = arith.extf %b16 : f16 to f32
        %ab = arith.mulf %a, %b : f32
        %next = arith.addf %sum, %ab : f32
        affine.yield %next : f32
      }
      %c = arith.truncf %dot : f32 to f16
      affine.store %c, %C[%i, %j] : memref<?x?xf16>
    }
  }
  return
}
