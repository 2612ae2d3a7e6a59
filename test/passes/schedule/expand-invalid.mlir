// RUN: terrace-opt %s --split-input-file --verify-diagnostics --apply-schedule

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{'schedule.expand' op is not legal for loop 'i' at line 12: an iteration may read an element of 't' that it has not written before itself}}
  %e = schedule.expand %i array "t"
}
func.func @f(%A: memref<64xf32>) {
  // expected-note @+1 {{this is the array}}
  %t = memref.alloc() : memref<f32>
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 64 {
    // expected-note @+1 {{and a later one reads it here}}
    %a = affine.load %t[] : memref<f32>
    affine.store %a, %A[%i] : memref<64xf32>
    // expected-note @+1 {{one iteration writes it here}}
    affine.store %a, %t[] : memref<f32>
  }
  return
}

// -----

// Written under a condition, read without.

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{an iteration may read an element of 't' that it has not written before itself}}
  %e = schedule.expand %i array "t"
}
func.func @f(%A: memref<64xf32>, %x: f32) {
  // expected-note @+1 {{this is the array}}
  %t = memref.alloc() : memref<f32>
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 64 {
    affine.if affine_set<(d0) : (d0 - 8 >= 0)>(%i) {
      // expected-note @+1 {{one iteration writes it here}}
      affine.store %x, %t[] : memref<f32>
    }
    // expected-note @+1 {{and a later one reads it here}}
    %a = affine.load %t[] : memref<f32>
    affine.store %a, %A[%i] : memref<64xf32>
  }
  return
}

// -----

// Not all of it is written by the last iteration.

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{'t' is used behind it, and it is not known that every iteration writes all of it}}
  %e = schedule.expand %i array "t"
}
// expected-note @+1 {{this is the array}}
func.func @f(%A: memref<64xf32>, %t: memref<8xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 7 {
      affine.store %x, %t[%j] : memref<8xf32>
    }
    %a = affine.load %t[3] : memref<8xf32>
    affine.store %a, %A[%i] : memref<64xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{'t' is used behind it, so that its iterations cannot allocate it; leave out 'private' for the last one's to be copied back}}
  %e = schedule.expand %i array "t" private
}
func.func @f(%A: memref<64xf32>, %t: memref<f32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 64 {
    affine.store %x, %t[] : memref<f32>
    %a = affine.load %t[] : memref<f32>
    affine.store %a, %A[%i] : memref<64xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{'A' that it has not written before itself}}
  %e = schedule.expand %i array "A"
}
// expected-note @+1 {{this is the array}}
func.func @f(%A: memref<64xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 64 {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{the iterations of loop 'i' at line 112 cannot be numbered: it has several lower bounds, of which the greatest counts}}
  %e = schedule.expand %i array "t"
}
func.func @f(%A: memref<64xf32>, %x: f32, %n: index, %m: index) {
  %t = memref.alloc() : memref<f32>
  // expected-note @+1 {{this loop}}
  affine.for %i = max affine_map<()[s0, s1] -> (s0, s1)>()[%n, %m] to 64 {
    affine.store %x, %t[] : memref<f32>
    %a = affine.load %t[] : memref<f32>
    affine.store %a, %A[%i] : memref<64xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{'schedule.vectorize' op is not legal for loop 'i' at line 129: iterations would run at once that the flow dependence on 'A' puts in order}}
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

// -----

// At one's own risk: then it is copied back from the last iteration, as if that had
// written all of it.

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-warning @+1 {{'t' is used behind it, and it is not known that every iteration writes all of it}}
  %e = schedule.expand %i array "t" {force}
}
// expected-note @+1 {{this is the array}}
func.func @f(%A: memref<64xf32>, %t: memref<8xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 64 {
    affine.store %x, %t[3] : memref<8xf32>
    %a = affine.load %t[3] : memref<8xf32>
    affine.store %a, %A[%i] : memref<64xf32>
  }
  return
}
