// RUN: terrace-opt %s -pass-pipeline="builtin.module(func.func(offload-parallelize),terrace-region-gpu-pipeline{first=scalars last=launches})" -o %t.mlir
// RUN: FileCheck %s --check-prefix=SHAPE < %t.mlir
// RUN: terrace run %s --target interp --entry lu --arg 0=13 --arg 1=random:13x13:5 | FileCheck %s
// RUN: terrace run %t.mlir --target interp --entry through --arg 0=13 --arg 1=random:13x13:5 | FileCheck %s

// The kernels that another order of the loops makes compute what the loops as written do,
// to the last bit: the host runs k in order and launches three of them each time.
// SHAPE-LABEL: @lu
// SHAPE: scf.for
// SHAPE: gpu.launch
// SHAPE: gpu.launch
// SHAPE: gpu.launch

// CHECK: 13x13xf64 checksum sum -1.6979647547e2 weighted -9.2551848063e1
func.func @lu(%n: index {acc.name = "n"}, %A: memref<?x13xf64> {acc.name = "A"}) attributes {acc.region = {construct = "kernels", source = "acc"}} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%j) {
        %0 = affine.load %A[%i, %k] : memref<?x13xf64>
        %1 = affine.load %A[%k, %j] : memref<?x13xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %A[%i, %j] : memref<?x13xf64>
        %4 = arith.subf %3, %2 : f64
        affine.store %4, %A[%i, %j] : memref<?x13xf64>
      }
      %5 = affine.load %A[%j, %j] : memref<?x13xf64>
      %6 = affine.load %A[%i, %j] : memref<?x13xf64>
      %7 = arith.divf %6, %5 : f64
      affine.store %7, %A[%i, %j] : memref<?x13xf64>
    }
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to %n {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
        %0 = affine.load %A[%i, %k] : memref<?x13xf64>
        %1 = affine.load %A[%k, %j] : memref<?x13xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %A[%i, %j] : memref<?x13xf64>
        %4 = arith.subf %3, %2 : f64
        affine.store %4, %A[%i, %j] : memref<?x13xf64>
      }
    }
  }
  return
}

func.func @through(%n: index, %A: memref<?x13xf64>) {
  %d = gpu.alloc (%n) : memref<?x13xf64>
  gpu.memcpy %d, %A : memref<?x13xf64>, memref<?x13xf64>
  func.call @lu(%n, %d) : (index, memref<?x13xf64>) -> ()
  gpu.memcpy %A, %d : memref<?x13xf64>, memref<?x13xf64>
  return
}
