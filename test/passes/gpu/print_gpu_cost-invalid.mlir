// RUN: terrace-opt --split-input-file --verify-diagnostics --print-gpu-cost %s

func.func @size(%N: index, %A: memref<64xf32>) {
  // expected-error @below {{the value of 'N' is not known; give it with sizes=N:NUMBER}}
  affine.parallel (%i) = (0) to (symbol(%N)) {
    %x = affine.load %A[%i] : memref<64xf32>
  }
  return
}

// -----

func.func @shape(%A: memref<?xf32>) {
  affine.parallel (%i) = (0) to (64) {
    // expected-error @below {{the size of dimension 0 of an array is not known; give it with sizes=A.0:NUMBER}}
    %x = affine.load %A[%i] : memref<?xf32>
  }
  return
}

// -----

func.func @divided(%A: memref<64xf32>) {
  affine.parallel (%i) = (0) to (64) {
    // expected-error @below {{a subscript or bound divides a counter or multiplies two}}
    %x = affine.load %A[%i floordiv 2] : memref<64xf32>
  }
  return
}

// -----

func.func @loop(%A: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  affine.parallel (%i) = (0) to (64) {
    // expected-error @below {{this is no affine loop or condition, and has no known cost}}
    scf.for %k = %c0 to %n step %c1 {
      %x = affine.load %A[%i] : memref<64xf32>
    }
  }
  return
}

// -----

func.func @sum(%A: memref<64xf32>) -> f32 {
  // expected-error @below {{a parallel loop with results is a reduction across threads, which has no mapping here}}
  %s = affine.parallel (%i) = (0) to (64) reduce ("addf") -> f32 {
    %x = affine.load %A[%i] : memref<64xf32>
    affine.yield %x : f32
  }
  return %s : f32
}
