// RUN: terrace-opt %s --verify-diagnostics --xfer-check

// Mirrors and arrays that are freed, and the wrong memory.

!a = memref<8xf32>
!d = memref<8xf32, #xfer.device>

module attributes {gpu.container_module} {
  func.func @freed_too_early(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    xfer.free %d : !d
    // expected-error @+1 {{reads %A (argument 0) on the host, where it may be stale}}
    %x = memref.load %A[%c0] : !a
    return
  }

  func.func @used_after_free(%A: !a, %p: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    scf.if %p {
      // expected-note @+1 {{the mirror is freed here}}
      xfer.free %d : !d
    }
    // expected-error @+1 {{'gpu.launch_func' op uses the mirror of %A (argument 0), which may have been freed}}
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    return
  }

  func.func @freed_twice(%A: !a, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    // expected-note @+1 {{around this loop again}}
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @+2 {{'xfer.free' op frees the mirror of %A (argument 0), which may have been freed before}}
      // expected-note @+1 {{the mirror is freed here}}
      xfer.free %d : !d
    }
    return
  }

  func.func @array_used_after_free() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %A = memref.alloc() : !a
    memref.store %f, %A[%c0] : !a
    %d = xfer.create %A : !a to !d
    // expected-note @+1 {{the array is freed here}}
    memref.dealloc %A : !a
    // expected-error @+1 {{'xfer.copy' op uses %A, which may have been freed}}
    xfer.copy %A to %d : !a to !d
    xfer.free %d : !d
    return
  }

  // The one made before is out of reach, but only it had the array.
  func.func @not_freed_in_a_loop(%A: !a, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    // expected-note @+1 {{around this loop again}}
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @+1 {{'xfer.create' op makes a mirror of %A (argument 0) from what is on the host, where it may be stale}}
      %d = xfer.create %A : !a to !d
      xfer.copy %A to %d : !a to !d
      // expected-note @+1 {{written on the device here}}
      gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    }
    xfer.discard %A : !a
    return
  }

  // The one made before goes under another name.
  func.func @carried(%A: !a, %B: !a, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %e = xfer.create %B : !a to !d
    // expected-note @+1 {{around this loop again}}
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%m = %e) -> (!d) {
      // expected-error @+2 {{'xfer.create' op makes another mirror of %A (argument 0), while the one that it made before may still be in use}}
      // expected-note @+1 {{the mirror is made here}}
      %d = xfer.create %A : !a to !d
      scf.yield %d : !d
    }
    return
  }

  func.func @made_from_stale(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    xfer.free %d : !d
    %e = xfer.create %A : !a to !d
    // expected-error @+1 {{'xfer.copy' op reads %A (argument 0) on the host, where it may be stale}}
    xfer.copy %A to %e : !a to !d
    return
  }

  func.func @host_in_device_memory(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-error @+1 {{'memref.load' op uses the mirror of %A (argument 0) on the host; code of the host uses the array itself}}
    %x = memref.load %d[%c0] : !d
    return
  }

  func.func @kernel_in_host_memory(%A: !a, %B: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      // expected-error @+1 {{'memref.load' op uses %A (argument 0) on the device, but it lies in the memory of the host; kernels use mirrors}}
      %x = memref.load %A[%c0] : !a
      // expected-error @+1 {{'memref.store' op uses %B (argument 1) on the device, but it lies in the memory of the host; kernels use mirrors}}
      memref.store %x, %B[%c0] : !a
      gpu.terminator
    }
    return
  }

  func.func @in_a_parallel_loop(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
      // expected-error @+1 {{'xfer.copy' op cannot be checked inside a 'scf.parallel', where its place in the order is not known}}
      xfer.copy %A to %d : !a to !d
      scf.reduce
    }
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
