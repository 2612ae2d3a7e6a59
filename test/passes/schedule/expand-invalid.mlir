// RUN: terrace-opt %s --split-input-file --verify-diagnostics --apply-schedule

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{'schedule.expand' op is not legal for loop 'i' at line 12: an iteration may read from 'T' what it has not written itself}}
  %e = schedule.expand %i array "T"
}
func.func @f(%A: memref<10xf32>) {
  // expected-note @+1 {{this array}}
  %T = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 10 {
    %t = affine.load %T[0] : memref<4xf32>
    affine.store %t, %A[%i] : memref<10xf32>
    affine.store %t, %T[1] : memref<4xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{the array is used outside the loop, too}}
  %e = schedule.expand %i array "T"
}
func.func @f(%A: memref<10xf32>, %x: f32) {
  %T = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 10 {
    affine.store %x, %T[0] : memref<4xf32>
    %t = affine.load %T[0] : memref<4xf32>
    affine.store %t, %A[%i] : memref<10xf32>
  }
  // expected-note @+1 {{this is in the way}}
  %l = affine.load %T[0] : memref<4xf32>
  affine.store %l, %A[0] : memref<10xf32>
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{the array is not allocated by a memref.alloc, so that its size is not for us to choose}}
  %e = schedule.expand %i array "T"
}
// expected-note @+1 {{this is in the way}}
func.func @f(%T: memref<4xf32>, %A: memref<10xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 10 {
    affine.store %x, %T[0] : memref<4xf32>
    %t = affine.load %T[0] : memref<4xf32>
    affine.store %t, %A[%i] : memref<10xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{does not count from 0 by 1, so that its variable is no subscript; normalize it}}
  %e = schedule.expand %i array "T"
}
func.func @f(%A: memref<10xf32>, %x: f32) {
  %T = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{this loop}}
  affine.for %i = 2 to 10 {
    affine.store %x, %T[0] : memref<4xf32>
    %t = affine.load %T[0] : memref<4xf32>
    affine.store %t, %A[%i] : memref<10xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{'schedule.vectorize' op is not legal for loop 'i' at line 86: iterations would run at once that the flow dependence on 'A' puts in order}}
  %v = schedule.vectorize %i by 4
}
func.func @f(%A: memref<64xf32>) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 1 to 61 {
    // expected-note @+1 {{to here in iteration 2}}
    %a = affine.load %A[%i - 1] : memref<64xf32>
    // expected-note @+1 {{from here in iteration 1}}
    affine.store %a, %A[%i] : memref<64xf32>
  }
  return
}
