// RUN: terrace run %s --target emulator --verify --arg 0=random:64 --arg 1=random:64 --arg 2=5 2>&1 | FileCheck %s

// Two queues, tokens that go around a loop and out of a branch, pinned memory, an array
// that is copied ahead: on the streams of a device, as on the interpreter.

// CHECK: verify   passed against the interpreter

func.func @main(%a: memref<64xf64>, %b: memref<64xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %p = xfer.alloc() : memref<64xf64, #xfer.pinned>
  scf.for %i = %c0 to %c64 step %c1 {
    %x = memref.load %a[%i] : memref<64xf64>
    memref.store %x, %p[%i] : memref<64xf64, #xfer.pinned>
  }
  %d = xfer.alloc() : memref<64xf64, #xfer.device>
  %e = xfer.create %b : memref<64xf64> to memref<64xf64, #xfer.device>
  %in = xfer.copy async %p to %d on queue(%c1) : memref<64xf64, #xfer.pinned> to memref<64xf64, #xfer.device>
  %ahead = xfer.prefetch async %b to %e on queue(%c2) : memref<64xf64> to memref<64xf64, #xfer.device>
  // A second one has nothing to copy.
  %again = xfer.prefetch async [%ahead] %b to %e : memref<64xf64> to memref<64xf64, #xfer.device>
  %both = gpu.wait async [%in, %again]
  %last = scf.for %t = %c0 to %n step %c1 iter_args(%before = %both) -> (!gpu.async.token) {
    %k = gpu.launch async [%before] blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) {
      %one = arith.cmpi eq, %bx, %c0 : index
      scf.if %one {
        %x = memref.load %d[%tx] : memref<64xf64, #xfer.device>
        %y = memref.load %e[%tx] : memref<64xf64, #xfer.device>
        %z = arith.addf %x, %y : f64
        memref.store %z, %d[%tx] : memref<64xf64, #xfer.device>
      }
      gpu.terminator
    }
    scf.yield %k : !gpu.async.token
  }
  %on = xfer.wait async [%last] on queue(%c1)
  %out = xfer.copy async %d to %a on queue(%c1) : memref<64xf64, #xfer.device> to memref<64xf64>
  xfer.wait queue(%c1, %c2)
  %back = xfer.copy async %e to %b : memref<64xf64, #xfer.device> to memref<64xf64>
  xfer.wait all
  xfer.free %d : memref<64xf64, #xfer.device>
  xfer.free %e : memref<64xf64, #xfer.device>
  xfer.free %p : memref<64xf64, #xfer.pinned>
  return
}
