// RUN: terrace-opt %s --split-input-file --verify-diagnostics --apply-schedule

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{'schedule.tile' op cannot be done to loop 'i' at line 10: it takes 3 perfectly nested loops, but there are 2: loop 'j' at line 12 holds more than a loop}}
  %t:6 = schedule.tile %i sizes [2, 2, 2]
}
func.func @f(%m: memref<4x4xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 4 {
    // expected-note @+1 {{this is in the way}}
    affine.for %j = 0 to 4 {
      affine.store %x, %m[%i, %j] : memref<4x4xf32>
    }
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{whole tiles cannot be told apart: a loop has a step other than 1, or no upper bound that is its lower one plus a constant}}
  %t:2 = schedule.tile %i sizes [4] separate
}
func.func @f(%m: memref<?xf32>, %n: index, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to %n step 2 {
    affine.store %x, %m[%i] : memref<?xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{the step of a loop times the size of its tile is too large}}
  %t:2 = schedule.tile %i sizes [1073741824]
}
func.func @f(%m: memref<?xf32>, %n: index, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to %n step 2 {
    affine.store %x, %m[%i] : memref<?xf32>
  }
  return
}

// -----

// Whether a tile of a triangle is whole depends on its rows.

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{whole tiles cannot be told apart}}
  %t:4 = schedule.tile %i sizes [4, 4] separate
}
func.func @f(%m: memref<?x?xf32>, %n: index, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to %n {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to %n {
      affine.store %x, %m[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// The end of a tile would be beyond 64 bits, and the loop over its points run never.

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{'schedule.tile' op has the number 9223372036854775807, but numbers of steps are from -2147483647 to 2147483647}}
  %t:2 = schedule.tile %i sizes [9223372036854775807]
}
func.func @f(%m: memref<?xf32>, %n: index, %x: f32) {
  affine.for %i = 1 to %n {
    affine.store %x, %m[%i] : memref<?xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{'schedule.shift' op has the number -9223372036854775808, but numbers of steps are from -2147483647 to 2147483647}}
  %t = schedule.shift %i by -9223372036854775808
}
func.func @f(%m: memref<?xf32>, %n: index, %x: f32) {
  affine.for %i = 1 to %n {
    affine.store %x, %m[%i] : memref<?xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{'schedule.reschedule' op has the number 4294967296, but numbers of steps are from -2147483647 to 2147483647}}
  schedule.reschedule %i to [affine_map<(i) -> (i * 4294967296)>]
}
func.func @f(%m: memref<?xf32>, %n: index, %x: f32) {
  affine.for %i = 1 to %n {
    affine.store %x, %m[%i] : memref<?xf32>
  }
  return
}
