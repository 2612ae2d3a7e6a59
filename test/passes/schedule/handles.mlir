// RUN: terrace-opt %s --split-input-file --verify-diagnostics --apply-schedule=check=false

// A loop that a step about another one did away with.

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  // expected-note @+1 {{it went in this step}}
  %t:4 = schedule.tile %i sizes [2, 2]
  // expected-error @+1 {{'schedule.unroll' op is for loop 'j' at line 15, which is no longer there}}
  schedule.unroll %j full
}
func.func @f(%m: memref<4x4xf32>, %x: f32) {
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 4 {
      affine.store %x, %m[%i, %j] : memref<4x4xf32>
    }
  }
  return
}

// -----

// One that is still there, in what the step made.

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  %t:2 = schedule.tile %i sizes [2]
  schedule.unroll %j full
}
func.func @f(%m: memref<4x4xf32>, %x: f32) {
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 4 {
      affine.store %x, %m[%i, %j] : memref<4x4xf32>
    }
  }
  return
}

// -----

// A parallel loop is no loop whose order could be changed.

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %p = schedule.parallel %i
  // expected-error @+1 {{'schedule.tile' op cannot be done to loop 'i' at line 53: it is parallel already, and this step is for sequential loops; do this step first}}
  %t:2 = schedule.tile %p sizes [2]
}
func.func @f(%m: memref<4xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 4 {
    affine.store %x, %m[%i] : memref<4xf32>
  }
  return
}
