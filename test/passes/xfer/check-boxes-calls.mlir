// RUN: terrace-opt %s --xfer-check --split-input-file --verify-diagnostics

// What a function that is called touches is held against the boxes of its caller.

!a = memref<64xf32>
!d = memref<64xf32, #xfer.device>
!pa = memref<16xf32, strided<[1], offset: 4>>
!pd = memref<16xf32, strided<[1], offset: 4>, #xfer.device>

module {
  // Elements %from to %to; what it says of the array holds of these.
  func.func private @span(%A: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "device", host = "stale", device = "valid"}}, %from: index, %to: index) {
    %c1 = arith.constant 1 : index
    scf.for %k = %from to %to step %c1 {
      gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
          threads(%t, %ty, %tz) in (%nt = %c1, %nty = %c1, %ntz = %c1) {
        %x = memref.load %d[%k] : !d
        memref.store %x, %d[%k] : !d
        gpu.terminator
      }
    }
    return
  }
  // The same behind another function, and one element on.
  func.func private @next(%A: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "device", host = "stale", device = "valid"}}, %from: index, %to: index) {
    %c1 = arith.constant 1 : index
    %low = arith.addi %from, %c1 : index
    %high = arith.addi %to, %c1 : index
    call @span(%A, %d, %low, %high) : (!a, !d, index, index) -> ()
    return
  }
  func.func private @fifth(%A: !a) -> f32 {
    %c5 = arith.constant 5 : index
    %x = memref.load %A[%c5] : !a
    return %x : f32
  }
  func.func private @sixtieth(%A: !a) -> f32 {
    %c60 = arith.constant 60 : index
    %x = memref.load %A[%c60] : !a
    return %x : f32
  }

  func.func @inside(%A: !a) -> f32 {
    %c4 = arith.constant 4 : index
    %c20 = arith.constant 20 : index
    %d = xfer.create %A : !a to !d
    %a1 = memref.subview %A[4] [16] [1] : !a to !pa
    %d1 = memref.subview %d[4] [16] [1] : !d to !pd
    xfer.copy %a1 to %d1 : !pa to !pd
    call @span(%A, %d, %c4, %c20) : (!a, !d, index, index) -> ()
    // Nobody wrote that one.
    %y = call @sixtieth(%A) : (!a) -> f32
    xfer.copy %d1 to %a1 : !pd to !pa
    %x = call @fifth(%A) : (!a) -> f32
    return %x : f32
  }

  func.func @beyond(%A: !a) {
    %c4 = arith.constant 4 : index
    %c20 = arith.constant 20 : index
    // expected-note @+1 {{the mirror is made here, with nothing in it}}
    %d = xfer.create %A : !a to !d
    %a1 = memref.subview %A[4] [16] [1] : !a to !pa
    %d1 = memref.subview %d[4] [16] [1] : !d to !pd
    xfer.copy %a1 to %d1 : !pa to !pd
    // expected-error @+1 {{'func.call' op hands over %A (argument 0), which the function needs to be valid on the device, where it may be stale}}
    call @next(%A, %d, %c4, %c20) : (!a, !d, index, index) -> ()
    xfer.copy %d to %A : !d to !a
    return
  }

  func.func @not_back(%A: !a) -> f32 {
    %c4 = arith.constant 4 : index
    %c20 = arith.constant 20 : index
    %d = xfer.create %A : !a to !d
    %a1 = memref.subview %A[4] [16] [1] : !a to !pa
    %d1 = memref.subview %d[4] [16] [1] : !d to !pd
    xfer.copy %a1 to %d1 : !pa to !pd
    // expected-note @+1 {{written on the device here}}
    call @span(%A, %d, %c4, %c20) : (!a, !d, index, index) -> ()
    // expected-error @+1 {{'func.call' op reads %A (argument 0) on the host, where it may be stale}}
    %x = call @fifth(%A) : (!a) -> f32
    xfer.copy %d1 to %a1 : !pd to !pa
    return %x : f32
  }

  // Where the bounds are not known it may be any element.
  func.func @anywhere(%A: !a, %n: index) {
    %c4 = arith.constant 4 : index
    // expected-note @+1 {{the mirror is made here, with nothing in it}}
    %d = xfer.create %A : !a to !d
    %a1 = memref.subview %A[4] [16] [1] : !a to !pa
    %d1 = memref.subview %d[4] [16] [1] : !d to !pd
    xfer.copy %a1 to %d1 : !pa to !pd
    // expected-error @+1 {{'func.call' op hands over %A (argument 0), which the function needs to be valid on the device, where it may be stale}}
    call @span(%A, %d, %c4, %n) : (!a, !d, index, index) -> ()
    xfer.copy %d to %A : !d to !a
    return
  }
}

// -----

!a = memref<64xf32>
!d = memref<64xf32, #xfer.device>
!pa = memref<16xf32, strided<[1], offset: 4>>
!pd = memref<16xf32, strided<[1], offset: 4>, #xfer.device>

module {
  // It copies the whole, of which the caller has a part.
  func.func private @all_back(%A: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "device", host = "valid", device = "valid"}}) {
    xfer.copy %d to %A : !d to !a
    return
  }
  func.func @part_only(%A: !a) {
    // expected-note @+1 {{the mirror is made here, with nothing in it}}
    %d = xfer.create %A : !a to !d
    %a1 = memref.subview %A[4] [16] [1] : !a to !pa
    %d1 = memref.subview %d[4] [16] [1] : !d to !pd
    xfer.copy %a1 to %d1 : !pa to !pd
    // expected-error @+1 {{'func.call' op hands over %A (argument 0), which the function needs to be valid on the device, where it may be stale}}
    call @all_back(%A, %d) : (!a, !d) -> ()
    return
  }

  // It copies that part.
  func.func private @part_back(%A: !a, %d: !d {xfer.mirror = {of = 0 : index, needs = "device", host = "kept", device = "valid"}}) {
    %a1 = memref.subview %A[4] [16] [1] : !a to !pa
    %d1 = memref.subview %d[4] [16] [1] : !d to !pd
    xfer.copy %d1 to %a1 : !pd to !pa
    return
  }
  func.func @same_part(%A: !a) {
    %d = xfer.create %A : !a to !d
    %a1 = memref.subview %A[4] [16] [1] : !a to !pa
    %d1 = memref.subview %d[4] [16] [1] : !d to !pd
    xfer.copy %a1 to %d1 : !pa to !pd
    call @part_back(%A, %d) : (!a, !d) -> ()
    return
  }
}
