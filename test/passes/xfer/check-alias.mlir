// RUN: terrace-opt %s --verify-diagnostics --xfer-check

// Names for the same memory, and parts of it.

!a = memref<8xf32>
!d = memref<8xf32, #xfer.device>

module attributes {gpu.container_module} {
  memref.global @g : !a
  memref.global @h : !a

  func.func @view(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %v = memref.subview %A[2] [4] [1] : !a to memref<4xf32, strided<[1], offset: 2>>
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-error @+1 {{'memref.load' op reads %A (argument 0) on the host}}
    %x = memref.load %v[%c0] : memref<4xf32, strided<[1], offset: 2>>
    xfer.copy %d to %A : !d to !a
    return
  }

  func.func @view_of_the_mirror(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    %v = memref.cast %d : !d to memref<?xf32, #xfer.device>
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      // expected-note @+1 {{written on the device here}}
      memref.store %f, %v[%c0] : memref<?xf32, #xfer.device>
      gpu.terminator
    }
    // expected-error @+1 {{reads %A (argument 0) on the host}}
    %x = memref.load %A[%c0] : !a
    return
  }

  // One of two arrays.
  func.func @either(%A: !a, %B: !a, %p: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %C = arith.select %p, %A, %B : !a
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-error @+1 {{reads %A (argument 0) on the host}}
    %x = memref.load %C[%c0] : !a
    xfer.copy %d to %A : !d to !a
    return
  }

  // Two mirrors of one array. Who writes one makes the other stale.
  func.func @two_mirrors(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    %e = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    xfer.copy %A to %e : !a to !d
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%e : !d)
    // expected-note @+1 {{written here, on the device, through another mirror of what may be the same memory}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-error @+1 {{reads %A (argument 0) on the device, where it may be stale}}
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%e : !d)
    xfer.copy %d to %A : !d to !a
    xfer.copy %A to %e : !a to !d
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%e : !d)
    return
  }

  func.func @a_mirror_of_either(%A: !a, %B: !a, %p: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %C = arith.select %p, %A, %B : !a
    %d = xfer.create %A : !a to !d
    %e = xfer.create %C : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-error @+1 {{'xfer.copy' op reads %A (argument 0) on the host}}
    xfer.copy %C to %e : !a to !d
    xfer.copy %d to %A : !d to !a
    xfer.copy %C to %e : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%e : !d)
    // expected-error @+1 {{'xfer.copy' op reads %C on the host}}
    xfer.copy %A to %d : !a to !d
    return
  }

  // What comes out of a branch or goes around a loop is one of what goes in.
  func.func @none_of_them(%A: !a, %B: !a, %C: !a, %p: i1, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %C : !a to !d
    xfer.copy %C to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    %D = scf.if %p -> (!a) {
      scf.yield %A : !a
    } else {
      scf.yield %B : !a
    }
    %x = memref.load %D[%c0] : !a
    %E = scf.for %i = %c0 to %n step %c1 iter_args(%e = %A) -> (!a) {
      %y = memref.load %e[%c0] : !a
      scf.yield %D : !a
    }
    %z = memref.load %E[%c0] : !a
    %F = scf.for %i = %c0 to %n step %c1 iter_args(%e = %A) -> (!a) {
      // expected-error @+1 {{reads %C (argument 2) on the host}}
      %y = memref.load %e[%c0] : !a
      scf.yield %C : !a
    }
    xfer.copy %d to %C : !d to !a
    return
  }

  func.func @mirrors_by_turns(%A: !a, %B: !a, %p: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %C = arith.select %p, %A, %B : !a
    %d = xfer.create %A : !a to !d
    %e = xfer.create %C : !a to !d
    xfer.copy %A to %d : !a to !d
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    xfer.copy %d to %A : !d to !a
    xfer.copy %C to %e : !a to !d
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%e : !d)
    xfer.copy %e to %C : !d to !a
    xfer.copy %A to %d : !a to !d
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    return
  }

  // Both have something that nobody else has.
  func.func @both_mirrors_written(%A: !a, %x: !d) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    %e = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-error @+1 {{'xfer.copy' op writes what may be %A (argument 0) through another mirror than the one that has all of it; copy that to the host before}}
    xfer.copy %x to %e : !d to !d
    xfer.discard %A : !a
    return
  }

  // Two arguments are two arrays.
  func.func @another(%A: !a, %B: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    %x = memref.load %B[%c0] : !a
    xfer.copy %d to %A : !d to !a
    return
  }

  func.func @same_global() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %A = memref.get_global @g : !a
    %B = memref.get_global @g : !a
    %C = memref.get_global @h : !a
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    %x = memref.load %C[%c0] : !a
    // expected-error @+1 {{reads the global @g on the host}}
    %y = memref.load %B[%c0] : !a
    xfer.copy %d to %A : !d to !a
    return
  }

  // Mentioned twice, it is one array still.
  func.func @one_global() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %A = memref.get_global @g : !a
    %d = xfer.create %A : !a to !d
    %B = memref.get_global @g : !a
    xfer.discard %B : !a
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    xfer.mark_written %B, %d on device : !a, !d
    xfer.copy %d to %B : !d to !a
    %y = memref.load %A[%c0] : !a
    return
  }

  func.func @global_returned() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %A = memref.get_global @g : !a
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-error @+1 {{returns while the global @g, which the caller sees, may be stale on the host}}
    return
  }

  // The rest of the mirror is as stale as it was.
  func.func @a_part(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    // expected-note @+1 {{the mirror is made here}}
    %d = xfer.create %A : !a to !d
    %v = memref.subview %A[0] [4] [1] : !a to memref<4xf32, strided<[1]>>
    %w = memref.subview %d[0] [4] [1] : !d to memref<4xf32, strided<[1]>, #xfer.device>
    xfer.copy %v to %w : memref<4xf32, strided<[1]>> to memref<4xf32, strided<[1]>, #xfer.device>
    // expected-error @+1 {{reads %A (argument 0) on the device}}
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    return
  }

  // Another part than that of the mirror: the mirror is written as by anyone.
  func.func @another_part(%A: memref<32xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %c16 = arith.constant 16 : index
    %first = memref.view %A[%c0][] : memref<32xi8> to memref<4xf32>
    %second = memref.view %A[%c16][] : memref<32xi8> to memref<4xf32>
    %d = xfer.create %first : memref<4xf32> to memref<4xf32, #xfer.device>
    xfer.copy %first to %d : memref<4xf32> to memref<4xf32, #xfer.device>
    // expected-note @+1 {{written on the device here}}
    xfer.copy %second to %d : memref<4xf32> to memref<4xf32, #xfer.device>
    // expected-error @+1 {{reads %first on the host}}
    %x = memref.load %first[%c0] : memref<4xf32>
    xfer.copy %d to %first : memref<4xf32, #xfer.device> to memref<4xf32>
    return
  }

  // A part back, where only that was written: what the kernel wrote is not known.
  func.func @a_part_back(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    %v = memref.subview %A[0] [4] [1] : !a to memref<4xf32, strided<[1]>>
    %w = memref.subview %d[0] [4] [1] : !d to memref<4xf32, strided<[1]>, #xfer.device>
    xfer.copy %w to %v : memref<4xf32, strided<[1]>, #xfer.device> to memref<4xf32, strided<[1]>>
    %x = memref.load %A[%c0] : !a
    %c4 = arith.constant 4 : index
    // expected-error @+1 {{reads %A (argument 0) on the host}}
    %y = memref.load %A[%c4] : !a
    xfer.copy %d to %A : !d to !a
    return
  }

  // Host loops that run in parallel count as one step.
  func.func @parallel(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    affine.parallel (%i) = (0) to (8) {
      // expected-error @+1 {{'affine.load' op reads %A (argument 0) on the host}}
      %x = affine.load %A[%i] : !a
      affine.store %x, %A[%i] : !a
    }
    return
  }

  // memref.copy reads and writes as a load and a store do.
  func.func @copied_on_the_host(%A: !a, %B: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-note @+1 {{written on the host here}}
    memref.copy %B, %A : !a to !a
    // expected-error @+1 {{reads %A (argument 0) on the device}}
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    return
  }

  func.func @vectors(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-error @+1 {{'vector.transfer_read' op reads %A (argument 0) on the host}}
    %v = vector.transfer_read %A[%c0], %f : !a, vector<8xf32>
    xfer.copy %d to %A : !d to !a
    return
  }

  gpu.module @k {
    gpu.func @get(%d: !d) kernel {
      %c0 = arith.constant 0 : index
      %x = memref.load %d[%c0] : !d
      gpu.printf "%f", %x : f32
      gpu.return
    }
    gpu.func @set(%d: !d) kernel {
      %c0 = arith.constant 0 : index
      %x = memref.load %d[%c0] : !d
      memref.store %x, %d[%c0] : !d
      gpu.return
    }
  }
}
