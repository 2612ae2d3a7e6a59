// RUN: terrace run %s --target interp | FileCheck %s
// RUN: terrace-opt %s --pass-pipeline='builtin.module(terrace-cpu-pipeline{last=loops},terrace-cpu-pipeline{first=scalars},func.func(gpu-map-stencils{rows=3},map-parallel-to-gpu),canonicalize,cse)' | terrace run - --target emulator --verify | FileCheck %s --check-prefixes=CHECK,SAME
// RUN: terrace-opt %s --pass-pipeline='builtin.module(terrace-cpu-pipeline{last=loops},terrace-cpu-pipeline{first=scalars},func.func(gpu-map-stencils{rows=8},map-parallel-to-gpu),canonicalize,cse)' | terrace run - --target emulator --verify | FileCheck %s --check-prefixes=CHECK,SAME

// Several rows a thread compute what one does, at sizes that they do not divide: a stencil,
// an update in place of what another row is read for, and three dimensions, from where the
// innermost loop begins a few elements into a row.
// Blocks of known extents fit these.
// SAME: rows_kernel {{.*}} 44x
// SAME: rows_kernel_1 {{.*}} 36x
// CHECK: array A {{.*}} checksum sum 4.5371196215e2 weighted 2.1571289080e2
// CHECK: array B {{.*}} checksum sum 6.6355605812e1 weighted 2.7592546050e1
// CHECK: array D {{.*}} checksum sum 3.3742022862e3 weighted 1.6711851996e3
// SAME: verify passed
func.func @rows(%A: memref<21x45xf64> {terrace.name = "A", terrace.init = "random:21x45:1"},
    %B: memref<21x45xf64> {terrace.name = "B", terrace.init = "random:21x45:2"},
    %C: memref<7x14x37xf32> {terrace.name = "C", terrace.init = "random:7x14x37:3"},
    %D: memref<7x14x37xf32> {terrace.name = "D", terrace.init = "random:7x14x37:4"}) {
  affine.for %i = 1 to 20 {
    affine.for %j = 1 to 44 {
      %n = affine.load %A[%i - 1, %j] : memref<21x45xf64>
      %s = affine.load %A[%i + 1, %j] : memref<21x45xf64>
      %w = affine.load %A[%i, %j - 1] : memref<21x45xf64>
      %e = affine.load %A[%i, %j + 1] : memref<21x45xf64>
      %0 = arith.addf %n, %s : f64
      %1 = arith.addf %w, %e : f64
      %2 = arith.subf %0, %1 : f64
      affine.store %2, %B[%i, %j] : memref<21x45xf64>
    }
  }
  affine.for %i = 1 to 21 {
    affine.for %j = 0 to 45 {
      %a = affine.load %A[%i, %j] : memref<21x45xf64>
      %0 = affine.load %B[%i, %j] : memref<21x45xf64>
      %1 = affine.load %B[%i - 1, %j] : memref<21x45xf64>
      %2 = arith.subf %0, %1 : f64
      %3 = arith.addf %a, %2 : f64
      affine.store %3, %A[%i, %j] : memref<21x45xf64>
    }
  }
  affine.for %i = 1 to 6 {
    affine.for %j = 2 to 12 {
      affine.for %k = 3 to 36 {
        %0 = affine.load %C[%i, %j, %k] : memref<7x14x37xf32>
        %1 = affine.load %C[%i + 1, %j - 2, %k] : memref<7x14x37xf32>
        %2 = affine.load %C[%i - 1, %j + 2, %k - 3] : memref<7x14x37xf32>
        %3 = affine.load %C[%i, %j - 1, %k + 1] : memref<7x14x37xf32>
        %4 = affine.load %C[%i, %j + 1, %k + 1] : memref<7x14x37xf32>
        %5 = arith.addf %0, %1 : f32
        %6 = arith.addf %2, %3 : f32
        %7 = arith.mulf %5, %6 : f32
        %8 = arith.addf %7, %4 : f32
        affine.store %8, %D[%i, %j, %k] : memref<7x14x37xf32>
      }
    }
  }
  return
}
