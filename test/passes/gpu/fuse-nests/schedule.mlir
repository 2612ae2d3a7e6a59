// What was fused is a step of the schedule that is printed, and is done again with the same
// result, also where sizes are other ones.
// RUN: terrace compile %s --print-schedule -o %t.schedule.mlir
// RUN: FileCheck %s --input-file=%t.schedule.mlir
// RUN: terrace compile %s --emit ptx -o %t.chosen.ptx
// RUN: terrace compile %s --emit ptx --schedule %t.schedule.mlir -o %t.again.ptx
// RUN: cmp %t.chosen.ptx %t.again.ptx
// RUN: terrace run %s --target emulator --verify --schedule %t.schedule.mlir --size N=5 --size M=7 | FileCheck %s --check-prefix=VERIFY
// RUN: terrace run %s --target emulator --verify --size N=33 --size M=70 | FileCheck %s --check-prefix=VERIFY

// CHECK: schedule.sequence @chain_fusion on @chain attributes {stage = "parallel"} {
// CHECK: %[[A:.*]] = schedule.find_loop {iv = "i", line = [[# @LINE + 16]] : i64, nest = [0]}
// CHECK: %[[B:.*]] = schedule.find_loop {iv = "i", line = [[# @LINE + 23]] : i64, nest = [1]}
// CHECK: schedule.fuse_nests %[[A]], %[[B]] {schedule.note = "{{[0-9.]+}} us in place of {{[0-9.]+}} + {{[0-9.]+}}"}
// CHECK: schedule.sequence @chain_mapping on @chain attributes {stage = "parallel"} {
// CHECK: schedule.find_loop {iv = "i", line = [[# @LINE + 12]] : i64, nest = [0]}
// CHECK-NOT: schedule.find_loop
// VERIFY: passed against the interpreter
func.func @chain(
    %A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["N", "M"], terrace.init = "random:300x512:1"},
    %bias: memref<?xf32> {terrace.name = "bias", terrace.dims = ["M"], terrace.init = "random:512:2"},
    %C: memref<?x?xf32> {terrace.name = "C", terrace.dims = ["N", "M"], terrace.init = "zeros:300x512"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %A, %c0 : memref<?x?xf32>
  %m = memref.dim %A, %c1 : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %b = affine.load %bias[%j] : memref<?xf32>
      %s = arith.addf %a, %b : f32
      affine.store %s, %C[%i, %j] : memref<?x?xf32>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %t = affine.load %C[%i, %j] : memref<?x?xf32>
      %z = arith.maximumf %t, %zero : f32
      affine.store %z, %C[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
