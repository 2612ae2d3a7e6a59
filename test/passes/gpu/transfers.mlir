// RUN: terrace-opt %s -split-input-file -verify-diagnostics -gpu-naive-transfers | FileCheck %s

module attributes {gpu.container_module} {
  // What the kernel only reads is not copied back, an array passed twice has one
  // copy, and one that is on the device already is passed as it is.
  // CHECK-LABEL: func.func @f
  // CHECK-SAME: (%[[A:.*]]: memref<?x4xf32>, %[[B:.*]]: memref<8xf32>, %[[N:.*]]: index)
  // CHECK: %[[C:.*]] = gpu.alloc () : memref<8xf32>
  // CHECK: %[[S:.*]] = memref.dim %[[A]], %{{.*}}
  // CHECK-NEXT: %[[DA:.*]] = gpu.alloc (%[[S]]) : memref<?x4xf32>
  // CHECK-NEXT: %[[DB:.*]] = gpu.alloc () : memref<8xf32>
  // CHECK-NEXT: gpu.memcpy %[[DA]], %[[A]]
  // CHECK-NEXT: gpu.memcpy %[[DB]], %[[B]]
  // CHECK-NEXT: gpu.launch_func @k::@k {{.*}} args(%[[DA]] : memref<?x4xf32>, %[[DB]] : memref<8xf32>, %[[DB]] : memref<8xf32>, %[[C]] : memref<8xf32>, %[[N]] : index)
  // CHECK-NEXT: gpu.memcpy %[[B]], %[[DB]]
  // CHECK-NEXT: gpu.dealloc %[[DA]]
  // CHECK-NEXT: gpu.dealloc %[[DB]]
  // CHECK-NEXT: return
  func.func @f(%a: memref<?x4xf32>, %b: memref<8xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c = gpu.alloc () : memref<8xf32>
    gpu.launch_func @k::@k blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%a : memref<?x4xf32>, %b : memref<8xf32>, %b : memref<8xf32>, %c : memref<8xf32>, %n : index)
    return
  }
  gpu.module @k {
    gpu.func @k(%a: memref<?x4xf32>, %b: memref<8xf32>, %b2: memref<8xf32>, %c: memref<8xf32>, %i: index) kernel {
      %x = memref.load %a[%i, %i] : memref<?x4xf32>
      %y = memref.load %b[%i] : memref<8xf32>
      %z = arith.addf %x, %y : f32
      memref.store %z, %b2[%i] : memref<8xf32>
      memref.store %z, %c[%i] : memref<8xf32>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @strided(%a: memref<8xf32, strided<[2]>>, %n: index) {
    // expected-error @+1 {{cannot copy 'memref<8xf32, strided<[2]>>' to the device: its elements are not in a row; pass the memref it is a view of}}
    gpu.launch_func @k::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%a : memref<8xf32, strided<[2]>>)
    return
  }
  gpu.module @k {
    gpu.func @k(%a: memref<8xf32, strided<[2]>>) kernel {
      gpu.return
    }
  }
}
