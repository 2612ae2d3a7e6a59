// RUN: terrace-opt %s --split-input-file --verify-diagnostics --apply-schedule

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  // expected-error @+1 {{'schedule.fuse' op is not legal for loop 'i' at line 11 and loop 'j' at line 16: it would reverse the flow dependence on 'A'}}
  %f = schedule.fuse %i, %j
}
func.func @f(%A: memref<?xf32>, %B: memref<?xf32>, %n: index, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to %n {
    // expected-note @+1 {{the store to 'A' in iteration (i = 1), with n = 2}}
    affine.store %x, %A[%i] : memref<?xf32>
  }
  // expected-note @+1 {{this loop}}
  affine.for %j = 0 to %n {
    // expected-note @+1 {{the load from 'A' in iteration (j = 0), which depends on it, would come before it}}
    %a = affine.load %A[%j + 1] : memref<?xf32>
    affine.store %a, %B[%j] : memref<?xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{its dependences allow 1 parts, and the step names 2}}
  %f:2 = schedule.distribute %i into 2
}
func.func @f(%A: memref<?xf32>, %B: memref<?xf32>, %n: index, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 1 to %n {
    %b = affine.load %B[%i - 1] : memref<?xf32>
    affine.store %b, %A[%i] : memref<?xf32>
    %a = affine.load %A[%i] : memref<?xf32>
    affine.store %a, %B[%i] : memref<?xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{it would reverse the flow dependence on 'A'}}
  %f:2 = schedule.distribute %i at [1]
}
func.func @f(%A: memref<?xf32>, %B: memref<?xf32>, %n: index, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 1 to %n {
    // expected-note @+1 {{the load from 'A' in iteration (i = 2), which depends on it, would come before it}}
    %b = affine.load %A[%i - 1] : memref<?xf32>
    affine.store %b, %B[%i] : memref<?xf32>
    // expected-note @+1 {{the store to 'A' in iteration (i = 1), with n = 3}}
    affine.store %x, %A[%i] : memref<?xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{it has 1 statement, counted from 0, and none is number 1}}
  %f:2 = schedule.distribute %i at [1]
}
func.func @f(%A: memref<?xf32>, %n: index, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 1 to %n {
    affine.store %x, %A[%i] : memref<?xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{it runs a multiple of 4 times: nothing is left over}}
  %f:2 = schedule.peel %i remainder 4
}
func.func @f(%A: memref<?xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 8 {
    affine.store %x, %A[%i] : memref<?xf32>
  }
  return
}
