// RUN: terrace-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(xfer-chunk{min-bytes=0 short-kernels=true remarks=true}))'
// RUN: not terrace-opt %s --xfer-chunk=chunks=1 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not terrace-opt %s --xfer-chunk=chunks=17 2>&1 | FileCheck %s --check-prefix=MANY

// FEW: found chunks=1, expected 2 to 16
// MANY: found chunks=17, expected 2 to 16

// Rows that come later than they would have to go: a block writes below those of the next.

func.func @backwards(%A: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c4 = arith.constant 4 : index
  %c63 = arith.constant 63 : index
  %a = xfer.create %A : memref<64xf32> to memref<64xf32, #xfer.device>
  xfer.copy %A to %a : memref<64xf32> to memref<64xf32, #xfer.device>
  // expected-remark @+1 {{not split: the rows that it uses do not follow its blocks}}
  gpu.launch blocks(%x, %y, %z) in (%nx = %c16, %ny = %c1, %nz = %c1)
      threads(%i, %j, %k) in (%mx = %c4, %my = %c1, %mz = %c1) {
    %first = arith.muli %x, %mx : index
    %at = arith.addi %first, %i : index
    %row = arith.subi %c63, %at : index
    %v = memref.load %a[%row] : memref<64xf32, #xfer.device>
    memref.store %v, %a[%row] : memref<64xf32, #xfer.device>
    gpu.terminator
  }
  xfer.copy %a to %A : memref<64xf32, #xfer.device> to memref<64xf32>
  return
}

// -----

// Nothing is done in a loop.

func.func @in_a_loop(%A: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c4 = arith.constant 4 : index
  %a = xfer.create %A : memref<64xf32> to memref<64xf32, #xfer.device>
  scf.for %t = %c0 to %c4 step %c1 {
    xfer.copy %A to %a : memref<64xf32> to memref<64xf32, #xfer.device>
    gpu.launch blocks(%x, %y, %z) in (%nx = %c16, %ny = %c1, %nz = %c1)
        threads(%i, %j, %k) in (%mx = %c4, %my = %c1, %mz = %c1) {
      %first = arith.muli %x, %mx : index
      %row = arith.addi %first, %i : index
      %v = memref.load %a[%row] : memref<64xf32, #xfer.device>
      memref.store %v, %a[%row] : memref<64xf32, #xfer.device>
      gpu.terminator
    }
    xfer.copy %a to %A : memref<64xf32, #xfer.device> to memref<64xf32>
  }
  return
}

// -----

// The host uses what would come later.

func.func @used_between(%A: memref<64xf32>, %x0: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c4 = arith.constant 4 : index
  %a = xfer.create %A : memref<64xf32> to memref<64xf32, #xfer.device>
  xfer.copy %A to %a : memref<64xf32> to memref<64xf32, #xfer.device>
  memref.store %x0, %A[%c0] : memref<64xf32>
  gpu.launch blocks(%x, %y, %z) in (%nx = %c16, %ny = %c1, %nz = %c1)
      threads(%i, %j, %k) in (%mx = %c4, %my = %c1, %mz = %c1) {
    %first = arith.muli %x, %mx : index
    %row = arith.addi %first, %i : index
    %v = memref.load %a[%row] : memref<64xf32, #xfer.device>
    gpu.terminator
  }
  return
}

// -----

func.func @few_blocks(%A: memref<8xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %a = xfer.create %A : memref<8xf32> to memref<8xf32, #xfer.device>
  xfer.copy %A to %a : memref<8xf32> to memref<8xf32, #xfer.device>
  // expected-remark @+1 {{not split: it has fewer blocks than pieces}}
  gpu.launch blocks(%x, %y, %z) in (%nx = %c2, %ny = %c1, %nz = %c1)
      threads(%i, %j, %k) in (%mx = %c4, %my = %c1, %mz = %c1) {
    %first = arith.muli %x, %mx : index
    %row = arith.addi %first, %i : index
    %v = memref.load %a[%row] : memref<8xf32, #xfer.device>
    memref.store %v, %a[%row] : memref<8xf32, #xfer.device>
    gpu.terminator
  }
  xfer.copy %a to %A : memref<8xf32, #xfer.device> to memref<8xf32>
  return
}
