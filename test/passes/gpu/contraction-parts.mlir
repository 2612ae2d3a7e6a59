// RUN: terrace-opt %s -gpu-map-contractions='arch=sm_80 reassociate=true' | FileCheck %s
// RUN: terrace-opt %s -gpu-map-contractions='arch=sm_80 reassociate=true mark-overwritten=true' | FileCheck %s --check-prefix=MARKS
// RUN: terrace-opt %s -gpu-map-contractions='arch=sm_80' | FileCheck %s --check-prefix=ORDER
// RUN: terrace-opt %s -gpu-map-contractions='arch=sm_80 reassociate=true notes=true' -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOTES

// Parts of k where the program finds few blocks, at least 512 of k each: products side by side
// into an array of their own, and their sum in order.
// NOTES: matrix units; parts of k where there are few blocks
// CHECK-LABEL: func.func @open
// CHECK: %[[BLOCKS:.*]] = arith.constant 108 : index
// CHECK: arith.divui %[[BLOCKS]],
// CHECK: %[[LEAST:.*]] = arith.constant 512 : index
// CHECK-NEXT: arith.divui %{{.*}}, %[[LEAST]]
// CHECK: %[[WHOLE:.*]] = arith.cmpi sle, %[[PARTS:.*]], %{{.*}} : index
// CHECK-NEXT: scf.if %[[WHOLE]] {
// CHECK: gpu.note = "matrix product, blocks of 128 x 128, 16 of k at a time, matrix units"
// CHECK: } else {
// CHECK: %[[WORK:.*]] = memref.alloc(%{{.*}}, %{{.*}}, %{{.*}}) : memref<?x?x?xf64>
// CHECK-NEXT: arith.constant
// CHECK: gpu.launch
// CHECK: nvgpu.mma.sync
// CHECK: memref.store %{{.*}}, %[[WORK]][
// CHECK: gpu.note = "matrix product, blocks of 128 x 128, 16 of k at a time, matrix units, a part of k"
// CHECK: gpu.launch
// CHECK: %[[OLD:.*]] = memref.load %arg2[
// CHECK: %[[SUM:.*]] = scf.for %{{.*}} = %{{.*}} to %[[PARTS]] step %{{.*}} iter_args(%[[CARRIED:.*]] = %[[OLD]])
// CHECK: %[[PART:.*]] = memref.load %[[WORK]][
// CHECK-NEXT: arith.addf %[[CARRIED]], %[[PART]] : f64
// CHECK: memref.store %[[SUM]], %arg2[
// CHECK: gpu.note = "sum of the parts of a matrix product"
// CHECK: memref.dealloc %[[WORK]]
// MARKS: %[[WORK:.*]] = memref.alloc(
// MARKS-NEXT: xfer.discard %[[WORK]]
// ORDER-NOT: memref.alloc
// ORDER-NOT: part
func.func @open(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %m: index, %n: index, %l: index) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %l {
        %0 = affine.load %A[%i, %k] : memref<?x?xf64>
        %1 = affine.load %B[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %C[%i, %j] : memref<?x?xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// Many blocks, or short k, as far as is known; and k that ends at the row.
// CHECK-LABEL: func.func @many
// CHECK-NOT: memref.alloc
// CHECK: return
// CHECK-LABEL: func.func @short
// CHECK-NOT: memref.alloc
// CHECK: return
// CHECK-LABEL: func.func @sloped
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @many(%A: memref<4096x?xf64>, %B: memref<?x4096xf64>, %C: memref<4096x4096xf64>, %l: index) {
  affine.for %i = 0 to 4096 {
    affine.for %j = 0 to 4096 {
      affine.for %k = 0 to %l {
        %0 = affine.load %A[%i, %k] : memref<4096x?xf64>
        %1 = affine.load %B[%k, %j] : memref<?x4096xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %C[%i, %j] : memref<4096x4096xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %C[%i, %j] : memref<4096x4096xf64>
      }
    }
  }
  return
}
func.func @short(%A: memref<?x1023xf64>, %B: memref<1023x?xf64>, %C: memref<?x?xf64>, %m: index) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to 1023 {
        %0 = affine.load %A[%i, %k] : memref<?x1023xf64>
        %1 = affine.load %B[%k, %j] : memref<1023x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %C[%i, %j] : memref<?x?xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
func.func @sloped(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %m: index) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
        %0 = affine.load %A[%i, %k] : memref<?x?xf64>
        %1 = affine.load %B[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %C[%i, %j] : memref<?x?xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
