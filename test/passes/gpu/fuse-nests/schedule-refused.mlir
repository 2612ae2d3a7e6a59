// RUN: terrace-opt %s -apply-schedule -split-input-file -verify-diagnostics -o /dev/null

// The step has to be legal, however little it gains.
func.func @neighbour(%A: memref<64xf32>, %B: memref<64xf32>) {
  // expected-note @+1 {{this loop}}
  affine.parallel (%i) = (1) to (63) {
    %a = affine.load %A[%i] : memref<64xf32>
    affine.store %a, %B[%i] : memref<64xf32>
  }
  // expected-note @+1 {{this loop}}
  affine.parallel (%j) = (1) to (63) {
    %b = affine.load %B[%j - 1] : memref<64xf32>
    affine.store %b, %A[%j] : memref<64xf32>
  }
  return
}
schedule.sequence @s on @neighbour {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  // expected-error @+1 {{cannot be done to loop 'i' at line 6 and loop 'j' at line 11: flow dependence on 'B'}}
  %f = schedule.fuse_nests %i, %j
}

// -----

func.func @between(%A: memref<64xf32>, %B: memref<64xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.parallel (%i) = (0) to (64) {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  %a = affine.load %A[3] : memref<64xf32>
  // expected-note @+1 {{this loop}}
  affine.parallel (%j) = (0) to (64) {
    affine.store %a, %B[%j] : memref<64xf32>
  }
  return
}
schedule.sequence @s on @between {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  // expected-error @+1 {{'affine.load' at line 31 stands between, which may touch the same memory}}
  %f = schedule.fuse_nests %i, %j
}

// -----

func.func @order(%A: memref<64xf32>, %B: memref<64xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.parallel (%i) = (0) to (64) {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  // expected-note @+1 {{this loop}}
  affine.for %j = 0 to 64 {
    affine.store %x, %B[%j] : memref<64xf32>
  }
  return
}
schedule.sequence @s on @order {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  // expected-error @+1 {{its iterations run in order}}
  %f = schedule.fuse_nests %i, %j
}

// -----

func.func @behind(%A: memref<64xf32>, %B: memref<64xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.parallel (%i) = (0) to (64) {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  // expected-note @+1 {{this loop}}
  affine.parallel (%j) = (0) to (64) {
    affine.store %x, %B[%j] : memref<64xf32>
  }
  return
}
schedule.sequence @s on @behind {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  // expected-error @+1 {{the second does not stand behind the first in the same body}}
  %f = schedule.fuse_nests %j, %i
}
