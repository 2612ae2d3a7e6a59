// RUN: terrace-opt %s --verify-diagnostics --xfer-check

// Functions that are handed an array and its mirror: what they say of the two is held
// against what they do, and against each call.

!a = memref<8xf32>
!d = memref<8xf32, #xfer.device>

module attributes {gpu.container_module} {
  memref.global @g : !a

  // What is right.

  func.func private @sets(%A: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "device", host = "stale", device = "valid"}}) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    return
  }
  func.func private @gets(%A: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "device", host = "kept", device = "valid"}}) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    return
  }
  func.func private @sets_perhaps(%A: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "none", host = "unknown", device = "unknown", flags}}, %p: i1) {
    scf.if %p {
      xfer.ensure %A, %d on device : !a, !d
      func.call @sets(%A, %d) : (!a, !d) -> ()
      xfer.mark_written %A, %d on device : !a, !d
    }
    return
  }
  func.func @calls(%A: !a, %p: i1, %n: index) -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    call @gets(%A, %d) : (!a, !d) -> ()
    %x = memref.load %A[%c0] : !a
    scf.for %i = %c0 to %n step %c1 {
      func.call @sets(%A, %d) : (!a, !d) -> ()
    }
    xfer.mark_written %A, %d on device : !a, !d
    call @sets_perhaps(%A, %d, %p) : (!a, !d, i1) -> ()
    xfer.ensure %A, %d on host : !a, !d
    return %x : f32
  }

  // Calls that break what the function says.

  func.func @needs(%A: !a) {
    // expected-note @+1 {{the mirror is made here, with nothing in it}}
    %d = xfer.create %A : !a to !d
    // expected-error @+1 {{'func.call' op hands over %A (argument 0), which the function needs to be valid on the device, where it may be stale}}
    call @gets(%A, %d) : (!a, !d) -> ()
    return
  }
  func.func @leaves(%A: !a) -> f32 {
    %c0 = arith.constant 0 : index
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the device here}}
    call @sets(%A, %d) : (!a, !d) -> ()
    // expected-error @+1 {{'memref.load' op reads %A (argument 0) on the host, where it may be stale}}
    %x = memref.load %A[%c0] : !a
    xfer.copy %d to %A : !d to !a
    return %x : f32
  }
  func.func @false_flags(%A: !a, %p: i1) {
    %c0 = arith.constant 0 : index
    %f = arith.constant 1.0 : f32
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-note @+1 {{written on the host here}}
    memref.store %f, %A[%c0] : !a
    // expected-error @+1 {{'func.call' op hands over %A (argument 0) to a function that asks the flags, and they may call it valid on the device, where it is stale}}
    call @sets_perhaps(%A, %d, %p) : (!a, !d, i1) -> ()
    xfer.ensure %A, %d on host : !a, !d
    return
  }
  func.func @left_unknown(%A: !a, %p: i1) {
    %d = xfer.create %A : !a to !d
    call @sets_perhaps(%A, %d, %p) : (!a, !d, i1) -> ()
    // expected-note @-1 {{written on the device here}}
    // expected-error @+1 {{'func.return' op returns while %A (argument 0), which the caller sees, may be stale on the host}}
    return
  }

  // Functions that do not what they say.

  func.func private @not_left_valid(%A: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "device", host = "valid", device = "valid"}}) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-error @+1 {{'func.return' op returns while %A (argument 0) may be stale on the host, where the function says that it leaves it valid}}
    return
  }
  func.func private @not_kept(%A: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "device", host = "kept", device = "valid"}}, %p: i1) {
    %c1 = arith.constant 1 : index
    cf.cond_br %p, ^kernel, ^end
  ^kernel:
    // expected-note @+1 {{written on the device here}}
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    // expected-error @+1 {{'func.return' op returns while %A (argument 0) may be stale on the host, where the function says that it leaves it valid}}
    return
  ^end:
    return
  }
  func.func private @needs_more(%A: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "host", host = "valid", device = "unknown"}}) {
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{'gpu.launch_func' op reads %A (argument 0) on the device, where it may be stale}}
    gpu.launch_func @k::@get blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : !d)
    return
  }
  func.func private @flags_not_kept(%A: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "device", host = "stale", device = "valid", flags}}) {
    // expected-note @+1 {{written on the device here}}
    call @sets(%A, %d) : (!a, !d) -> ()
    // expected-error @+1 {{'func.return' op returns while the flags may call %A (argument 0) valid on the host, where it is stale; the function says that it keeps them true}}
    return
  }
  func.func private @asks_without_a_word(%A: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "host", host = "valid", device = "unknown"}}) {
    xfer.mark_written %A, %d on host : !a, !d
    // expected-error @+1 {{'xfer.ensure' op asks the flags about %A (argument 0), whose mirror the function is handed without a word of 'flags'}}
    xfer.ensure %A, %d on device : !a, !d
    return
  }
  func.func private @frees(%A: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "host", host = "valid", device = "unknown"}}) {
    // expected-note @+1 {{the mirror is freed here}}
    xfer.free %d : !d
    // expected-error @+1 {{'func.return' op returns after %A (argument 0) or its mirror, which belong to the caller, was freed}}
    return
  }

  // Pairs that are none, or not known.

  func.func private @two(%A: !a, %B: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "device", host = "stale", device = "valid"}}) -> f32 {
    %c0 = arith.constant 0 : index
    call @sets(%A, %d) : (!a, !d) -> ()
    %x = memref.load %B[%c0] : !a
    return %x : f32
  }
  func.func @twice(%A: !a) -> f32 {
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-error @+1 {{'func.call' op hands over %A (argument 0) and its mirror, which the function may know by another name, too; it takes them for different memory}}
    %x = call @two(%A, %A, %d) : (!a, !a, !d) -> f32
    xfer.copy %d to %A : !d to !a
    return %x : f32
  }
  func.func private @knows_g(%A: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "device", host = "kept", device = "valid"}}) -> f32 {
    %c0 = arith.constant 0 : index
    call @gets(%A, %d) : (!a, !d) -> ()
    %G = memref.get_global @g : !a
    %x = memref.load %G[%c0] : !a
    return %x : f32
  }
  func.func @by_name() -> f32 {
    %G = memref.get_global @g : !a
    %d = xfer.create %G : !a to !d
    xfer.copy %G to %d : !a to !d
    // expected-error @+1 {{'func.call' op hands over the global @g and its mirror, which the function may know by another name, too}}
    %x = call @knows_g(%G, %d) : (!a, !d) -> f32
    return %x : f32
  }
  func.func @other_mirror(%A: !a, %B: !a) {
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-error @+1 {{'func.call' op hands over %B (argument 1) with a buffer that is not, as a whole, the mirror of all of it}}
    call @gets(%B, %d) : (!a, !d) -> ()
    return
  }
  func.func private @elsewhere(%A: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "device", host = "kept", device = "valid"}})
  func.func @to_elsewhere(%A: !a) {
    %d = xfer.create %A : !a to !d
    xfer.copy %A to %d : !a to !d
    // expected-error @+1 {{'func.call' op hands over %A (argument 0) and its mirror to a function that has no body; what it does to them cannot be checked}}
    call @elsewhere(%A, %d) : (!a, !d) -> ()
    return
  }
  func.func private @again(%A: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "device", host = "kept", device = "valid"}}) {
    // expected-error @+1 {{'func.call' op hands over %A (argument 0) and its mirror to a function that calls itself; what it does to them cannot be checked}}
    call @again(%A, %d) : (!a, !d) -> ()
    return
  }

  // Attributes that say nothing.

  // expected-error @+1 {{'func.func' op has 'xfer.mirror' on argument 1, which is no {of = 0 : index, needs = "host", host = "valid", device = "unknown"}}}
  func.func private @no_dictionary(%A: !a, %d: !d {xfer.mirror = 0 : index}) {
    return
  }
  // expected-error @+1 {{'func.func' op has 'xfer.mirror' on argument 1, which does not say 'of' which other argument, by its number, it is the mirror}}
  func.func private @of_what(%A: !a, %d: !d {xfer.mirror = {of = 1 : index, needs = "host", host = "valid", device = "unknown"}}) {
    return
  }
  // expected-error @+1 {{'func.func' op has 'xfer.mirror' on argument 1, which makes 'memref<8xf32>' a mirror of 'memref<8xf32>': it must lie on a device, the array on the host, both row-major with the same elements and shape}}
  func.func private @no_mirror(%A: !a, %d: !a {xfer.mirror = {of = 0 : index, needs = "host", host = "valid", device = "unknown"}}) {
    return
  }
  // expected-error @+1 {{'func.func' op has 'xfer.mirror' on argument 1, which must say what it 'needs': none, host, device or both}}
  func.func private @needs_what(%A: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "all", host = "valid", device = "unknown"}}) {
    return
  }
  // expected-error @+1 {{'func.func' op has 'xfer.mirror' on argument 1, which must say how it leaves the device: valid, stale, kept or unknown}}
  func.func private @leaves_what(%A: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "host", host = "valid"}}) {
    return
  }
  // expected-error @+1 {{'func.func' op has 'xfer.mirror' on argument 1, which has an entry 'flag'; there are of, needs, host, device and flags}}
  func.func private @entry(%A: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "host", host = "valid", device = "unknown", flag}}) {
    return
  }
  // expected-error @+1 {{'func.func' op has mirrors of argument 0 in the arguments 1 and 2; a function takes one mirror of an array}}
  func.func private @two_mirrors(%A: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "host", host = "valid", device = "unknown"}}, %e: !d {xfer.mirror = {of = 0 : index, needs = "host", host = "valid", device = "unknown"}}) {
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
