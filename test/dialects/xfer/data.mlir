// RUN: terrace-opt %s | FileCheck %s
// RUN: terrace-opt %s | terrace-opt | FileCheck %s
// RUN: terrace-opt %s --mlir-print-op-generic | terrace-opt | FileCheck %s

// CHECK-LABEL: func.func @regions
func.func @regions(%a: memref<?xf32>, %b: memref<4x4xf64>, %c: memref<8xi32>, %d: memref<8xi32, #xfer.device>) {
  // CHECK: xfer.data copy(%{{.*}} as %{{.*}} : memref<?xf32> to memref<?xf32, #xfer.device>) {
  xfer.data copy(%a as %da : memref<?xf32> to memref<?xf32, #xfer.device>) {
    // CHECK-NEXT: xfer.data copyin(%{{.*}} as %{{.*}} : memref<?xf32> to memref<?xf32, #xfer.device>, %{{.*}} as %{{.*}} : memref<4x4xf64> to memref<4x4xf64, #xfer.device>) create(%{{.*}} as %{{.*}} : memref<8xi32> to memref<8xi32, #xfer.device>) {
    xfer.data copyin(%a as %e : memref<?xf32> to memref<?xf32, #xfer.device>,
                     %b as %f : memref<4x4xf64> to memref<4x4xf64, #xfer.device>)
              create(%c as %g : memref<8xi32> to memref<8xi32, #xfer.device>) {
    }
    // CHECK-NEXT: }
    // CHECK-NEXT: xfer.data present(%{{.*}}) no_create(%{{.*}}) copyout(%{{.*}}) deviceptr(%{{.*}} as %{{.*}} : memref<8xi32, #xfer.device> to memref<8xi32, #xfer.device>) {
    xfer.data present(%a as %e : memref<?xf32> to memref<?xf32, #xfer.device>)
              no_create(%b as %f : memref<4x4xf64> to memref<4x4xf64, #xfer.device>)
              copyout(%c as %g : memref<8xi32> to memref<8xi32, #xfer.device>)
              deviceptr(%d as %h : memref<8xi32, #xfer.device> to memref<8xi32, #xfer.device>) {
      xfer.end_data
    // CHECK-NEXT: } {note = 1 : i64}
    } {note = 1 : i64}
  }
  return
}

// CHECK-LABEL: func.func @rest
func.func @rest(%a: memref<?xf32>, %b: memref<4xf64>, %s: memref<2xf64, strided<[1], offset: 2>>) {
  // CHECK: xfer.enter_data copyin(%{{.*}} : memref<?xf32>, %{{.*}} : memref<4xf64>) create(%{{.*}} : memref<2xf64, strided<[1], offset: 2>>)
  xfer.enter_data copyin(%a : memref<?xf32>, %b : memref<4xf64>) create(%s : memref<2xf64, strided<[1], offset: 2>>)
  // CHECK: xfer.exit_data copyout(%{{.*}} : memref<?xf32>) delete(%{{.*}} : memref<4xf64>)
  xfer.exit_data copyout(%a : memref<?xf32>) delete(%b : memref<4xf64>)
  // CHECK: xfer.exit_data delete(%{{.*}} : memref<?xf32>) finalize
  xfer.exit_data delete(%a : memref<?xf32>) finalize
  // CHECK: xfer.enter_data structured copy(%{{.*}} : memref<?xf32>) present(%{{.*}} : memref<4xf64>)
  xfer.enter_data structured copy(%a : memref<?xf32>) present(%b : memref<4xf64>)
  // CHECK: xfer.exit_data structured copy(%{{.*}} : memref<?xf32>) present(%{{.*}} : memref<4xf64>)
  xfer.exit_data structured copy(%a : memref<?xf32>) present(%b : memref<4xf64>)
  // CHECK: xfer.update host(%{{.*}} : memref<?xf32>) device(%{{.*}} : memref<4xf64>) if_present
  xfer.update host(%a : memref<?xf32>) device(%b : memref<4xf64>) if_present
  // CHECK: xfer.update device(%{{.*}} : memref<?xf32>) {async = 1 : i64}
  xfer.update device(%a : memref<?xf32>) {async = 1 : i64}
  // CHECK: %{{.*}} = xfer.present %{{.*}} : memref<2xf64, strided<[1], offset: 2>> to memref<2xf64, #xfer.device>
  %0 = xfer.present %s : memref<2xf64, strided<[1], offset: 2>> to memref<2xf64, #xfer.device>
  // CHECK: %{{.*}} = xfer.present %{{.*}} if_present : memref<4xf64> to memref<4xf64, #xfer.device>
  %1 = xfer.present %b if_present : memref<4xf64> to memref<4xf64, #xfer.device>
  // CHECK: %{{.*}} = xfer.is_present %{{.*}} : memref<?xf32>
  %2 = xfer.is_present %a : memref<?xf32>
  return
}
