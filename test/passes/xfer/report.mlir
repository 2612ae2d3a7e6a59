// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(xfer-insert,xfer-report))" -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(xfer-insert,xfer-optimize,xfer-report))" -o /dev/null 2>&1 | FileCheck %s --check-prefix=BEST

// Each copy with its place, how often, from what and for what; below an array, what the
// best placement would move.

// PLAIN-LABEL: @steps
// PLAIN-NEXT:    %A (argument 0), 64 bytes
// PLAIN-NEXT:      to the device at 32:5, 8 times: from the caller; for the kernel at 32:5
// PLAIN-NEXT:      to the host at 32:5, 8 times: from the kernel at 32:5; for the caller at 39:3
// PLAIN-NEXT:      in all 16 copies, 1024 bytes; the least are 2 copies, 72 bytes
// BEST-LABEL:  @steps
// BEST-NEXT:     %A (argument 0), 64 bytes
// BEST-NEXT:       to the device at 31:3, once: from the caller; for the kernel at 32:5
// BEST-NEXT:       to the host at 39:3, once: from the kernel at 32:5; for the caller at 39:3
// BEST-NEXT:       in all 2 copies, 128 bytes; the least are 2 copies, 72 bytes

// PLAIN-LABEL: @sometimes
// PLAIN-NEXT:    %A (argument 0), memref<?xf64>
// PLAIN-NEXT:      to the device at 50:7, as often as it is come to: from 'memref.store' at 58:5 and the caller; for the kernel at 50:7
// PLAIN:           in all 0 copies and those in loops
// BEST-LABEL:  @sometimes
// BEST:            to the host at 49:5, as often as it is come to: from the kernel at 50:7; for 'memref.store' at 58:5

// Eight steps of a kernel.
func.func @steps(%A: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // The loop.
  scf.for %k = %c0 to %c8 step %c1 {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      %x = memref.load %A[%k] : memref<8xf64>
      memref.store %x, %A[%c0] : memref<8xf64>
      gpu.terminator
    }
  }
  return
}

// as often as its caller says.
func.func @sometimes(%A: memref<?xf64>, %n: index, %c: i1, %v: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index


  scf.for %k = %c0 to %n step %c1 {
    scf.if %c {
      gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
                 threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
        %x = memref.load %A[%k] : memref<?xf64>
        memref.store %x, %A[%c0] : memref<?xf64>
        gpu.terminator
      }
    }

    memref.store %v, %A[%c1] : memref<?xf64>
  }
  return
}
