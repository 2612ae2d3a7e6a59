// RUN: terrace-opt %s --verify-diagnostics --pass-pipeline='builtin.module(func.func(xfer-chunk{min-bytes=0 remarks=true}))'

// Nothing runs long enough beside the copies.

func.func @short(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %a = xfer.create %A : memref<64xf32> to memref<64xf32, #xfer.device>
  xfer.copy %A to %a : memref<64xf32> to memref<64xf32, #xfer.device>
  // expected-remark @+1 {{not split: the kernel is short}}
  gpu.launch blocks(%x, %y, %z) in (%nx = %c16, %ny = %c1, %nz = %c1)
      threads(%i, %j, %k) in (%mx = %c4, %my = %c1, %mz = %c1) {
    %first = arith.muli %x, %mx : index
    %row = arith.addi %first, %i : index
    %v = memref.load %a[%row] : memref<64xf32, #xfer.device>
    memref.store %v, %a[%row] : memref<64xf32, #xfer.device>
    gpu.terminator
  }
  xfer.copy %a to %A : memref<64xf32, #xfer.device> to memref<64xf32>
  return
}
