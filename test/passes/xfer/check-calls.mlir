// RUN: terrace-opt %s --verify-diagnostics --xfer-check

// Calls: what a function does is looked up, what is not known may be anything.

!a = memref<8xf32>
!d = memref<8xf32, #xfer.device>

module attributes {gpu.container_module} {
  memref.global @g : !a

  func.func private @unknown()
  func.func private @unknown_with(%B: !a)
  func.func private @reads(%B: !a) -> f32 {
    %c0 = arith.constant 0 : index
    %x = memref.load %B[%c0] : !a
    return %x : f32
  }
  func.func private @writes(%B: !a, %x: f32) {
    %c0 = arith.constant 0 : index
    memref.store %x, %B[%c0] : !a
    return
  }
  func.func private @reads_through(%B: !a) -> f32 {
    %x = call @reads(%B) : (!a) -> f32
    return %x : f32
  }
  func.func private @nothing(%B: !a) -> index {
    %c0 = arith.constant 0 : index
    %n = memref.dim %B, %c0 : !a
    return %n : index
  }
  func.func private @reads_global() -> f32 {
    %c0 = arith.constant 0 : index
    %B = memref.get_global @g : !a
    %x = memref.load %B[%c0] : !a
    return %x : f32
  }
  func.func private @again(%B: !a, %n: index) {
    call @again(%B, %n) : (!a, index) -> ()
    return
  }
  func.func private @launches(%e: !d) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%e : !d)
    return
  }
  func.func private @gives_up(%B: !a) {
    xfer.discard %B : !a
    return
  }

  func.func @known(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    %n = call @nothing(%A) : (!a) -> index
    // expected-error @+1 {{'func.call' op reads %A (argument 0) on the host, where it may be stale}}
    %x = call @reads_through(%A) : (!a) -> f32
    xfer.copy %d to %A : !d to !a
    return
  }

  func.func @writer(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the host here}}
    call @writes(%A, %f) : (!a, f32) -> ()
    // expected-error @+1 {{reads %A (argument 0) on the device}}
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    return
  }

  // Whoever is unknown may reach the arguments, though they are not handed on.
  func.func @anything(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-error @+1 {{'func.call' op reads %A (argument 0) on the host, where it may be stale}}
    call @unknown() : () -> ()
    return
  }

  // An array of the function's own is out of reach, until it is handed over.
  func.func @out_of_reach() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %A = memref.alloc() : !a
    %d = xfer.create %A : !a to !d
    xfer.discard %A : !a
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    call @unknown() : () -> ()
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    return
  }
  func.func @handed_over() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %A = memref.alloc() : !a
    memref.store %f, %A[%c0] : !a
    call @unknown_with(%A) : (!a) -> ()
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-error @+1 {{'func.call' op reads %A on the host, where it may be stale}}
    call @unknown() : () -> ()
    return
  }

  func.func @global() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %A = memref.get_global @g : !a
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-error @+1 {{'func.call' op reads the global @g on the host}}
    %x = call @reads_global() : () -> f32
    xfer.copy %d to %A : !d to !a
    return
  }

  func.func @recursion(%A: !a, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-error @+1 {{'func.call' op reads %A (argument 0) on the host}}
    call @again(%A, %n) : (!a, index) -> ()
    return
  }

  // A function that is handed the mirror may launch kernels on it.
  func.func @kernel_in_a_function(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    call @launches(%d) : (!d) -> ()
    // expected-error @+1 {{reads %A (argument 0) on the host}}
    %x = memref.load %A[%c0] : !a
    return
  }

  // It may have set the flags, too.
  func.func @flags_in_a_function(%A: !a) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the host here}}
    call @gives_up(%A) : (!a) -> ()
    // expected-note @+1 {{nothing is copied here: the flags say that the array is valid on the device}}
    xfer.ensure %A, %d on device : !a, !d
    // expected-error @+1 {{reads %A (argument 0) on the device}}
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    return
  }

  func.func @through_a_value(%A: !a, %p: (!a) -> ()) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-error @+1 {{'func.call_indirect' op reads %A (argument 0) on the host}}
    call_indirect %p(%A) : (!a) -> ()
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
