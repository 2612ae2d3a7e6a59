// RUN: terrace-opt %s --xfer-check --verify-diagnostics

// A function that is handed a section of an array counts from where the section begins.

!a = memref<64xf32>
!d = memref<64xf32, #xfer.device>
!pa = memref<16xf32, strided<[1], offset: 4>>
!pd = memref<16xf32, strided<[1], offset: 4>, #xfer.device>
!section = memref<16xf32, strided<[1], offset: 8>>

module {
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
  func.func private @first(%A: !section) -> f32 {
    %c0 = arith.constant 0 : index
    %x = memref.load %A[%c0] : !section
    return %x : f32
  }
  func.func private @eighth(%A: !a) -> f32 {
    %s = memref.subview %A[8] [16] [1] : !a to !section
    %x = call @first(%s) : (!section) -> f32
    return %x : f32
  }
  func.func @f(%A: !a) -> f32 {
    %c4 = arith.constant 4 : index
    %c20 = arith.constant 20 : index
    %d = xfer.create %A : !a to !d
    %a1 = memref.subview %A[4] [16] [1] : !a to !pa
    %d1 = memref.subview %d[4] [16] [1] : !d to !pd
    xfer.copy %a1 to %d1 : !pa to !pd
    // expected-note @+1 {{written on the device here}}
    call @span(%A, %d, %c4, %c20) : (!a, !d, index, index) -> ()
    // expected-error @+1 {{'func.call' op reads %A (argument 0) on the host, where it may be stale}}
    %x = call @eighth(%A) : (!a) -> f32
    xfer.copy %d1 to %a1 : !pd to !pa
    xfer.free %d : !d
    return %x : f32
  }
}
