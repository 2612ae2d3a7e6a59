// RUN: terrace-opt %s | FileCheck %s
// RUN: terrace-opt %s | terrace-opt | FileCheck %s

// CHECK-LABEL: func @border
func.func @border(%n: index, %t: tensor<?xf32>, %m: memref<?xf32>, %c: i1) {
  // CHECK: bufferization.alloc_tensor(%{{.*}}) {memory_space = 1 : i64} : tensor<?xf32>
  %0 = bufferization.alloc_tensor(%n) {memory_space = 1 : i64} : tensor<?xf32>
  // CHECK: bufferization.alloc_tensor() copy(%{{.*}}) size_hint=%{{.*}} : tensor<?xf32>
  %1 = bufferization.alloc_tensor() copy(%t) size_hint=%n : tensor<?xf32>
  // CHECK: bufferization.to_tensor %{{.*}} restrict writable : memref<?xf32> to tensor<?xf32>
  %2 = bufferization.to_tensor %m restrict writable : memref<?xf32> to tensor<?xf32>
  // CHECK: bufferization.to_buffer %{{.*}} read_only : tensor<?xf32> to memref<?xf32>
  %3 = bufferization.to_buffer %t read_only : tensor<?xf32> to memref<?xf32>
  // CHECK: bufferization.clone %{{.*}} : memref<?xf32> to memref<?xf32>
  %4 = bufferization.clone %m : memref<?xf32> to memref<?xf32>
  // CHECK: bufferization.materialize_in_destination %{{.*}} in writable %{{.*}} : (tensor<?xf32>, memref<?xf32>) -> ()
  bufferization.materialize_in_destination %t in writable %m : (tensor<?xf32>, memref<?xf32>) -> ()
  // CHECK: bufferization.dealloc_tensor %{{.*}} : tensor<?xf32>
  bufferization.dealloc_tensor %0 : tensor<?xf32>
  // CHECK: bufferization.dealloc (%{{.*}} : memref<?xf32>) if (%{{.*}}) retain (%{{.*}} : memref<?xf32>)
  %5 = bufferization.dealloc (%4 : memref<?xf32>) if (%c) retain (%m : memref<?xf32>)
  return
}
