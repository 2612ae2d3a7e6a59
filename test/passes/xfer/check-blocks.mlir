// RUN: terrace-opt %s --verify-diagnostics --xfer-check

// Blocks that branch to each other.

!a = memref<8xf32>
!d = memref<8xf32, #xfer.device>

module attributes {gpu.container_module} {
  func.func @joined(%A: !a, %p: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-note @+1 {{where the condition of this branch does not hold}}
    cf.cond_br %p, ^copied, ^end
  ^copied:
    xfer.copy %d to %A : !d to !a
    cf.br ^end
  ^end:
    // expected-error @+1 {{reads %A (argument 0) on the host}}
    %x = memref.load %A[%c0] : !a
    return
  }

  // Out early, before the copy.
  func.func @early(%A: !a, %p: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-note @+1 {{where the condition of this branch holds}}
    cf.cond_br %p, ^out, ^on
  ^out:
    // expected-error @+1 {{returns while %A (argument 0)}}
    return
  ^on:
    xfer.copy %d to %A : !d to !a
    return
  }

  func.func @loop(%A: !a, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    cf.br ^head(%c0 : index)
  ^head(%i: index):
    // expected-error @+1 {{reads %A (argument 0) on the host}}
    %x = memref.load %A[%c0] : !a
    %more = arith.cmpi slt, %i, %n : index
    cf.cond_br %more, ^body, ^end
  ^body:
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    %next = arith.addi %i, %c1 : index
    cf.br ^head(%next : index)
  ^end:
    return
  }

  func.func @switch(%A: !a, %n: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    // expected-note @+1 {{the mirror is made here}}
    %d = xfer.create %A : !a to !d
    // expected-note @+1 {{to case 0 of this switch}}
    cf.switch %n : i32, [
      default: ^copied,
      7: ^end
    ]
  ^copied:
    xfer.copy %A to %d : !a to !d
    cf.br ^end
  ^end:
    // expected-error @+1 {{reads %A (argument 0) on the device}}
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    return
  }

  func.func @inside_a_region(%A: !a, %p: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    scf.execute_region {
      cf.cond_br %p, ^set, ^end
    ^set:
      // expected-note @+1 {{written on the device here}}
      gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
      cf.br ^end
    ^end:
      scf.yield
    }
    // expected-error @+1 {{reads %A (argument 0) on the host}}
    %x = memref.load %A[%c0] : !a
    return
  }

  // A block that nothing leads to.
  func.func @dead(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    xfer.copy %d to %A : !d to !a
    return
  ^dead:
    %x = memref.load %A[%c0] : !a
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
