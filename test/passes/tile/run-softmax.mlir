// Softmax of rows, at the ends of each version. The columns of the arrays are more than the row has, so that rows
// begin at multiples of 16 bytes or do not.
//
// DEFINE: %{run} = terrace run %s --target emulator --verify --reassociate
// RUN: %{run} --arg n=1 --size P=4 | FileCheck %s
// RUN: %{run} --arg n=3 --size P=3 | FileCheck %s
// RUN: %{run} --arg n=4 --size P=7 | FileCheck %s
// RUN: %{run} --arg n=31 --size P=31 | FileCheck %s
// RUN: %{run} --arg n=33 --size P=36 | FileCheck %s
// RUN: %{run} --arg n=63 --size P=63 | FileCheck %s
// RUN: %{run} --arg n=64 --size P=67 | FileCheck %s
// RUN: %{run} --arg n=65 --size P=65 | FileCheck %s
// RUN: %{run} --arg n=255 --size P=258 | FileCheck %s
// RUN: %{run} --arg n=256 --size P=256 | FileCheck %s
// RUN: %{run} --arg n=257 --size P=260 | FileCheck %s
// RUN: %{run} --arg n=1023 --size P=1023 | FileCheck %s
// RUN: %{run} --arg n=1024 --size P=1027 | FileCheck %s
// RUN: %{run} --arg n=1025 --size P=1025 | FileCheck %s
// RUN: %{run} --arg n=4095 --size P=4098 | FileCheck %s
// RUN: %{run} --arg n=4096 --size P=4096 | FileCheck %s
// RUN: %{run} --arg n=4097 --size P=4100 | FileCheck %s
// RUN: %{run} --arg n=5000 --size P=5000 | FileCheck %s
// RUN: %{run} --arg n=0 --size P=4 | FileCheck %s
// RUN: %{run} --arg n=256 --size P=259 | FileCheck %s
// RUN: %{run} --arg n=4096 --size P=4099 | FileCheck %s
// RUN: %{run} --arg n=8192 --size P=8195 | FileCheck %s
// RUN: %{run} --arg n=40 --size P=40 --size M=1 | FileCheck %s
// RUN: %{run} --arg n=40 --size P=40 --size M=17 | FileCheck %s
//
// CHECK: softmax_kernel
// CHECK: verify passed
//
// Rows of fewer than 8 elements have a thread each; the four versions for longer ones are on tiles.
// RUN: terrace-opt %s --terrace-gpu-pipeline='last=mapping reassociate=true' | FileCheck %s --check-prefix=TILES
// TILES:         gpu.mapper = "loops"
// TILES-COUNT-4: gpu.mapper = "tile"
func.func @softmax(
    %n: index {terrace.name = "n", terrace.init = "33"},
    %A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["M", "P"], terrace.init = "random:3x33:1"},
    %B: memref<?x?xf32> {terrace.name = "B", terrace.dims = ["M", "P"], terrace.init = "zeros:3x33"}) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  affine.for %i = 0 to %m {
    %max = affine.for %j = 0 to %n iter_args(%a = %least) -> f32 {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %t = arith.maximumf %a, %x : f32
      affine.yield %t : f32
    }
    %sum = affine.for %j = 0 to %n iter_args(%a = %zero) -> f32 {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %d = arith.subf %x, %max : f32
      %e = math.exp %d : f32
      %t = arith.addf %a, %e : f32
      affine.yield %t : f32
    }
    affine.for %j = 0 to %n {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %d = arith.subf %x, %max : f32
      %e = math.exp %d : f32
      %q = arith.divf %e, %sum : f32
      affine.store %q, %B[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
