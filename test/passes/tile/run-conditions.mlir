// Rows with conditions: on elements, on the place in a row, on what a whole row has, in one another, and around what
// is loaded, stored and combined. What is stored under one is read again, by all or by some, and stored again.
//
// DEFINE: %{run} = terrace run %s --target emulator --verify
// RUN: %{run} --size N=1 | FileCheck %s
// RUN: %{run} --size N=3 | FileCheck %s
// RUN: %{run} --size N=4 | FileCheck %s
// RUN: %{run} --size N=31 | FileCheck %s
// RUN: %{run} --size N=64 | FileCheck %s
// RUN: %{run} --size N=65 | FileCheck %s
// RUN: %{run} --size N=256 | FileCheck %s
// RUN: %{run} --size N=1023 | FileCheck %s
// RUN: %{run} --size N=1024 | FileCheck %s
// RUN: %{run} --size N=4096 | FileCheck %s
// RUN: %{run} --size N=4097 | FileCheck %s
// RUN: %{run} --size N=4100 | FileCheck %s
//
// CHECK: conditions_kernel
// CHECK: verify passed
//
// Rows of fewer than 8 elements have a thread each; the four versions for longer ones are on tiles.
// RUN: terrace-opt %s --terrace-gpu-pipeline='last=mapping' | FileCheck %s --check-prefix=TILES
// TILES:         gpu.mapper = "loops"
// TILES-COUNT-4: gpu.mapper = "tile"
func.func @conditions(
    %A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["M", "N"], terrace.init = "random:5x33:1"},
    %B: memref<?x?xf32> {terrace.name = "B", terrace.dims = ["M", "N"], terrace.init = "random:5x33:2"},
    %C: memref<?x?xf32> {terrace.name = "C", terrace.dims = ["M", "N"], terrace.init = "random:5x33:3"},
    %D: memref<?x?xf32> {terrace.name = "D", terrace.dims = ["M", "N"], terrace.init = "random:5x33:4"},
    %F: memref<?xf32> {terrace.name = "F", terrace.dims = ["M"], terrace.init = "random:5:5"},
    %S: memref<?xf32> {terrace.name = "S", terrace.dims = ["M"], terrace.init = "zeros:5"}) {
  %least = arith.constant 0xFF800000 : f32
  %half = arith.constant 0.5 : f32
  %third = arith.constant 0.3 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %m {
    %f = affine.load %F[%i] : memref<?xf32>
    %row = arith.cmpf olt, %f, %half : f32
    %s = affine.for %j = 0 to %n iter_args(%a = %least) -> f32 {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %c = arith.cmpf olt, %x, %half : f32
      %y = scf.if %c -> f32 {
        %z = affine.load %B[%i, %j] : memref<?x?xf32>
        scf.yield %z : f32
      } else {
        %z = affine.load %A[%i, %j] : memref<?x?xf32>
        scf.yield %z : f32
      }
      %t = arith.maximumf %a, %y : f32
      affine.yield %t : f32
    }
    %r = affine.for %j = 1 to %n iter_args(%a = %s) -> f32 {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %c = arith.cmpf olt, %x, %third : f32
      %t = scf.if %c -> f32 {
        %z = affine.load %B[%i, %j - 1] : memref<?x?xf32>
        %w = arith.maximumf %a, %z : f32
        scf.yield %w : f32
      } else {
        scf.yield %a : f32
      }
      affine.yield %t : f32
    }
    affine.for %j = 0 to %n {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %c = arith.cmpf olt, %x, %third : f32
      scf.if %c {
        %d = arith.subf %x, %s : f32
        affine.store %d, %C[%i, %j] : memref<?x?xf32>
      }
      affine.if affine_set<(d0) : (d0 mod 3 == 0)>(%i) {
        scf.if %c {
          affine.store %r, %D[%i, %j] : memref<?x?xf32>
        } else {
          affine.store %f, %D[%i, %j] : memref<?x?xf32>
        }
      }
    }
    affine.for %j = 0 to %n {
      %x = affine.load %C[%i, %j] : memref<?x?xf32>
      scf.if %row {
        %y = affine.load %D[%i, %j] : memref<?x?xf32>
        %d = arith.mulf %x, %y : f32
        affine.store %d, %C[%i, %j] : memref<?x?xf32>
      }
    }
    affine.for %j = 2 to %n {
      %x = affine.load %C[%i, %j] : memref<?x?xf32>
      %c = arith.cmpf ogt, %x, %half : f32
      affine.if affine_set<(d0) : (d0 - 5 >= 0)>(%j) {
        scf.if %c {
          affine.store %half, %C[%i, %j] : memref<?x?xf32>
        }
        %y = affine.load %C[%i, %j] : memref<?x?xf32>
        %e = arith.addf %y, %f : f32
        affine.store %e, %D[%i, %j] : memref<?x?xf32>
      }
    }
    scf.if %row {
      affine.store %r, %S[%i] : memref<?xf32>
    }
  }
  return
}
