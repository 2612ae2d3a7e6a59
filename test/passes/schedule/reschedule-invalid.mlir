// RUN: terrace-opt %s --split-input-file --verify-diagnostics --apply-schedule

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{'schedule.reschedule' op is not legal for loop 'i' at line 10: it would reverse the flow dependence on 'A'}}
  schedule.reschedule %i to [affine_map<(i) -> (-i)>]
}
func.func @f(%A: memref<100xf32>) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 2 to 100 {
    // expected-note @+1 {{the load from 'A' in iteration (i = 3), which depends on it, would come before it}}
    %a = affine.load %A[%i - 1] : memref<100xf32>
    // expected-note @+1 {{the store to 'A' in iteration (i = 2)}}
    affine.store %a, %A[%i] : memref<100xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{cannot be done to loop 'i' at line 28: it has times for 2 statements, but there are 1}}
  schedule.reschedule %i to [affine_map<(i) -> (-i)>, affine_map<(i) -> (i)>]
}
func.func @f(%A: memref<100xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 2 to 100 {
    affine.store %x, %A[%i] : memref<100xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{it has a time of 2 loop variables for statement 0, which is in 1 loops}}
  schedule.reschedule %i to [affine_map<(i, j) -> (j)>]
}
func.func @f(%A: memref<100xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 2 to 100 {
    affine.store %x, %A[%i] : memref<100xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{the times of statement 0 are not affine}}
  schedule.reschedule %i to [affine_map<(i) -> (i mod 0)>]
}
func.func @f(%A: memref<100xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 2 to 100 {
    affine.store %x, %A[%i] : memref<100xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{the iterations to put in order are not known: a bound of the loop is not affine}}
  schedule.reschedule %i to [affine_map<(i, j) -> (j, i)>]
}
func.func @f(%A: memref<100xf32>, %x: f32, %n: index) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 2 to 100 {
    // expected-note @+1 {{this is in the way}}
    affine.for %j = 0 to affine_map<(i)[n] -> (i mod n)>(%i)[%n] {
      affine.store %x, %A[%i] : memref<100xf32>
    }
  }
  return
}
