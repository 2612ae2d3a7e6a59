// RUN: terrace-opt %s --convert-affine-for-to-gpu --split-input-file --verify-diagnostics

func.func @dependent_bound(%n: index) {
  affine.for %i = 0 to %n {
    // expected-error@+1 {{'affine.for' op loops with bounds depending on other mapped loops are not supported}}
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      vector.print %j : index
    }
  }
  return
}

// -----

func.func @imperfect(%n: index) {
  // expected-error@+1 {{'affine.for' op expected perfectly nested loops in the body}}
  affine.for %i = 0 to %n {
    vector.print %i : index
    affine.for %j = 0 to %n {
    }
  }
  return
}

// -----

func.func @no_loop(%n: index) {
  // expected-error@+1 {{'affine.for' op expected a nested loop in the body}}
  affine.for %i = 0 to %n {
    vector.print %i : index
  }
  return
}

// -----

func.func @carried(%n: index, %x: f32) -> f32 {
  // expected-error@+1 {{'affine.for' op loops with results are not supported}}
  %r = affine.for %i = 0 to %n iter_args(%s = %x) -> (f32) {
    affine.yield %s : f32
  }
  return %r : f32
}
