// RUN: terrace-opt %s --verify-diagnostics --xfer-check

// A path without a copy, through branches and loops.

!a = memref<8xf32>
!d = memref<8xf32, #xfer.device>

module attributes {gpu.container_module} {
  func.func @not_copied_back(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-error @+1 {{'memref.load' op reads %A (argument 0) on the host, where it may be stale}}
    %x = memref.load %A[%c0] : !a
    xfer.copy %d to %A : !d to !a
    return
  }

  func.func @not_copied_in(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    // expected-note @+1 {{the mirror is made here, with nothing in it}}
    %d = xfer.create %A : !a to !d
    // expected-error @+1 {{'gpu.launch_func' op reads %A (argument 0) on the device, where it may be stale}}
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    return
  }

  func.func @not_copied_again(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-note @+1 {{written on the host here}}
    memref.store %f, %A[%c0] : !a
    // expected-error @+1 {{reads %A (argument 0) on the device, where it may be stale}}
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    return
  }

  func.func @copied_the_wrong_way(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-error @+1 {{'xfer.copy' op copies %A (argument 0) to the device from the host, where it may be stale}}
    xfer.copy %A to %d : !a to !d
    return
  }

  func.func @copied_out_first(%A: !a) {
    // expected-note @+1 {{the mirror is made here, with nothing in it}}
    %d = xfer.create %A : !a to !d
    // expected-error @+1 {{'xfer.copy' op copies %A (argument 0) to the host from the device, where it may be stale}}
    xfer.copy %d to %A : !d to !a
    return
  }

  func.func @returned(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-error @+1 {{'func.return' op returns while %A (argument 0), which the caller sees, may be stale on the host}}
    return
  }

  func.func @an_own_one_returned() -> !a {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %B = memref.alloc() : !a
    %d = xfer.create %B : !a to !d
    xfer.discard %B : !a
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-error @+1 {{'func.return' op returns while %B, which the caller sees, may be stale on the host}}
    return %B : !a
  }

  // Neither has the whole array, if the host has written one element.
  func.func @a_part_written(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-error @+1 {{'memref.store' op writes %A (argument 0) on the host, where the rest of it may be stale; copy it to the host before, or discard it where all of it is written}}
    memref.store %f, %A[%c0] : !a
    return
  }

  func.func @then(%A: !a, %p: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    scf.if %p {
      // expected-note @+1 {{written on the device here}}
      gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
      scf.if %p {
        gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
      }
    }
    // expected-error @+1 {{reads %A (argument 0) on the host}}
    %x = memref.load %A[%c0] : !a
    return
  }

  func.func @past(%A: !a, %p: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    // expected-note @+1 {{the mirror is made here}}
    %d = xfer.create %A : !a to !d
    // expected-note @+1 {{past this 'scf.if', where its condition does not hold}}
    scf.if %p {
      xfer.copy %A to %d : !a to !d
    }
    // expected-error @+1 {{reads %A (argument 0) on the device}}
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    return
  }

  func.func @affine_else(%A: !a, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-note @+1 {{through the else-branch of this 'affine.if'}}
    affine.if affine_set<(d0) : (d0 >= 0)>(%n) {
      xfer.copy %d to %A : !d to !a
    } else {
      gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    }
    // expected-error @+1 {{reads %A (argument 0) on the host}}
    %x = memref.load %A[%c0] : !a
    return
  }

  func.func @a_case(%A: !a, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-note @+1 {{through case 1 of this 'scf.index_switch'}}
    scf.index_switch %n
    case 3 {
      xfer.copy %d to %A : !d to !a
      scf.yield
    }
    case 5 {
      gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
      scf.yield
    }
    default {
      xfer.copy %d to %A : !d to !a
    }
    // expected-error @+1 {{reads %A (argument 0) on the host}}
    %x = memref.load %A[%c0] : !a
    return
  }

  func.func @zero_trips(%A: !a, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-note @+1 {{this loop may run zero times}}
    scf.for %i = %c0 to %n step %c1 {
      xfer.copy %d to %A : !d to !a
    }
    // expected-error @+1 {{reads %A (argument 0) on the host}}
    %x = memref.load %A[%c0] : !a
    return
  }

  // A loop inside a loop with the same bounds runs.
  func.func @same_bounds_around(%A: !a, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %n step %c1 {
        xfer.copy %A to %d : !a to !d
      }
      gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    }
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        memref.store %f, %A[%c0] : !a
        xfer.copy %A to %d : !a to !d
      }
      gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    }
    return
  }

  // The loop around has other bounds.
  func.func @other_bounds_around(%A: !a, %n: index, %m: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-note @+1 {{the mirror is made here}}
    %d = xfer.create %A : !a to !d
    scf.for %i = %c0 to %m step %c1 {
      // expected-note @+1 {{this loop may run zero times}}
      scf.for %j = %c0 to %n step %c1 {
        xfer.copy %A to %d : !a to !d
      }
      // expected-error @+1 {{reads %A (argument 0) on the device}}
      gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    }
    return
  }

  // What is compared is not what the loop runs over.
  func.func @another_guard(%A: !a, %n: index, %m: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    // expected-note @+1 {{the mirror is made here}}
    %d = xfer.create %A : !a to !d
    %some = arith.cmpi slt, %c0, %m : index
    // expected-note @+1 {{through the then-branch of this 'scf.if'}}
    scf.if %some {
      // expected-note @+1 {{this loop may run zero times}}
      scf.for %i = %c0 to %n step %c1 {
        xfer.copy %A to %d : !a to !d
      }
      // expected-error @+1 {{reads %A (argument 0) on the device}}
      gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    }
    return
  }

  // The condition is on numbers with a sign, the loop is not.
  func.func @another_sign(%A: !a, %n: i32, %one: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %zero = arith.constant 0 : i32
    // expected-note @+1 {{the mirror is made here}}
    %d = xfer.create %A : !a to !d
    %some = arith.cmpi ult, %zero, %n : i32
    // expected-note @+1 {{through the then-branch of this 'scf.if'}}
    scf.if %some {
      // expected-note @+1 {{this loop may run zero times}}
      scf.for %i = %zero to %n step %one : i32 {
        xfer.copy %A to %d : !a to !d
      }
      // expected-error @+1 {{reads %A (argument 0) on the device}}
      gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    }
    return
  }

  // Right in the first iteration, wrong in the second.
  func.func @around(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{around this loop again}}
    affine.for %i = 0 to 8 {
      // expected-error @+1 {{reads %A (argument 0) on the host}}
      %x = memref.load %A[%c0] : !a
      // expected-note @+1 {{written on the device here}}
      gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    }
    xfer.copy %d to %A : !d to !a
    return
  }

  // Two loops around.
  func.func @around_the_outer(%A: !a, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{around this loop again}}
    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %n step %c1 {
        // expected-error @+1 {{reads %A (argument 0) on the device}}
        gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
      }
      // expected-note @+1 {{written on the host here}}
      memref.store %f, %A[%c0] : !a
    }
    return
  }

  func.func @while(%A: !a, %p: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{around this loop again}}
    scf.while : () -> () {
      // expected-error @+1 {{reads %A (argument 0) on the host}}
      %x = memref.load %A[%c0] : !a
      scf.condition(%p)
    } do {
      // expected-note @+1 {{written on the device here}}
      gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
      scf.yield
    }
    xfer.copy %d to %A : !d to !a
    return
  }

  // The body need not run: the part before the condition does.
  func.func @while_without_body(%A: !a, %p: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    // expected-note @+1 {{the mirror is made here}}
    %d = xfer.create %A : !a to !d
    scf.while : () -> () {
      scf.condition(%p)
    } do {
      xfer.copy %A to %d : !a to !d
      scf.yield
    }
    // expected-error @+1 {{reads %A (argument 0) on the device}}
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    return
  }

  // Several mistakes, each once.
  func.func @several(%A: !a, %B: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    // expected-note @+1 {{the mirror is made here}}
    %d = xfer.create %A : !a to !d
    // expected-note @+1 {{the mirror is made here}}
    %e = xfer.create %B : !a to !d
    // expected-error @+1 {{reads %A (argument 0) on the device}}
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-error @+2 {{reads %B (argument 1) on the device}}
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%e : !d)
    // expected-error @+1 {{reads %B (argument 1) on the host}}
    %x = memref.load %B[%c0] : !a
    return
  }

  func.func @claimed(%A: !a) {
    // expected-note @+1 {{the mirror is made here}}
    %d = xfer.create %A : !a to !d
    xfer.assert_valid %A, %d on host : !a, !d
    // expected-error @+1 {{'xfer.assert_valid' op claims that %A (argument 0) is valid on the device, where it may be stale}}
    xfer.assert_valid %A, %d on both : !a, !d
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
