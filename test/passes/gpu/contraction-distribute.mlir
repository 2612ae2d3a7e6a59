// RUN: terrace-opt %s -gpu-map-contractions='arch=sm_90' | FileCheck %s

// Nests that are taken apart, and factors that are overwritten. What a sum lacks of k in a
// slab is added element by element, in a loop of its own behind or before that with mma.

// In place, rows after this one as they were: a copy of them, then the ragged slabs at the
// beginning of k.
// CHECK-LABEL: func.func @overwritten
// CHECK: %[[OLD:.*]] = memref.alloc(%{{.*}}, %{{.*}}) : memref<?x?xf64>
// CHECK: affine.load %arg1[%[[K:.*]], %[[J:.*]]] : memref<?x?xf64>
// CHECK-NEXT: affine.store %{{.*}}, %[[OLD]][%[[K]] - 1, %[[J]]] : memref<?x?xf64>
// CHECK: gpu.launch
// CHECK: nvgpu.device_async_copy %[[OLD]][
// CHECK: math.fma
// CHECK: nvgpu.mma.sync
// CHECK-NOT: math.fma
// CHECK: gpu.note = "matrix product, blocks of 128 x 128,
// CHECK: } else {
// CHECK: gpu.launch
// CHECK: math.fma
// CHECK: nvgpu.mma.sync
// CHECK-NOT: math.fma
// CHECK: gpu.note = "matrix product, blocks of 64 x 64,
// CHECK: memref.dealloc %[[OLD]]
func.func @overwritten(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %m: index, %n: index) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.for %k = affine_map<(d0) -> (d0 + 1)>(%i) to %m {
        %b = affine.load %B[%i, %j] : memref<?x?xf64>
        %0 = affine.load %A[%k, %i] : memref<?x?xf64>
        %1 = affine.load %B[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = arith.addf %b, %2 : f64
        affine.store %3, %B[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// Two sums in one nest, one in a scalar, one with rows inside of k: two products, that with
// the scalar first.
// CHECK-LABEL: func.func @two_sums
// CHECK-NOT: memref.store
// CHECK: gpu.launch
// CHECK: nvgpu.mma.sync
// CHECK: math.fma
// CHECK: memref.store %{{.*}}, %arg1[
// CHECK: gpu.note
// CHECK-NOT: affine.for
// CHECK: gpu.launch
// CHECK: math.fma
// CHECK: nvgpu.mma.sync
// CHECK: return
func.func @two_sums(%alpha: f64, %C: memref<?x?xf64>, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %m: index, %n: index) {
  %zero = arith.constant 0.0 : f64
  %sum = memref.alloca() : memref<f64>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.store %zero, %sum[] : memref<f64>
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
        %c = affine.load %C[%k, %j] : memref<?x?xf64>
        %b = affine.load %B[%i, %j] : memref<?x?xf64>
        %0 = arith.mulf %alpha, %b : f64
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %1 = arith.mulf %0, %a : f64
        %2 = arith.addf %c, %1 : f64
        affine.store %2, %C[%k, %j] : memref<?x?xf64>
        %now = affine.load %sum[] : memref<f64>
        %b2 = affine.load %B[%k, %j] : memref<?x?xf64>
        %3 = arith.mulf %b2, %a : f64
        %4 = arith.addf %now, %3 : f64
        affine.store %4, %sum[] : memref<f64>
      }
      %c = affine.load %C[%i, %j] : memref<?x?xf64>
      %now = affine.load %sum[] : memref<f64>
      %5 = arith.addf %c, %now : f64
      affine.store %5, %C[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// A row that goes through one array, in rows by two counters: that array for all rows.
// CHECK-LABEL: func.func @through_a_row
// CHECK: %[[ALL:.*]] = memref.alloc(%{{.*}}, %{{.*}}, %{{.*}}) : memref<?x?x?xf64>
// CHECK-NOT: affine.for
// CHECK: gpu.launch
// CHECK: arith.divui
// CHECK: nvgpu.device_async_copy %arg0[
// CHECK: nvgpu.mma.sync
// CHECK: memref.store %{{.*}}, %[[ALL]][
// CHECK: gpu.note
// CHECK: affine.for
// CHECK: %[[V:.*]] = affine.load %[[ALL]][%[[R:.*]], %[[Q:.*]], %[[P:.*]]]
// CHECK: affine.store %[[V]], %arg0[%[[R]], %[[Q]], %[[P]]]
func.func @through_a_row(%A: memref<?x?x?xf64>, %C: memref<?x?xf64>, %row: memref<?xf64>, %n: index) {
  %zero = arith.constant 0.0 : f64
  affine.for %r = 0 to %n {
    affine.for %q = 0 to %n {
      affine.for %p = 0 to %n {
        affine.store %zero, %row[%p] : memref<?xf64>
        affine.for %s = 0 to %n {
          %0 = affine.load %row[%p] : memref<?xf64>
          %1 = affine.load %A[%r, %q, %s] : memref<?x?x?xf64>
          %2 = affine.load %C[%s, %p] : memref<?x?xf64>
          %3 = arith.mulf %1, %2 : f64
          %4 = arith.addf %0, %3 : f64
          affine.store %4, %row[%p] : memref<?xf64>
        }
      }
      affine.for %p = 0 to %n {
        %0 = affine.load %row[%p] : memref<?xf64>
        affine.store %0, %A[%r, %q, %p] : memref<?x?x?xf64>
      }
    }
  }
  return
}

// The scalar is read before it is written: it goes from iteration to iteration.
// CHECK-LABEL: func.func @not_apart
// CHECK-NOT: gpu.launch
// CHECK: affine.for
// CHECK: return
func.func @not_apart(%C: memref<?x?xf64>, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index) {
  %sum = memref.alloca() : memref<f64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %now = affine.load %sum[] : memref<f64>
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %3 = arith.mulf %b, %a : f64
        %4 = arith.addf %now, %3 : f64
        affine.store %4, %sum[] : memref<f64>
      }
      %now = affine.load %sum[] : memref<f64>
      affine.store %now, %C[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
