// RUN: terrace run %s --target emulator --arch sm_90 --verify | FileCheck %s
// RUN: terrace run %s --target emulator --arch sm_80 --verify --size M=45 --size N=77 --size K=35 --arg m=45 --arg n=77 --arg k=35 | FileCheck %s
// RUN: terrace run %s --target emulator --arch sm_90 --verify --fp-contract=off --size M=8 --size N=8 --size K=8 --arg m=8 --arg n=7 --arg k=6 | FileCheck %s
// RUN: terrace run %S/../../../examples/f16/gemm.mlir --target emulator --arch sm_86 --verify --size M=131 --size N=1 --size K=9 | FileCheck %s
// RUN: terrace run %S/../../../examples/bf16/gemm.mlir --target emulator --arch sm_90 --verify --size M=130 --size N=48 --size K=72 | FileCheck %s

// Factors of 16 bits, both ways round: rows are multiples of 16 bytes long, of which the
// loops leave the last elements, or they are not, or have one element.
// CHECK: verify   passed
func.func @both_orders(
    %m: index {terrace.name = "m", terrace.init = "133"},
    %n: index {terrace.name = "n", terrace.init = "259"},
    %k: index {terrace.name = "k", terrace.init = "69"},
    %A: memref<?x?xf16> {terrace.name = "A", terrace.dims = ["M", "K"], terrace.init = "random:136x72:1"},
    %B: memref<?x?xf16> {terrace.name = "B", terrace.dims = ["K", "N"], terrace.init = "random:72x264:2"},
    %At: memref<?x?xbf16> {terrace.name = "At", terrace.dims = ["K", "M"], terrace.init = "random:72x136:3"},
    %Bt: memref<?x?xbf16> {terrace.name = "Bt", terrace.dims = ["N", "K"], terrace.init = "random:264x72:4"},
    %C: memref<?x?xf32> {terrace.name = "C", terrace.dims = ["M", "N"], terrace.init = "random:136x264:5"},
    %D: memref<?x?xf32> {terrace.name = "D", terrace.dims = ["M", "N"], terrace.init = "random:136x264:6"}) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.for %l = 0 to %k {
        %a16 = affine.load %A[%i, %l] : memref<?x?xf16>
        %b16 = affine.load %B[%l, %j] : memref<?x?xf16>
        %a = arith.extf %a16 : f16 to f32
        %b = arith.extf %b16 : f16 to f32
        %c = affine.load %C[%i, %j] : memref<?x?xf32>
        %0 = arith.mulf %a, %b : f32
        %1 = arith.addf %c, %0 : f32
        affine.store %1, %C[%i, %j] : memref<?x?xf32>
      }
    }
  }
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.for %l = 0 to %k {
        %a16 = affine.load %At[%l, %i] : memref<?x?xbf16>
        %b16 = affine.load %Bt[%j, %l] : memref<?x?xbf16>
        %a = arith.extf %a16 : bf16 to f32
        %b = arith.extf %b16 : bf16 to f32
        %d = affine.load %D[%i, %j] : memref<?x?xf32>
        %0 = arith.mulf %a, %b : f32
        %1 = arith.subf %d, %0 : f32
        affine.store %1, %D[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}
