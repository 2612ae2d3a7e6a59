// RUN: terrace-opt %s --split-input-file --verify-diagnostics --apply-schedule

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
