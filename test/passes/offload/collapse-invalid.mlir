// RUN: terrace-opt %s -offload-parallelize -split-input-file -verify-diagnostics

func.func @between(%n: index, %a: memref<?xf64>, %b: memref<?x?xf64>, %v: f64) attributes {acc.region = {construct = "parallel"}} {
  // expected-error@+1 {{collapse(2) needs 2 loops directly inside one another, found 1}}
  affine.for %i = 0 to %n {
    // expected-note@+1 {{inside the loop over i this stands beside the next loop, and every iteration would have to do it once}}
    affine.store %v, %a[%i] : memref<?xf64>
    affine.for %j = 0 to %n {
      affine.store %v, %b[%i, %j] : memref<?x?xf64>
    }
  } {acc.loop = {collapse = 2 : i64}}
  return
}

// -----

func.func @too_few(%n: index, %b: memref<?x?xf64>, %v: f64) attributes {acc.region = {construct = "parallel"}} {
  // expected-error@+1 {{collapse(3) needs 3 loops directly inside one another, found 2}}
  affine.for %i = 0 to %n {
    // expected-note@+1 {{there is no loop inside the loop over j}}
    affine.for %j = 0 to %n {
      affine.store %v, %b[%i, %j] : memref<?x?xf64>
    }
  } {acc.loop = {collapse = 3 : i64}}
  return
}

// -----

// A loop inside that did nothing is gone before anybody asks for it.
func.func @nothing_left(%n: index) attributes {acc.region = {construct = "parallel"}} {
  affine.for %i = 0 to %n {
  } {acc.loop = {collapse = 2 : i64}}
  return
}
