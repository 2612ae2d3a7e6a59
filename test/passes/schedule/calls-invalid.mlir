// RUN: terrace-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect --apply-schedule

schedule.sequence @s on @f {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{'schedule.inline' op cannot be done to loop 'i' at line 10: it holds no call}}
  %l = schedule.inline %i
}
func.func @f(%A: memref<10xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 10 {
    affine.store %x, %A[%i] : memref<10xf32>
  }
  return
}

// -----

schedule.sequence @s on @f {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{the call of '@g' cannot be inlined: it is only declared, without a body}}
  %l = schedule.inline %i
}
// expected-note @+1 {{this function}}
func.func private @g()
func.func @f() {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 10 {
    // expected-note @+1 {{this is in the way}}
    func.call @g() : () -> ()
  }
  return
}

// -----

// Through another function, and back to the one with the loop.

schedule.sequence @s on @f {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{the call of '@f' cannot be inlined: it is recursive}}
  %l = schedule.inline %i
}
func.func private @g() {
  // expected-note @+1 {{this is in the way}}
  func.call @f() : () -> ()
  return
}
// expected-note @+1 {{this function}}
func.func @f() {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 10 {
    func.call @g() : () -> ()
  }
  return
}

// -----

schedule.sequence @s on @f {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{the call of '@g' cannot be inlined: its body has 2 blocks, but a loop's has one}}
  %l = schedule.inline %i
}
// expected-note @+1 {{this function}}
func.func private @g() {
  cf.br ^end
^end:
  return
}
func.func @f() {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 10 {
    // expected-note @+1 {{this is in the way}}
    func.call @g() : () -> ()
  }
  return
}

// -----

schedule.sequence @s on @f {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{the call of '@g' cannot be inlined: 'no_inline' forbids it}}
  %l = schedule.inline %i
}
// expected-note @+1 {{this function}}
func.func private @g() attributes {no_inline} {
  return
}
func.func @f() {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 10 {
    // expected-note @+1 {{this is in the way}}
    func.call @g() : () -> ()
  }
  return
}

// -----

schedule.sequence @s on @f {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{it calls a function that is a value, so that which one is not known}}
  %l = schedule.inline %i
}
func.func @f(%g: () -> ()) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 10 {
    // expected-note @+1 {{this is in the way}}
    func.call_indirect %g() : () -> ()
  }
  return
}

// -----

// At the top of a function, what is loaded is a symbol; in a loop it is not.

schedule.sequence @s on @f {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{the call of '@g' cannot be inlined: its 'affine.store' would not be valid in the loop: }}
  %l = schedule.inline %i
}
func.func private @g(%A: memref<10xf32>, %B: memref<10xindex>, %i: index, %x: f32) {
  %j = affine.load %B[%i] : memref<10xindex>
  // expected-note @+1 {{this is in the way}}
  affine.store %x, %A[%j] : memref<10xf32>
  return
}
func.func @f(%A: memref<10xf32>, %B: memref<10xindex>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 10 {
    func.call @g(%A, %B, %i, %x) : (memref<10xf32>, memref<10xindex>, index, f32) -> ()
  }
  return
}

// -----

schedule.sequence @s on @f {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{'schedule.outline' op cannot be done to loop 'i' at line 149: there is a '@g' already; a function needs a name of its own}}
  schedule.outline %i to @g
}
// expected-note @+1 {{it is here}}
func.func private @g()
func.func @f(%A: memref<10xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 10 {
    affine.store %x, %A[%i] : memref<10xf32>
  }
  return
}

// -----

// The loop inside went along.

schedule.sequence @s on @f {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  // expected-note @+1 {{it went in this step}}
  schedule.outline %i to @g
  // expected-error @+1 {{'schedule.reverse' op is for loop 'j' at line 169, which is no longer there}}
  %r = schedule.reverse %j
}
func.func @f(%A: memref<10x10xf32>, %x: f32) {
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 10 {
      affine.store %x, %A[%i, %j] : memref<10x10xf32>
    }
  }
  return
}

// -----

schedule.sequence @s on @f {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{the call of '@g' cannot be inlined: it holds 'other.op', an op that is not known}}
  %l = schedule.inline %i
}
// expected-note @+1 {{this function}}
func.func private @g() {
  "other.op"() : () -> ()
  return
}
func.func @f() {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 10 {
    // expected-note @+1 {{this is in the way}}
    func.call @g() : () -> ()
  }
  return
}

// -----

schedule.sequence @s on @f {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{the call of '@g' cannot be inlined: its body does not end in a return}}
  %l = schedule.inline %i
}
// expected-note @+1 {{this function}}
func.func private @g() {
  "other.end"() : () -> ()
}
func.func @f() {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 10 {
    // expected-note @+1 {{this is in the way}}
    func.call @g() : () -> ()
  }
  return
}

// -----

// Each function calls the one before it sixteen times.

schedule.sequence @s on @f {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{to inline its calls, 139809 ops would be copied, which is more than 65536; inline in loops inside it}}
  %l = schedule.inline %i
}
func.func private @g0() {
  return
}
func.func private @g1() {
  call @g0() : () -> ()  call @g0() : () -> ()
  call @g0() : () -> ()  call @g0() : () -> ()
  call @g0() : () -> ()  call @g0() : () -> ()
  call @g0() : () -> ()  call @g0() : () -> ()
  call @g0() : () -> ()  call @g0() : () -> ()
  call @g0() : () -> ()  call @g0() : () -> ()
  call @g0() : () -> ()  call @g0() : () -> ()
  call @g0() : () -> ()  call @g0() : () -> ()
  return
}
func.func private @g2() {
  call @g1() : () -> ()  call @g1() : () -> ()
  call @g1() : () -> ()  call @g1() : () -> ()
  call @g1() : () -> ()  call @g1() : () -> ()
  call @g1() : () -> ()  call @g1() : () -> ()
  call @g1() : () -> ()  call @g1() : () -> ()
  call @g1() : () -> ()  call @g1() : () -> ()
  call @g1() : () -> ()  call @g1() : () -> ()
  call @g1() : () -> ()  call @g1() : () -> ()
  return
}
func.func private @g3() {
  call @g2() : () -> ()  call @g2() : () -> ()
  call @g2() : () -> ()  call @g2() : () -> ()
  call @g2() : () -> ()  call @g2() : () -> ()
  call @g2() : () -> ()  call @g2() : () -> ()
  call @g2() : () -> ()  call @g2() : () -> ()
  call @g2() : () -> ()  call @g2() : () -> ()
  call @g2() : () -> ()  call @g2() : () -> ()
  call @g2() : () -> ()  call @g2() : () -> ()
  return
}
func.func private @g4() {
  call @g3() : () -> ()  call @g3() : () -> ()
  call @g3() : () -> ()  call @g3() : () -> ()
  call @g3() : () -> ()  call @g3() : () -> ()
  call @g3() : () -> ()  call @g3() : () -> ()
  call @g3() : () -> ()  call @g3() : () -> ()
  call @g3() : () -> ()  call @g3() : () -> ()
  call @g3() : () -> ()  call @g3() : () -> ()
  call @g3() : () -> ()  call @g3() : () -> ()
  return
}
func.func @f() {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 10 {
    func.call @g4() : () -> ()
  }
  return
}

// -----

// Each function calls the next one.

schedule.sequence @s on @f {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{the call of '@g64' cannot be inlined: it is at the end of more than 64 calls}}
  %l = schedule.inline %i
}
func.func @f() {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 10 {
    func.call @g0() : () -> ()
  }
  return
}
func.func private @g0() { call @g1() : () -> ()  return }
func.func private @g1() { call @g2() : () -> ()  return }
func.func private @g2() { call @g3() : () -> ()  return }
func.func private @g3() { call @g4() : () -> ()  return }
func.func private @g4() { call @g5() : () -> ()  return }
func.func private @g5() { call @g6() : () -> ()  return }
func.func private @g6() { call @g7() : () -> ()  return }
func.func private @g7() { call @g8() : () -> ()  return }
func.func private @g8() { call @g9() : () -> ()  return }
func.func private @g9() { call @g10() : () -> ()  return }
func.func private @g10() { call @g11() : () -> ()  return }
func.func private @g11() { call @g12() : () -> ()  return }
func.func private @g12() { call @g13() : () -> ()  return }
func.func private @g13() { call @g14() : () -> ()  return }
func.func private @g14() { call @g15() : () -> ()  return }
func.func private @g15() { call @g16() : () -> ()  return }
func.func private @g16() { call @g17() : () -> ()  return }
func.func private @g17() { call @g18() : () -> ()  return }
func.func private @g18() { call @g19() : () -> ()  return }
func.func private @g19() { call @g20() : () -> ()  return }
func.func private @g20() { call @g21() : () -> ()  return }
func.func private @g21() { call @g22() : () -> ()  return }
func.func private @g22() { call @g23() : () -> ()  return }
func.func private @g23() { call @g24() : () -> ()  return }
func.func private @g24() { call @g25() : () -> ()  return }
func.func private @g25() { call @g26() : () -> ()  return }
func.func private @g26() { call @g27() : () -> ()  return }
func.func private @g27() { call @g28() : () -> ()  return }
func.func private @g28() { call @g29() : () -> ()  return }
func.func private @g29() { call @g30() : () -> ()  return }
func.func private @g30() { call @g31() : () -> ()  return }
func.func private @g31() { call @g32() : () -> ()  return }
func.func private @g32() { call @g33() : () -> ()  return }
func.func private @g33() { call @g34() : () -> ()  return }
func.func private @g34() { call @g35() : () -> ()  return }
func.func private @g35() { call @g36() : () -> ()  return }
func.func private @g36() { call @g37() : () -> ()  return }
func.func private @g37() { call @g38() : () -> ()  return }
func.func private @g38() { call @g39() : () -> ()  return }
func.func private @g39() { call @g40() : () -> ()  return }
func.func private @g40() { call @g41() : () -> ()  return }
func.func private @g41() { call @g42() : () -> ()  return }
func.func private @g42() { call @g43() : () -> ()  return }
func.func private @g43() { call @g44() : () -> ()  return }
func.func private @g44() { call @g45() : () -> ()  return }
func.func private @g45() { call @g46() : () -> ()  return }
func.func private @g46() { call @g47() : () -> ()  return }
func.func private @g47() { call @g48() : () -> ()  return }
func.func private @g48() { call @g49() : () -> ()  return }
func.func private @g49() { call @g50() : () -> ()  return }
func.func private @g50() { call @g51() : () -> ()  return }
func.func private @g51() { call @g52() : () -> ()  return }
func.func private @g52() { call @g53() : () -> ()  return }
func.func private @g53() { call @g54() : () -> ()  return }
func.func private @g54() { call @g55() : () -> ()  return }
func.func private @g55() { call @g56() : () -> ()  return }
func.func private @g56() { call @g57() : () -> ()  return }
func.func private @g57() { call @g58() : () -> ()  return }
func.func private @g58() { call @g59() : () -> ()  return }
func.func private @g59() { call @g60() : () -> ()  return }
func.func private @g60() { call @g61() : () -> ()  return }
func.func private @g61() { call @g62() : () -> ()  return }
func.func private @g62() { call @g63() : () -> ()  return }
// expected-note @+1 {{this is in the way}}
func.func private @g63() { call @g64() : () -> ()  return }
// expected-note @+1 {{this function}}
func.func private @g64() { return }
