// RUN: terrace-opt %s --verify-diagnostics --xfer-check

// Flags that say something else than what is so.

!a = memref<8xf32>
!d = memref<8xf32, #xfer.device>

module attributes {gpu.container_module} {
  func.func @write_not_told(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.ensure %A, %d on device : !a, !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-note @+1 {{nothing is copied here: the flags say that the array is valid on the host, because no 'xfer.mark_written' says otherwise}}
    xfer.ensure %A, %d on host : !a, !d
    // expected-error @+1 {{reads %A (argument 0) on the host}}
    %x = memref.load %A[%c0] : !a
    return
  }

  func.func @told_on_one_path(%A: !a, %p: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    scf.if %p {
      xfer.ensure %A, %d on device : !a, !d
      gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
      xfer.mark_written %A, %d on device : !a, !d
    } else {
      xfer.ensure %A, %d on device : !a, !d
      // expected-note @+1 {{written on the device here}}
      gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    }
    // expected-note @+1 {{nothing is copied here: the flags say that the array is valid on the host}}
    xfer.ensure %A, %d on host : !a, !d
    // expected-error @+1 {{reads %A (argument 0) on the host}}
    %x = memref.load %A[%c0] : !a
    return
  }

  // Told what is not so: the copy would go over what is newer.
  func.func @lie(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.ensure %A, %d on device : !a, !d
    // expected-note @+1 {{written on the host here}}
    memref.store %f, %A[%c0] : !a
    xfer.mark_written %A, %d on device : !a, !d
    // expected-error @+1 {{'xfer.ensure' op copies %A (argument 0) to the host, as the flags say, from the device, where it may be stale}}
    xfer.ensure %A, %d on host : !a, !d
    return
  }

  // The mark must come after the write on every path, but not twice.
  func.func @told_late(%A: !a, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.ensure %A, %d on device : !a, !d
    scf.for %i = %c0 to %n step %c1 {
      gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    }
    xfer.mark_written %A, %d on device : !a, !d
    xfer.ensure %A, %d on host : !a, !d
    %x = memref.load %A[%c0] : !a
    return
  }

  func.func @not_a_pair(%A: !a, %B: !a, %e: !d) {
    %d = xfer.create %A : !a to !d
    // expected-error @+1 {{'xfer.ensure' op takes %B (argument 1), but the mirror is that of %A (argument 0)}}
    xfer.ensure %B, %d on host : !a, !d
    // expected-error @+1 {{'xfer.ensure' op is about a buffer that is not, as a whole, what an 'xfer.create' of this function made; it cannot be checked}}
    xfer.ensure %A, %e on host : !a, !d
    return
  }

  func.func @no_mirror_at_all(%A: !a, %e: !d) {
    // expected-error @+1 {{'xfer.mark_written' op is about a buffer that is not, as a whole, what an 'xfer.create' of this function made; it cannot be checked}}
    xfer.mark_written %A, %e on host : !a, !d
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
