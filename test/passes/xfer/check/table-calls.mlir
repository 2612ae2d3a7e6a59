// RUN: terrace-opt %s --xfer-check --split-input-file --verify-diagnostics

// Functions are followed from the states in which they are called.

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

module {
  // A launch that finds its array on the device or brings it there.
  func.func private @kernel(%M: !a, %x: f64) {
    %c1 = arith.constant 1 : index
    xfer.enter_data structured copy(%M : !a)
    %d = xfer.present %M : !a to !d
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      // expected-note @+1 {{this 'memref.load' of the function}}
      %y = memref.load %d[%tx] : !d
      memref.store %x, %d[%tx] : !d
      gpu.terminator
    }
    xfer.exit_data structured copy(%M : !a)
    return
  }

  // Absent, each call copies: both sides see all.
  func.func @absent(%A: !a, %x: f64) -> f64 {
    %c0 = arith.constant 0 : index
    func.call @kernel(%A, %x) : (!a, f64) -> ()
    memref.store %x, %A[%c0] : !a
    func.call @kernel(%A, %x) : (!a, f64) -> ()
    %y = memref.load %A[%c0] : !a
    return %y : f64
  }

  // Present, the second call reads what the host has written since.
  func.func @present(%A: !a, %x: f64) -> f64 {
    %c0 = arith.constant 0 : index
    xfer.enter_data copyin(%A : !a)
    func.call @kernel(%A, %x) : (!a, f64) -> ()
    func.call @kernel(%A, %x) : (!a, f64) -> ()
    xfer.update host(%A : !a)
    // expected-note @+1 {{written on the host here}}
    memref.store %x, %A[%c0] : !a
    // expected-error @+1 {{'func.call' op hands over %A (argument 0) to a function that reads %M (argument 0) on the device, where it may be stale}}
    func.call @kernel(%A, %x) : (!a, f64) -> ()
    xfer.exit_data copyout(%A : !a)
    return %x : f64
  }

  // And the host does not see what the kernel wrote.
  func.func @not_seen(%A: !a, %x: f64) -> f64 {
    %c0 = arith.constant 0 : index
    xfer.enter_data copyin(%A : !a)
    // expected-note @+1 {{written on the device here}}
    func.call @kernel(%A, %x) : (!a, f64) -> ()
    // expected-error @+1 {{'memref.load' op reads %A (argument 0) on the host, where it may be stale}}
    %y = memref.load %A[%c0] : !a
    xfer.exit_data copyout(%A : !a)
    return %y : f64
  }

  // A function that enters and one that exits.
  func.func private @enters(%M: !a) {
    xfer.enter_data copyin(%M : !a)
    return
  }
  func.func private @exits(%M: !a) {
    xfer.exit_data copyout(%M : !a)
    return
  }
  func.func @in_two_functions(%A: !a, %x: f64, %n: index) -> f64 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    func.call @enters(%A) : (!a) -> ()
    scf.for %t = %c0 to %n step %c1 {
      func.call @kernel(%A, %x) : (!a, f64) -> ()
    }
    func.call @exits(%A) : (!a) -> ()
    %y = memref.load %A[%c0] : !a
    return %y : f64
  }

  // One way leaves early, with the array on the device.
  func.func private @early(%M: !a, %x: f64, %c: i1) {
    func.call @enters(%M) : (!a) -> ()
    cf.cond_br %c, ^out, ^on
  ^out:
    return
  ^on:
    func.call @exits(%M) : (!a) -> ()
    return
  }
  func.func @early_exit(%A: !a, %x: f64, %c: i1) {
    %c0 = arith.constant 0 : index
    func.call @early(%A, %x, %c) : (!a, f64, i1) -> ()
    // expected-note @+1 {{written on the host here}}
    memref.store %x, %A[%c0] : !a
    // expected-error @+1 {{'func.call' op hands over %A (argument 0) to a function that reads %M (argument 0) on the device, where it may be stale}}
    func.call @kernel(%A, %x) : (!a, f64) -> ()
    func.call @exits(%A) : (!a) -> ()
    return
  }

  // What must be present is held by whoever calls, with the same on both sides.
  func.func @held(%A: !a, %x: f64) {
    xfer.enter_data structured present(%A : !a)
    func.call @kernel(%A, %x) : (!a, f64) -> ()
    xfer.exit_data structured present(%A : !a)
    return
  }
}

// -----

!a = memref<8xf64>

module {
  func.func private @again(%M: !a, %c: i1) {
    xfer.enter_data copyin(%M : !a)
    scf.if %c {
      func.call @again(%M, %c) : (!a, i1) -> ()
    }
    xfer.exit_data delete(%M : !a)
    return
  }
  func.func @recursive(%A: !a, %c: i1) {
    xfer.enter_data copyin(%A : !a)
    // expected-error @+1 {{'func.call' op cannot be checked: only the run can tell what it does to %A (argument 0) and the table of present arrays}}
    func.call @again(%A, %c) : (!a, i1) -> ()
    return
  }
}

// -----

!a = memref<8xf64>

// An array that may be either of two.
func.func @either(%A: !a, %B: !a, %c: i1) {
  %E = arith.select %c, %A, %B : !a
  xfer.enter_data copyin(%A : !a)
  // expected-error @+2 {{cannot be checked: only the run can tell what it does to %A (argument 0) and the table of present arrays}}
  // expected-error @+1 {{cannot be checked: only the run can tell what it does to %B (argument 1) and the table of present arrays}}
  xfer.enter_data copyin(%E : !a)
  return
}

// -----

// Globals, by their names.
memref.global "private" @g : memref<8xf64> = dense<0.0>
func.func private @writes(%x: f64) {
  %c0 = arith.constant 0 : index
  %g = memref.get_global @g : memref<8xf64>
  memref.store %x, %g[%c0] : memref<8xf64>
  return
}
func.func @global(%x: f64) {
  %g = memref.get_global @g : memref<8xf64>
  xfer.enter_data copyin(%g : memref<8xf64>)
  // expected-note @+1 {{written on the host here}}
  func.call @writes(%x) : (f64) -> ()
  // expected-error @+1 {{copies the global @g to the host from the device, where it may be stale}}
  xfer.exit_data copyout(%g : memref<8xf64>)
  return
}
