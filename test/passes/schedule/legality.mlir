// RUN: terrace-opt %s --split-input-file --verify-diagnostics --apply-schedule

// A dependence that runs against one of two loops forbids their interchange.

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{'schedule.permute' op is not legal for loop 'i' at line 12: it would reverse the flow dependence on 'A'}}
  %p:2 = schedule.permute %i order [1, 0]
}
func.func @interchange(%A: memref<?x?xf32>, %n: index) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 1 to %n {
    affine.for %j = 0 to 100 {
      // expected-note @+1 {{the load from 'A' in iteration (i = 2, j = 0), which depends on it, would come before it}}
      %a = affine.load %A[%i - 1, %j + 1] : memref<?x?xf32>
      // expected-note @+1 {{the store to 'A' in iteration (i = 1, j = 1), with n = 3}}
      affine.store %a, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// As they are asked for: at one's own risk.

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-warning @+1 {{'schedule.reverse' op is forced, at your own risk: it is not known to be legal for loop 'i' at line 34: it would reverse the flow dependence on 'A'}}
  %r = schedule.reverse %i {force}
}
func.func @forced(%A: memref<?xf32>, %n: index) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 1 to %n {
    // expected-note @+1 {{the load from 'A' in iteration (i = 2), which depends on it, would come before it}}
    %a = affine.load %A[%i - 1] : memref<?xf32>
    // expected-note @+1 {{the store to 'A' in iteration (i = 1), with n = 3}}
    affine.store %a, %A[%i] : memref<?xf32>
  }
  return
}

// -----

// An iteration that overwrites what one before it has read.

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{iterations would run at once that the anti dependence on 'A' puts in order}}
  %p = schedule.parallel %i
}
func.func @anti(%A: memref<10xf32>) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 9 {
    // expected-note @+1 {{the load from 'A' in iteration (i = 0)}}
    %a = affine.load %A[%i + 1] : memref<10xf32>
    // expected-note @+1 {{the store to 'A' in iteration (i = 1), which depends on it, would run at once with it}}
    affine.store %a, %A[%i] : memref<10xf32>
  }
  return
}

// -----

// An array that only outer iterations share.

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  %p = schedule.parallel %j
  // expected-error @+1 {{iterations would run at once that the output dependence on 'A' puts in order}}
  %q = schedule.parallel %i
}
func.func @output(%A: memref<10xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 9 {
    affine.for %j = 0 to 10 {
      // expected-note @+2 {{the store to 'A' in iteration (i = 0, j = 0)}}
      // expected-note @+1 {{the store to 'A' in iteration (i = 1, j = 0), which depends on it, would run at once with it}}
      affine.store %x, %A[%j] : memref<10xf32>
    }
  }
  return
}

// -----

// What a loop carries is in order, too.

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{it would reverse the value that the loop carries}}
  %p = schedule.reverse %i
}
func.func @carried(%A: memref<10xf32>, %x: f32) -> f32 {
  // expected-note @+1 {{this loop}}
  %r = affine.for %i = 0 to 9 iter_args(%s = %x) -> f32 {
    %a = affine.load %A[%i] : memref<10xf32>
    %t = arith.divf %a, %s : f32
    // expected-note @+2 {{the value that is carried in iteration (i = 0)}}
    // expected-note @+1 {{the value that is carried in iteration (i = 1), which depends on it, would come before it}}
    affine.yield %t : f32
  }
  return %r : f32
}

// -----

// What is not known is feared.

func.func private @g()
schedule.sequence @s on @unknown {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{iterations would run at once that the flow dependence on memory puts in order}}
  %p = schedule.parallel %i
}
func.func @unknown(%A: memref<10xf32>) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 9 {
    // expected-note @+3 {{the 'func.call' in iteration (i = 0)}}
    // expected-note @+2 {{the 'func.call' in iteration (i = 1), which depends on it, would run at once with it}}
    // expected-note @+1 {{this is to be feared because what memory @g touches is not known}}
    func.call @g() : () -> ()
  }
  return
}

// -----

// Where the subscript is not affine, every element may be the one.

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{it would reverse the output dependence on 'A'}}
  %p = schedule.reverse %i
}
func.func @indirect(%A: memref<10xf32>, %B: memref<10xindex>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 9 {
    %b = affine.load %B[%i] : memref<10xindex>
    // expected-note @+3 {{the store to 'A' in iteration (i = 0)}}
    // expected-note @+2 {{the store to 'A' in iteration (i = 1), which depends on it, would come before it}}
    // expected-note @+1 {{this is to be feared because the index is computed by 'affine.load', which is not affine in the loop variables}}
    memref.store %x, %A[%b] : memref<10xf32>
  }
  return
}

// -----

// A loop that only hands what is carried to one inside of it: the sum is that of both.

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{it would reverse the value that the loop carries}}
  %p:2 = schedule.permute %i order [1, 0]
}
func.func @handed_on(%A: memref<8x8xf32>, %x: f32) -> f32 {
  // expected-note @+1 {{this loop}}
  %r = affine.for %i = 0 to 8 iter_args(%s = %x) -> f32 {
    %q = affine.for %j = 0 to 8 iter_args(%t = %s) -> f32 {
      %a = affine.load %A[%i, %j] : memref<8x8xf32>
      %u = arith.divf %a, %t : f32
      // expected-note @+2 {{the value that is carried in iteration (i = 0, j = 1)}}
      // expected-note @+1 {{the value that is carried in iteration (i = 1, j = 0), which depends on it, would come before it}}
      affine.yield %u : f32
    }
    affine.yield %q : f32
  }
  return %r : f32
}

// -----

// What a loop inside of a condition carries is a matter of the condition, which moves as
// a whole.

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %p = schedule.reverse %i
}
func.func @inside_a_condition(%A: memref<8x8xf32>, %B: memref<8xf32>, %x: f32, %c: i1) {
  affine.for %i = 0 to 8 {
    scf.if %c {
      %q = affine.for %j = 0 to 8 iter_args(%t = %x) -> f32 {
        %a = affine.load %A[%i, %j] : memref<8x8xf32>
        %u = arith.addf %t, %a : f32
        affine.yield %u : f32
      }
      affine.store %q, %B[%i] : memref<8xf32>
    }
  }
  return
}
