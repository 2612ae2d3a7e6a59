// RUN: terrace-opt %s -gpu-reciprocal-roots | FileCheck %s

// CHECK-LABEL: gpu.func @divide
gpu.module @m {
  gpu.func @divide(%x: f32, %d: f32, %d2: f32, %out: memref<8xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %s = math.sqrt %d fastmath<afn> : f32
    // CHECK: %[[R:.*]] = math.rsqrt %[[D:.*]] fastmath<afn> : f32
    // CHECK-NEXT: %[[Q:.*]] = arith.mulf %[[X:.*]], %[[R]] : f32
    // CHECK-NEXT: memref.store %[[Q]], %{{.*}}[%c0]
    %0 = arith.divf %x, %s fastmath<arcp,afn> : f32
    memref.store %0, %out[%c0] : memref<8xf32>

    // The third power of the root, in either order.
    // CHECK: %[[R:.*]] = math.rsqrt %[[D]] fastmath<afn> : f32
    // CHECK-NEXT: %[[T:.*]] = arith.mulf %[[R]], %[[R]] : f32
    // CHECK-NEXT: %[[C:.*]] = arith.mulf %[[T]], %[[R]] : f32
    // CHECK-NEXT: %[[Q:.*]] = arith.mulf %[[X]], %[[C]] : f32
    // CHECK-NEXT: memref.store %[[Q]], %{{.*}}[%c1]
    %p = arith.mulf %d, %s : f32
    %1 = arith.divf %x, %p fastmath<arcp,afn> : f32
    memref.store %1, %out[%c1] : memref<8xf32>
    // CHECK: math.rsqrt
    // CHECK-COUNT-3: arith.mulf
    // CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%c2]
    %ss = arith.mulf %s, %s : f32
    %sss = arith.mulf %s, %ss : f32
    %2 = arith.divf %x, %sss fastmath<arcp,afn> : f32
    memref.store %2, %out[%c2] : memref<8xf32>

    // Not a product of roots of one value, no root, and no leave for the division.
    // CHECK-NOT: math.rsqrt
    // CHECK: arith.divf
    %o = arith.mulf %d2, %s : f32
    %3 = arith.divf %x, %o fastmath<arcp,afn> : f32
    memref.store %3, %out[%c3] : memref<8xf32>
    // CHECK: arith.divf
    %dd = arith.mulf %d, %d : f32
    %4 = arith.divf %x, %dd fastmath<arcp,afn> : f32
    memref.store %4, %out[%c4] : memref<8xf32>
    // CHECK: arith.divf
    %5 = arith.divf %x, %s fastmath<arcp> : f32
    memref.store %5, %out[%c5] : memref<8xf32>
    gpu.return
  }

  // A root that has to be exact, and floats that the machine has no such instruction for.
  // CHECK-LABEL: gpu.func @exact
  // CHECK-NOT: math.rsqrt
  gpu.func @exact(%x: f32, %d: f32, %y: f64, %out: memref<8xf32>, %wide: memref<8xf64>) kernel {
    %c0 = arith.constant 0 : index
    %s = math.sqrt %d : f32
    %0 = arith.divf %x, %s fastmath<arcp,afn> : f32
    memref.store %0, %out[%c0] : memref<8xf32>
    %t = math.sqrt %y fastmath<afn> : f64
    %1 = arith.divf %y, %t fastmath<arcp,afn> : f64
    memref.store %1, %wide[%c0] : memref<8xf64>
    gpu.return
  }
}

// Host code stays.
// CHECK-LABEL: func.func @host
// CHECK-NOT: math.rsqrt
func.func @host(%x: f32, %d: f32) -> f32 {
  %s = math.sqrt %d fastmath<afn> : f32
  %0 = arith.divf %x, %s fastmath<arcp,afn> : f32
  return %0 : f32
}
