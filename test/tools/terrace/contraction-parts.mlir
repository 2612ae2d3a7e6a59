// RUN: terrace run %s --target emulator --arch sm_90 --verify --reassociate > %t.1
// RUN: env TERRACE_EMULATOR=threads=1 terrace run %s --target emulator --arch sm_90 --verify --reassociate > %t.2
// RUN: cat %t.1 %t.2 | FileCheck %s --check-prefixes=CHECK,PARTS
// RUN: terrace run %s --target emulator --arch sm_80 --verify --reassociate --size M=3 --size N=130 --size K=1030 | FileCheck %s --check-prefixes=CHECK,ADDED
// RUN: terrace run %s --target emulator --arch sm_90 --verify --reassociate --size K=1023 | FileCheck %s --check-prefixes=CHECK,WHOLE
// RUN: terrace run %s --target emulator --arch sm_90 --verify --reassociate --size K=0 | FileCheck %s --check-prefixes=CHECK,WHOLE

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
