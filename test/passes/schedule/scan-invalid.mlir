// RUN: terrace-opt %s --split-input-file --verify-diagnostics --apply-schedule

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{'schedule.scan' op cannot be done to loop 'i' at line 10: its carried value is a float, and a scan rounds it otherwise; if it may, write '{reassociate}'}}
  %s:3 = schedule.scan %i by 8
}
func.func @f(%A: memref<64xf32>, %s: f32) -> f32 {
  // expected-note @+1 {{this loop}}
  %r = affine.for %i = 0 to 64 iter_args(%x = %s) -> (f32) {
    %a = affine.load %A[%i] : memref<64xf32>
    %y = arith.addf %x, %a : f32
    affine.yield %y : f32
  }
  return %r : f32
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{'arith.mulf' makes of the carried value x something else than a * x + b}}
  %s:3 = schedule.scan %i by 8 {reassociate}
}
func.func @f(%s: f32) -> f32 {
  // expected-note @+1 {{this loop}}
  %r = affine.for %i = 0 to 64 iter_args(%x = %s) -> (f32) {
    // expected-note @+1 {{this is in the way}}
    %y = arith.mulf %x, %x : f32
    affine.yield %y : f32
  }
  return %r : f32
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{carries no value; where it hands one on through an array, put that in a register first with 'schedule.promote'}}
  %s:3 = schedule.scan %i by 8 {reassociate}
}
func.func @f(%A: memref<64xf32>, %k: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 1 to 64 {
    %a = affine.load %A[%i - 1] : memref<64xf32>
    %b = arith.mulf %a, %k : f32
    affine.store %b, %A[%i] : memref<64xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{carries 2 values, and a scan is of one}}
  %s:3 = schedule.scan %i by 8 {reassociate}
}
func.func @f(%s: f32) -> (f32, f32) {
  // expected-note @+1 {{this loop}}
  %r:2 = affine.for %i = 0 to 64 iter_args(%x = %s, %z = %s) -> (f32, f32) {
    %y = arith.addf %x, %z : f32
    affine.yield %z, %y : f32, f32
  }
  return %r#0, %r#1 : f32, f32
}

// -----

// What is added is what the loop stored four iterations before.

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{a coefficient is read from memory that the loop writes, so that it cannot be known before}}
  %s:3 = schedule.scan %i by 8
}
func.func @f(%A: memref<64xi32>, %s: i32) -> i32 {
  // expected-note @+1 {{this loop}}
  %r = affine.for %i = 4 to 64 iter_args(%x = %s) -> (i32) {
    // expected-note @+1 {{this is in the way}}
    %a = affine.load %A[%i - 4] : memref<64xi32>
    %y = arith.addi %x, %a : i32
    affine.store %y, %A[%i] : memref<64xi32>
    affine.yield %y : i32
  }
  return %r : i32
}

// -----

schedule.sequence @s on @f {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{a coefficient is computed by 'func.call', which may do more than compute and cannot run twice}}
  %s:3 = schedule.scan %i by 8
}
func.func private @next() -> i32
func.func @f(%s: i32) -> i32 {
  // expected-note @+1 {{this loop}}
  %r = affine.for %i = 0 to 64 iter_args(%x = %s) -> (i32) {
    // expected-note @+1 {{this is in the way}}
    %a = func.call @next() : () -> i32
    %y = arith.addi %x, %a : i32
    affine.yield %y : i32
  }
  return %r : i32
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{is not computed from that of the iteration before}}
  %s:3 = schedule.scan %i by 8 {reassociate}
}
func.func @f(%A: memref<64xf32>, %s: f32) -> f32 {
  // expected-note @+1 {{this loop}}
  %r = affine.for %i = 0 to 64 iter_args(%x = %s) -> (f32) {
    affine.store %x, %A[%i] : memref<64xf32>
    %a = affine.load %A[%i] : memref<64xf32>
    affine.yield %a : f32
  }
  return %r : f32
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{'schedule.scan' op has the number of iterations of a block 0, but it must be 1 or more}}
  %s:3 = schedule.scan %i by 0
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{a condition in loop 'i' at line }}
  %s:3 = schedule.scan %i by 8 {reassociate}
}
func.func @f(%A: memref<64xf32>, %C: memref<64xi1>, %s: f32) -> f32 {
  // expected-note @+1 {{this loop}}
  %r = affine.for %i = 0 to 64 iter_args(%x = %s) -> (f32) {
    %a = affine.load %A[%i] : memref<64xf32>
    %c = affine.load %C[%i] : memref<64xi1>
    %t = arith.addf %x, %a : f32
    %y = arith.select %c, %a, %t : f32
    affine.yield %y : f32
  }
  return %r : f32
}
