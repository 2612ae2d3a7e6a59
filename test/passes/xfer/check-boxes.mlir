// RUN: terrace-opt %s --split-input-file --verify-diagnostics --xfer-check

// What was copied of a box is valid there and nowhere else.

!a = memref<16xf32>
!d = memref<16xf32, #xfer.device>
!h = memref<8xf32, strided<[1], offset: 4>>
!m = memref<8xf32, strided<[1], offset: 4>, #xfer.device>

func.func @inside(%A: !a) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %d = xfer.create %A : !a to !d
  %v = memref.subview %A[4] [8] [1] : !a to !h
  %w = memref.subview %d[4] [8] [1] : !d to !m
  xfer.copy %v to %w : !h to !m
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c8, %nby = %c1, %nbz = %c1)
      threads(%t, %ty, %tz) in (%nt = %c1, %nty = %c1, %ntz = %c1) {
    %i = arith.addi %b, %c4 : index
    %x = memref.load %d[%i] : !d
    memref.store %x, %d[%i] : !d
    gpu.terminator
  }
  xfer.copy %w to %v : !m to !h
  return
}

// -----

!a = memref<16xf32>
!d = memref<16xf32, #xfer.device>
!h = memref<8xf32, strided<[1], offset: 4>>
!m = memref<8xf32, strided<[1], offset: 4>, #xfer.device>

func.func @one_beside(%A: !a) {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c8 = arith.constant 8 : index
  // expected-note @+1 {{the mirror is made here, with nothing in it}}
  %d = xfer.create %A : !a to !d
  %v = memref.subview %A[4] [8] [1] : !a to !h
  %w = memref.subview %d[4] [8] [1] : !d to !m
  xfer.copy %v to %w : !h to !m
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c8, %nby = %c1, %nbz = %c1)
      threads(%t, %ty, %tz) in (%nt = %c1, %nty = %c1, %ntz = %c1) {
    %i = arith.addi %b, %c5 : index
    // expected-error @+1 {{reads %A (argument 0) on the device, where it may be stale}}
    %x = memref.load %d[%i] : !d
    gpu.terminator
  }
  return
}

// -----

// The box of this iteration is not that of the last.

!a = memref<16xf32>
!d = memref<16xf32, #xfer.device>
!h = memref<1xf32, strided<[1], offset: ?>>
!m = memref<1xf32, strided<[1], offset: ?>, #xfer.device>

func.func @moving(%A: !a, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %f = arith.constant 1.0 : f32
  %B = memref.alloc() : !a
  %d = xfer.create %B : !a to !d
  xfer.discard %B : !a
  scf.for %k = %c0 to %c16 step %c1 {
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c16, %nby = %c1, %nbz = %c1)
        threads(%t, %ty, %tz) in (%nt = %c1, %nty = %c1, %ntz = %c1) {
      // expected-note @+1 {{written on the device here}}
      memref.store %f, %d[%b] : !d
      gpu.terminator
    }
    %v = memref.subview %B[%k] [1] [1] : !a to !h
    %w = memref.subview %d[%k] [1] [1] : !d to !m
    xfer.copy %w to %v : !m to !h
    %x = memref.load %B[%k] : !a
    %last = arith.subi %k, %c1 : index
    %some = arith.cmpi sge, %last, %c0 : index
    // expected-note @+1 {{through the then-branch of this 'scf.if'}}
    scf.if %some {
      // expected-error @+1 {{reads %B on the host, where it may be stale}}
      %y = memref.load %B[%last] : !a
    }
  }
  return
}

// -----

// A box that is empty is none; two boxes, of which one lies in the other.

!a = memref<16xf32>
!d = memref<16xf32, #xfer.device>

func.func @two(%A: !a, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %d = xfer.create %A : !a to !d
  %low = arith.maxsi %n, %c0 : index
  %most = arith.minsi %low, %c16 : index
  %v = memref.subview %A[0] [%most] [1] : !a to memref<?xf32, strided<[1]>>
  %w = memref.subview %d[0] [%most] [1] : !d to memref<?xf32, strided<[1]>, #xfer.device>
  xfer.copy %v to %w : memref<?xf32, strided<[1]>> to memref<?xf32, strided<[1]>, #xfer.device>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c16, %nby = %c1, %nbz = %c1)
      threads(%t, %ty, %tz) in (%nt = %c1, %nty = %c1, %ntz = %c1) {
    %in = arith.cmpi slt, %b, %n : index
    scf.if %in {
      %x = memref.load %d[%b] : !d
      %first = arith.cmpi slt, %b, %c1 : index
      scf.if %first {
        memref.store %x, %d[%b] : !d
      }
    }
    gpu.terminator
  }
  %one = arith.minsi %most, %c1 : index
  %p = memref.subview %A[0] [%one] [1] : !a to memref<?xf32, strided<[1]>>
  %q = memref.subview %d[0] [%one] [1] : !d to memref<?xf32, strided<[1]>, #xfer.device>
  xfer.copy %q to %p : memref<?xf32, strided<[1]>, #xfer.device> to memref<?xf32, strided<[1]>>
  return
}

// -----

// What is discarded of an array need not come from the other side.

!a = memref<16xf32>
!d = memref<16xf32, #xfer.device>
!h = memref<8xf32, strided<[1], offset: 4>>

func.func @discarded(%A: !a) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 1.0 : f32
  %d = xfer.create %A : !a to !d
  %v = memref.subview %A[4] [8] [1] : !a to !h
  %w = memref.subview %d[4] [8] [1] : !d to memref<8xf32, strided<[1], offset: 4>, #xfer.device>
  xfer.discard %v : !h
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c8, %nby = %c1, %nbz = %c1)
      threads(%t, %ty, %tz) in (%nt = %c1, %nty = %c1, %ntz = %c1) {
    memref.store %f, %w[%b] : memref<8xf32, strided<[1], offset: 4>, #xfer.device>
    gpu.terminator
  }
  xfer.copy %w to %v : memref<8xf32, strided<[1], offset: 4>, #xfer.device> to !h
  return
}
