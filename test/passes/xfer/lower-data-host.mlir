// RUN: terrace-opt %s --xfer-lower-data="mode=host" --split-input-file --verify-diagnostics | FileCheck %s

// Host and device have one memory: nothing is left but the names.

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[A:.*]]: memref<8xf64>, %[[B:.*]]: memref<?xf64>)
// CHECK:         %[[D:.*]] = memref.memory_space_cast %[[A]] : memref<8xf64> to memref<8xf64, #xfer.device>
// CHECK-NEXT:    %[[E:.*]] = memref.cast %[[D]] : memref<8xf64, #xfer.device> to memref<?xf64, #xfer.device>
// CHECK-NEXT:    gpu.launch
// CHECK-NEXT:      memref.store %{{.*}}, %[[E]][
// CHECK-NOT:     {{xfer\.(data|update|enter|exit|present|is_present)}}
// CHECK:         memref.memory_space_cast %[[B]]
// CHECK-NEXT:    arith.constant true
// CHECK-NEXT:    return
func.func @f(%a: memref<8xf64>, %b: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f64
  xfer.data copy(%a as %d : memref<8xf64> to memref<?xf64, #xfer.device>) {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      memref.store %x, %d[%c0] : memref<?xf64, #xfer.device>
      gpu.terminator
    }
    xfer.update host(%a : memref<8xf64>)
  }
  xfer.enter_data copyin(%b : memref<?xf64>)
  %d = xfer.present %b : memref<?xf64> to memref<?xf64, #xfer.device>
  %is = xfer.is_present %b : memref<?xf64>
  xfer.exit_data delete(%b : memref<?xf64>)
  return
}

// -----

func.func @section(%a: memref<8xf64>) {
  %part = memref.subview %a[2] [2] [1] : memref<8xf64> to memref<2xf64, strided<[1], offset: 2>>
  // expected-error @+1 {{'xfer.present' op has the section 'memref<2xf64, strided<[1], offset: 2>>', which has no buffer where host and device have one memory; use the whole array}}
  %d = xfer.present %part : memref<2xf64, strided<[1], offset: 2>> to memref<2xf64, #xfer.device>
  return
}
