// How far elements are below the greatest of their row. No sum is made, so that no option is needed. What is loaded
// begins one element behind where rows do, and what is stored two.
//
// DEFINE: %{run} = terrace run %s --target emulator --verify
// RUN: %{run} --arg n=1 --size P=3 | FileCheck %s
// RUN: %{run} --arg n=3 --size P=6 | FileCheck %s
// RUN: %{run} --arg n=4 --size P=8 | FileCheck %s
// RUN: %{run} --arg n=31 --size P=33 | FileCheck %s
// RUN: %{run} --arg n=33 --size P=36 | FileCheck %s
// RUN: %{run} --arg n=63 --size P=67 | FileCheck %s
// RUN: %{run} --arg n=64 --size P=66 | FileCheck %s
// RUN: %{run} --arg n=65 --size P=68 | FileCheck %s
// RUN: %{run} --arg n=255 --size P=259 | FileCheck %s
// RUN: %{run} --arg n=256 --size P=258 | FileCheck %s
// RUN: %{run} --arg n=257 --size P=260 | FileCheck %s
// RUN: %{run} --arg n=1023 --size P=1027 | FileCheck %s
// RUN: %{run} --arg n=1024 --size P=1026 | FileCheck %s
// RUN: %{run} --arg n=1025 --size P=1028 | FileCheck %s
// RUN: %{run} --arg n=4095 --size P=4099 | FileCheck %s
// RUN: %{run} --arg n=4096 --size P=4098 | FileCheck %s
// RUN: %{run} --arg n=4097 --size P=4100 | FileCheck %s
// RUN: %{run} --arg n=5000 --size P=5004 | FileCheck %s
//
// CHECK: maxima_kernel
// CHECK: verify passed
//
// Rows of fewer than 8 elements have a thread each; the four versions for longer ones are on tiles.
// RUN: terrace-opt %s --terrace-gpu-pipeline='last=mapping' | FileCheck %s --check-prefix=TILES
// TILES:         gpu.mapper = "loops"
// TILES-COUNT-4: gpu.mapper = "tile"
func.func @maxima(
    %n: index {terrace.name = "n", terrace.init = "33"},
    %A: memref<?x?xi32> {terrace.name = "A", terrace.dims = ["M", "P"], terrace.init = "random:9x36:1"},
    %B: memref<?x?xi32> {terrace.name = "B", terrace.dims = ["M", "P"], terrace.init = "zeros:9x36"},
    %R: memref<?xi32> {terrace.name = "R", terrace.dims = ["M"], terrace.init = "zeros:9"}) {
  %least = arith.constant -1000 : i32
  %c0 = arith.constant 0 : index
  %m = memref.dim %A, %c0 : memref<?x?xi32>
  affine.for %i = 0 to %m {
    %max = affine.for %j = 0 to %n iter_args(%a = %least) -> i32 {
      %x = affine.load %A[%i, %j + 1] : memref<?x?xi32>
      %t = arith.maxsi %a, %x : i32
      affine.yield %t : i32
    }
    affine.for %j = 0 to %n {
      %x = affine.load %A[%i, %j + 1] : memref<?x?xi32>
      %d = arith.subi %max, %x : i32
      affine.store %d, %B[%i, %j + 2] : memref<?x?xi32>
    }
    affine.store %max, %R[%i] : memref<?xi32>
  }
  return
}
