// RUN: terrace-opt %s --convert-affine-for-to-gpu="gpu-block-dims=1 gpu-thread-dims=1" | FileCheck %s
// RUN: terrace-opt %s --convert-affine-for-to-gpu="gpu-block-dims=0 gpu-thread-dims=2" | FileCheck %s --check-prefix=THREADS
// RUN: not terrace-opt %s --convert-affine-for-to-gpu=gpu-block-dims=4 2>&1 | FileCheck %s --check-prefix=FOUR
// RUN: not terrace-opt %s --convert-affine-for-to-gpu="gpu-block-dims=0 gpu-thread-dims=0" 2>&1 | FileCheck %s --check-prefix=NONE

// FOUR: cannot map to more than 3 block dimensions
// NONE: nothing to map

// CHECK-LABEL: func.func @nest
// CHECK-SAME: (%[[A:.*]]: memref<?x?xf32>, %[[N:.*]]: index, %[[X:.*]]: f32)
// THREADS-LABEL: func.func @nest
func.func @nest(%a: memref<?x?xf32>, %n: index, %x: f32) {
  // CHECK: %[[L:.*]] = arith.constant 2 : index
  // CHECK-NEXT: %[[D:.*]] = arith.subi %[[N]], %[[L]] : index
  // CHECK-NEXT: %[[S:.*]] = arith.constant 3 : index
  // CHECK-NEXT: %[[GX:.*]] = arith.ceildivsi %[[D]], %[[S]] : index
  // CHECK: %[[TX:.*]] = arith.subi
  // CHECK-NEXT: arith.constant 1 : index
  // CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : index
  // CHECK-NEXT: gpu.launch blocks(%[[BX:.*]], %{{.*}}, %{{.*}}) in (%{{.*}} = %[[GX]], %{{.*}} = %[[ONE]], %{{.*}} = %[[ONE]]) threads(%[[T:.*]], %{{.*}}, %{{.*}}) in (%{{.*}} = %[[TX]], %{{.*}} = %[[ONE]], %{{.*}} = %[[ONE]]) {
  // CHECK-NEXT: %[[O:.*]] = arith.muli %[[S]], %[[BX]] : index
  // CHECK-NEXT: %[[I:.*]] = arith.addi %[[L]], %[[O]] : index
  // CHECK-NEXT: %[[J:.*]] = arith.addi %{{.*}}, %[[T]] : index
  // CHECK-NEXT: memref.store %[[X]], %[[A]][%[[I]], %[[J]]]
  // CHECK-NEXT: gpu.terminator
  // CHECK: return
  // THREADS: gpu.launch blocks({{.*}}) threads(%[[TX:.*]], %[[TY:.*]], %{{.*}}) in
  // THREADS: arith.muli %{{.*}}, %[[TX]]
  // THREADS: arith.addi %{{.*}}, %[[TY]]
  affine.for %i = 2 to %n step 3 {
    affine.for %j = 0 to 64 {
      memref.store %x, %a[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
