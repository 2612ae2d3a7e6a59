// RUN: terrace-opt %s --affine-print-dependences -o /dev/null 2>&1 | FileCheck %s

// A kernel counts as one access to each of its arrays, each way; memory of its blocks and
// threads is its own.
// CHECK-LABEL: dependences of @around:
// CHECK-NEXT: kind {{.*}}
// CHECK-NEXT: anti a load 18:10 gpu.launch 21:3 {{.*}} maybe: which elements a kernel touches is not followed (21:3)
// CHECK-NEXT: flow b store 19:5 gpu.launch 21:3
// CHECK-NEXT: output b store 19:5 store 35:5
// CHECK-NEXT: anti b gpu.launch 21:3 store 35:5
// CHECK-NEXT: flow a gpu.launch 21:3 load 34:10
// CHECK-NOT: {{flow|anti|output}}
func.func @around(%a: memref<64xf32>, %b: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  affine.for %i = 0 to 64 {
    %0 = affine.load %a[%i] : memref<64xf32>
    affine.store %0, %b[%i] : memref<64xf32>
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1)
             workgroup(%w : memref<32xf32, 3>) {
    %x = memref.load %b[%tx] : memref<64xf32>
    memref.store %x, %w[%tx] : memref<32xf32, 3>
    gpu.barrier
    %y = memref.load %w[%c0] : memref<32xf32, 3>
    memref.store %y, %a[%tx] : memref<64xf32>
    %next = arith.addi %tx, %c32 : index
    memref.store %y, %a[%next] : memref<64xf32>
    gpu.terminator
  }
  affine.for %i = 0 to 64 {
    %0 = affine.load %a[%i] : memref<64xf32>
    affine.store %0, %b[%i] : memref<64xf32>
  }
  return
}
