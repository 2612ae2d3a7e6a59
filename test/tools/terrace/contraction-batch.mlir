// RUN: terrace run %s --entry doubles --target emulator --arch sm_90 --verify | FileCheck %s
// RUN: terrace run %s --entry doubles --target emulator --arch sm_80 --verify --size R=2 --size M=130 --size N=70 --size K=20 | FileCheck %s
// RUN: terrace run %s --entry doubles --target emulator --arch sm_90 --verify --size R=0 | FileCheck %s
// RUN: terrace run %s --entry doubles --target emulator --arch sm_90 --verify --size M=5 --size N=6 | FileCheck %s
// RUN: terrace run %s --entry heads --target emulator --arch sm_90 --verify | FileCheck %s
// RUN: terrace run %s --entry heads --target emulator --arch sm_80 --verify --allow-tf32 --size M=129 --arg n=131 --size R=1 | FileCheck %s
// RUN: terrace run %s --entry triangle --target emulator --arch sm_90 --verify | FileCheck %s
// RUN: terrace run %s --entry halves --target emulator --arch sm_90 --verify | FileCheck %s
// RUN: terrace run %s --entry halves --target emulator --arch sm_80 --verify --size M=40 --size N=48 --size K=24 | FileCheck %s
// RUN: terrace run %s --entry doubles --target emulator --arch sm_90 --verify --schedule %S/Inputs/contraction-batch.mlir --size N=46 --size K=22 | FileCheck %s
// RUN: terrace run %s --entry halves --target emulator --arch sm_90 --verify --schedule %S/Inputs/contraction-batch.mlir --size N=48 --size K=40 | FileCheck %s

// Products side by side on the emulator, which looks for races: any sizes, none at all, and
// such that loops are taken.
// CHECK: verify   passed

func.func @doubles(
    %alpha: f64 {terrace.name = "alpha", terrace.init = "1.5"},
    %A: memref<?x?x?xf64> {terrace.name = "A", terrace.dims = ["R", "M", "K"], terrace.init = "random:3x67x21:1"},
    %B: memref<?x?x?xf64> {terrace.name = "B", terrace.dims = ["R", "N", "K"], terrace.init = "random:3x45x21:2"},
    %C: memref<?x?x?xf64> {terrace.name = "C", terrace.dims = ["R", "M", "N"], terrace.init = "random:3x67x45:3"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %R = memref.dim %A, %c0 : memref<?x?x?xf64>
  %M = memref.dim %A, %c1 : memref<?x?x?xf64>
  %K = memref.dim %A, %c2 : memref<?x?x?xf64>
  %N = memref.dim %B, %c1 : memref<?x?x?xf64>
  affine.for %r = 0 to %R {
    affine.for %i = 0 to %M {
      affine.for %j = 0 to %N {
        %dot = affine.for %k = 0 to %K iter_args(%sum = %zero) -> (f64) {
          %a = affine.load %A[%r, %i, %k] : memref<?x?x?xf64>
          %b = affine.load %B[%r, %j, %k] : memref<?x?x?xf64>
          %0 = arith.mulf %a, %b : f64
          %next = arith.addf %sum, %0 : f64
          affine.yield %next : f64
        }
        %old = affine.load %C[%r, %i, %j] : memref<?x?x?xf64>
        %new = arith.mulf %alpha, %dot : f64
        %c = arith.subf %old, %new : f64
        affine.store %c, %C[%r, %i, %j] : memref<?x?x?xf64>
      }
    }
  }
  return
}

// Two counters, the loops in another order, heads beside each other in rows of one factor, the
// other one for all of the batch; something for each head is added behind.
func.func @heads(
    %n: index {terrace.name = "n", terrace.init = "40"},
    %A: memref<?x?x64xf32> {terrace.name = "A", terrace.dims = ["R", "M", "64"], terrace.init = "random:3x50x64:1"},
    %B: memref<4x?x16xf32> {terrace.name = "B", terrace.dims = ["4", "N", "16"], terrace.init = "random:4x135x16:2"},
    %bias: memref<?x4xf32> {terrace.name = "bias", terrace.dims = ["R", "4"], terrace.init = "random:3x4:4"},
    %C: memref<?x?x4x?xf32> {terrace.name = "C", terrace.dims = ["M", "R", "4", "N"], terrace.init = "random:50x3x4x135:3"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %R = memref.dim %A, %c0 : memref<?x?x64xf32>
  %M = memref.dim %A, %c1 : memref<?x?x64xf32>
  affine.for %i = 0 to %M {
    affine.for %j = 0 to %n {
      affine.for %h = 0 to 4 {
        affine.for %r = 0 to %R {
          %0 = affine.load %C[%i, %r, %h, %j] : memref<?x?x4x?xf32>
          %1 = arith.mulf %0, %two : f32
          affine.store %1, %C[%i, %r, %h, %j] : memref<?x?x4x?xf32>
          affine.for %k = 0 to 16 {
            %a = affine.load %A[%r, %i, %h * 16 + %k] : memref<?x?x64xf32>
            %b = affine.load %B[%h, %j, %k] : memref<4x?x16xf32>
            %c = affine.load %C[%i, %r, %h, %j] : memref<?x?x4x?xf32>
            %2 = arith.mulf %a, %b : f32
            %3 = arith.addf %c, %2 : f32
            affine.store %3, %C[%i, %r, %h, %j] : memref<?x?x4x?xf32>
          }
          %4 = affine.load %C[%i, %r, %h, %j] : memref<?x?x4x?xf32>
          %5 = affine.load %bias[%r, %h] : memref<?x4xf32>
          %6 = arith.addf %4, %5 : f32
          affine.store %6, %C[%i, %r, %h, %j] : memref<?x?x4x?xf32>
        }
      }
    }
  }
  return
}

func.func @triangle(
    %A: memref<?x?x?xf64> {terrace.name = "A", terrace.dims = ["R", "K", "M"], terrace.init = "random:3x19x70:1"},
    %C: memref<?x?x?xf64> {terrace.name = "C", terrace.dims = ["R", "M", "M"], terrace.init = "random:3x70x70:3"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %R = memref.dim %A, %c0 : memref<?x?x?xf64>
  %K = memref.dim %A, %c1 : memref<?x?x?xf64>
  %M = memref.dim %A, %c2 : memref<?x?x?xf64>
  affine.for %r = 0 to %R {
    affine.for %i = 0 to %M {
      affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
        affine.for %k = 0 to %K {
          %a = affine.load %A[%r, %k, %i] : memref<?x?x?xf64>
          %b = affine.load %A[%r, %k, %j] : memref<?x?x?xf64>
          %c = affine.load %C[%r, %i, %j] : memref<?x?x?xf64>
          %0 = arith.mulf %a, %b : f64
          %1 = arith.addf %c, %0 : f64
          affine.store %1, %C[%r, %i, %j] : memref<?x?x?xf64>
        }
        %2 = affine.load %C[%r, %i, %j] : memref<?x?x?xf64>
        affine.store %2, %C[%r, %j, %i] : memref<?x?x?xf64>
      }
    }
  }
  return
}

// One factor for all, which with wider elements would be one product with rows by two counters.
func.func @halves(
    %A: memref<?x?x?xbf16> {terrace.name = "A", terrace.dims = ["R", "M", "K"], terrace.init = "random:3x67x36:1"},
    %B: memref<?x?xbf16> {terrace.name = "B", terrace.dims = ["K", "N"], terrace.init = "random:36x45:2"},
    %C: memref<?x?x?xbf16> {terrace.name = "C", terrace.dims = ["R", "M", "N"], terrace.init = "zeros:3x67x45"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %R = memref.dim %A, %c0 : memref<?x?x?xbf16>
  %M = memref.dim %A, %c1 : memref<?x?x?xbf16>
  %K = memref.dim %A, %c2 : memref<?x?x?xbf16>
  %N = memref.dim %B, %c1 : memref<?x?xbf16>
  affine.for %r = 0 to %R {
    affine.for %i = 0 to %M {
      affine.for %j = 0 to %N {
        %dot = affine.for %k = 0 to %K iter_args(%sum = %zero) -> (f32) {
          %a16 = affine.load %A[%r, %i, %k] : memref<?x?x?xbf16>
          %b16 = affine.load %B[%k, %j] : memref<?x?xbf16>
          %a = arith.extf %a16 : bf16 to f32
          %b = arith.extf %b16 : bf16 to f32
          %0 = arith.mulf %a, %b : f32
          %next = arith.addf %sum, %0 : f32
          affine.yield %next : f32
        }
        %c = arith.truncf %dot : f32 to bf16
        affine.store %c, %C[%r, %i, %j] : memref<?x?x?xbf16>
      }
    }
  }
  return
}
