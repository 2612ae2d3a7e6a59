// RUN: terrace-opt %s --split-input-file --verify-diagnostics --apply-schedule

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{how often it runs is no constant, so that it cannot be unrolled in full}}
  schedule.unroll %i full
}
func.func @f(%m: memref<?xf32>, %n: index, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to %n {
    affine.store %x, %m[%i] : memref<?xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{10000000 copies of its body would be too many}}
  schedule.unroll %i full
}
func.func @f(%m: memref<?xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 10000000 {
    affine.store %x, %m[%i] : memref<?xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{it runs 3 times, so that unrolled by 4 no loop is left: unroll it in full}}
  %u = schedule.unroll %i by 4
}
func.func @f(%m: memref<?xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 3 {
    affine.store %x, %m[%i] : memref<?xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{its remainder has no affine bounds, or it would become too large}}
  %u = schedule.unroll %i by 4
}
func.func @f(%m: memref<?xf32>, %a: index, %b: index, %c: index, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to min affine_map<()[a, b, c] -> (a, b, c)>()[%a, %b, %c] {
    affine.store %x, %m[%i] : memref<?xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{it has several lower bounds, of which the greatest counts, so that its first iteration is no affine function}}
  %u = schedule.normalize %i
}
func.func @f(%m: memref<?xf32>, %a: index, %b: index, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = max affine_map<()[a, b] -> (a, b)>()[%a, %b] to 10 {
    affine.store %x, %m[%i] : memref<?xf32>
  }
  return
}
