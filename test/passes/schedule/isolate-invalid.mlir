// RUN: terrace-opt %s --split-input-file --verify-diagnostics --apply-schedule

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{'schedule.isolate' op cannot be done to loop 'i' at line 10: nothing goes from one iteration of loop 'i' at line 10 to another}}
  %p:2 = schedule.isolate %i into 2
}
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
  // expected-error @+1 {{everything in loop 'i' at line 25 goes from iteration to iteration, so that there is nothing to part from it}}
  %p:2 = schedule.isolate %i into 2
}
func.func @f(%A: memref<64xf32>) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 1 to 64 {
    %a = affine.load %A[%i - 1] : memref<64xf32>
    affine.store %a, %A[%i] : memref<64xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{it makes 2 loops, and the step names 3}}
  %p:3 = schedule.isolate %i into 3
}
func.func @f(%A: memref<64xf32>, %x: f32) -> f32 {
  // expected-note @+1 {{this loop}}
  %r = affine.for %i = 0 to 64 iter_args(%y = %x) -> (f32) {
    %a = affine.load %A[%i] : memref<64xf32>
    %b = math.exp %a : f32
    %c = arith.addf %y, %b : f32
    affine.yield %c : f32
  }
  return %r : f32
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{'schedule.isolate' op makes 4 loops, but there can only be 2 or 3}}
  schedule.isolate %i into 4
}
func.func @f() {
  return
}
