// RUN: terrace-opt %s --xfer-lower-data | FileCheck %s

// Nothing can hold memory that is made here, so that the table need not be asked.

// CHECK-LABEL: func.func @local(
// CHECK-NOT:     xfer.
// CHECK:         gpu.launch
// CHECK-NEXT:      memref.store %{{.*}}, %alloc[
// CHECK-NOT:     xfer.
// CHECK-LABEL: func.func @table(
func.func @local(%x: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %A = memref.alloc() : memref<8xf64>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %x, %A[%c0] : memref<8xf64>
    gpu.terminator
  }
  %y = memref.load %A[%c0] : memref<8xf64>
  memref.dealloc %A : memref<8xf64>
  return %y : f64
}

// CHECK: xfer.enter_data
func.func @table(%B: memref<8xf64>) {
  xfer.enter_data copyin(%B : memref<8xf64>)
  xfer.exit_data delete(%B : memref<8xf64>)
  return
}
