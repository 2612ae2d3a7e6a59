// RUN: terrace-opt %s --split-input-file --verify-diagnostics --apply-schedule

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{cannot be done to loop 'i' at line 10: its iterations run in order, and threads run at once; let it run in parallel with schedule.parallel first}}
  schedule.map_to_gpu %i block [32]
}
func.func @f(%m: memref<64xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.for %i = 0 to 64 {
    affine.store %x, %m[%i] : memref<64xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{the nest has 1 parallel loops (i), but the order names 2 and the tile has 0 sizes}}
  schedule.map_to_gpu %i order [1, 0] block [32]
}
func.func @f(%m: memref<64xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.parallel (%i) = (0) to (64) {
    affine.store %x, %m[%i] : memref<64xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{blocks have 8 threads along y, but the nest has only 1 parallel loops (i)}}
  schedule.map_to_gpu %i block [32, 8]
}
func.func @f(%m: memref<64xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.parallel (%i) = (0) to (64) {
    affine.store %x, %m[%i] : memref<64xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{no sequential loop fills the nest, inside which tiles could be}}
  schedule.map_to_gpu %i tile [4] inside block [32]
}
func.func @f(%m: memref<64xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.parallel (%i) = (0) to (64) {
    affine.store %x, %m[%i] : memref<64xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{how often it goes round is not known, so that it has no cyclic tiles}}
  schedule.map_to_gpu %i tile [4] cyclic block [32]
}
func.func @f(%m: memref<?xf32>, %n: index, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.store %x, %m[%i] : memref<?xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  // expected-error @+1 {{it is in another parallel loop, and kernels are made of outermost ones}}
  schedule.map_to_gpu %j block [32]
}
func.func @f(%m: memref<64x64xf32>, %x: f32) {
  // expected-note @+1 {{loop 'i' at line 85}}
  affine.parallel (%i) = (0) to (64) {
    // expected-note @+1 {{this loop}}
    affine.parallel (%j) = (0) to (64) {
      affine.store %x, %m[%i, %j] : memref<64x64xf32>
    }
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  schedule.map_reduction %i
  %again = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{a step before has said which kernel it becomes}}
  schedule.map_to_gpu %again block [32]
}
func.func @f(%m: memref<64xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.parallel (%i) = (0) to (64) {
    affine.store %x, %m[%i] : memref<64xf32>
  }
  return
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{it is a reduction across its iterations, which threads do not make}}
  schedule.map_to_gpu %i block [32]
}
func.func @f(%m: memref<64xf32>) -> f32 {
  // expected-note @+1 {{this loop}}
  %s = affine.parallel (%i) = (0) to (64) reduce ("addf") -> (f32) {
    %x = affine.load %m[%i] : memref<64xf32>
    affine.yield %x : f32
  }
  return %s : f32
}

// -----

schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  // expected-error @+1 {{it is parallel already, and matrix products are found in sequential loops}}
  schedule.map_contraction %i
}
func.func @f(%m: memref<64xf32>, %x: f32) {
  // expected-note @+1 {{this loop}}
  affine.parallel (%i) = (0) to (64) {
    affine.store %x, %m[%i] : memref<64xf32>
  }
  return
}
