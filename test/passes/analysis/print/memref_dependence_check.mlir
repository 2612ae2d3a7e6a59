// RUN: terrace-opt %s -test-memref-dependence-check -split-input-file -verify-diagnostics

// MLIR's test of this name holds for this pass too, but for three remarks, whose
// distances are those of a rational relaxation there: an iteration writes element
// (i + 1) mod 2, so that two writes of one element are an even distance apart: 8 at
// most of ten iterations, where the relaxation says 9.
func.func @even_distances() {
  %m = memref.alloc() : memref<2xf32>
  %x = arith.constant 7.0 : f32
  affine.for %i = 0 to 10 {
    affine.store %x, %m[(%i + 1) mod 2] : memref<2xf32>
    // expected-remark@above {{dependence from 0 to 0 at depth 1 = [2, 8]}}
    // expected-remark@above {{dependence from 0 to 0 at depth 2 = false}}
  }
  return
}

// -----

// The second dimension has an even distance as well: -6 to 6, not -7 to 7.
func.func @even_distances_inside() {
  %m = memref.alloc() : memref<2x2xf32>
  %x = arith.constant 7.0 : f32
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      affine.store %x, %m[%i floordiv 4, %j mod 2] : memref<2x2xf32>
      // expected-remark@above {{dependence from 0 to 0 at depth 1 = [1, 3][-6, 6]}}
      // expected-remark@above {{dependence from 0 to 0 at depth 2 = [0, 0][2, 6]}}
      // expected-remark@above {{dependence from 0 to 0 at depth 3 = false}}
    }
  }
  return
}

// -----

// Accesses are numbered through all functions; those of two functions never meet.
func.func @first(%m: memref<8xf32>, %n: index) {
  %x = arith.constant 7.0 : f32
  affine.store %x, %m[%n] : memref<8xf32>
  // expected-remark@above {{dependence from 0 to 0 at depth 1 = false}}
  return
}

func.func @second(%m: memref<8xf32>, %n: index) {
  %x = arith.constant 7.0 : f32
  affine.store %x, %m[%n] : memref<8xf32>
  // expected-remark@above {{dependence from 1 to 1 at depth 1 = false}}
  // expected-remark@above {{dependence from 1 to 2 at depth 1 = true}}
  %0 = affine.load %m[0] : memref<8xf32>
  // expected-remark@above {{dependence from 2 to 1 at depth 1 = false}}
  // expected-remark@above {{dependence from 2 to 2 at depth 1 = false}}
  return
}
