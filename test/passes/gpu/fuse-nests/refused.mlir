// RUN: terrace-opt %s -gpu-fuse-nests='notes=true' 2>%t.notes | FileCheck %s --check-prefix=IR
// RUN: FileCheck %s --input-file=%t.notes
// RUN: terrace-opt %s -gpu-fuse-nests='notes=true always=true' 2>&1 >/dev/null | FileCheck %s --check-prefix=ALWAYS

// IR-LABEL: func.func @neighbour
// IR-COUNT-2: affine.parallel
// CHECK: refused.mlir:[[# @LINE + 2]]:3: remark: not fused with loop 'i' at line [[# @LINE + 6]]: flow dependence on 'B' from the store at [[# @LINE + 4]]:5 to the load at [[# @LINE + 7]]:10, carried by loop 'i' at line [[# @LINE + 2]]
func.func @neighbour(%A: memref<4096xf32>, %B: memref<4096xf32>) {
  affine.parallel (%i) = (1) to (4095) {
    %a = affine.load %A[%i] : memref<4096xf32>
    affine.store %a, %B[%i] : memref<4096xf32>
  }
  affine.parallel (%i) = (1) to (4095) {
    %b = affine.load %B[%i - 1] : memref<4096xf32>
    affine.store %b, %A[%i] : memref<4096xf32>
  }
  return
}

// Which element it is is only known when the program runs.
// IR-LABEL: func.func @gather
// IR-COUNT-2: affine.parallel
// CHECK: not fused with loop 'i' at line {{[0-9]+}}: possible flow dependence on 'B'
func.func @gather(%A: memref<4096xf32>, %B: memref<4096xf32>, %at: memref<4096xindex>) {
  affine.parallel (%i) = (0) to (4096) {
    %a = affine.load %A[%i] : memref<4096xf32>
    affine.store %a, %B[%i] : memref<4096xf32>
  }
  affine.parallel (%i) = (0) to (4096) {
    %k = affine.load %at[%i] : memref<4096xindex>
    %b = memref.load %B[%k] : memref<4096xf32>
    affine.store %b, %A[%i] : memref<4096xf32>
  }
  return
}

// IR-LABEL: func.func @depth
// IR-COUNT-2: affine.parallel
// CHECK: not fused with loop 'i' at line {{[0-9]+}}: one has 2 parallel loops around its body and the other 1
func.func @depth(%A: memref<64x64xf32>, %B: memref<64xf32>, %x: f32) {
  affine.parallel (%i, %j) = (0, 0) to (64, 64) {
    affine.store %x, %A[%i, %j] : memref<64x64xf32>
  }
  affine.parallel (%i) = (0) to (64) {
    affine.store %x, %B[%i] : memref<64xf32>
  }
  return
}

// IR-LABEL: func.func @unknown
// IR-COUNT-2: affine.parallel
// CHECK: not fused with loop 'k' at line {{[0-9]+}}: how far the bounds of the loops 'i' and 'k' are apart is not known
func.func @unknown(%A: memref<?xf32>, %B: memref<?xf32>, %n: index, %m: index, %x: f32) {
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.store %x, %A[%i] : memref<?xf32>
  }
  affine.parallel (%k) = (0) to (symbol(%m)) {
    affine.store %x, %B[%k] : memref<?xf32>
  }
  return
}

// IR-LABEL: func.func @steps
// IR-COUNT-3: affine.parallel
// CHECK: not fused with loop 'k' at line {{[0-9]+}}: the loops 'i' and 'k' go in steps of 1 and 2
// CHECK: not fused with loop 'l' at line {{[0-9]+}}: the loops 'i' and 'l' go in steps of 1 and 2
// CHECK: not fused with loop 'l' at line {{[0-9]+}}: the loops 'k' and 'l' go over different numbers in steps of 2
func.func @steps(%A: memref<64xf32>, %B: memref<64xf32>, %C: memref<64xf32>, %x: f32) {
  affine.parallel (%i) = (0) to (64) {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  affine.parallel (%k) = (0) to (64) step (2) {
    affine.store %x, %B[%k] : memref<64xf32>
  }
  affine.parallel (%l) = (1) to (64) step (2) {
    affine.store %x, %C[%l] : memref<64xf32>
  }
  return
}

// IR-LABEL: func.func @call
// IR-COUNT-2: affine.parallel
// CHECK: not fused with what is behind: 'func.call' at line {{[0-9]+}} stands between, which may touch the same memory
func.func private @looks(memref<64xf32>)
func.func @call(%A: memref<64xf32>, %B: memref<64xf32>, %x: f32) {
  affine.parallel (%i) = (0) to (64) {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  func.call @looks(%A) : (memref<64xf32>) -> ()
  affine.parallel (%i) = (0) to (64) {
    affine.store %x, %B[%i] : memref<64xf32>
  }
  return
}

// What stands between reads what the first stores.
// IR-LABEL: func.func @read_between
// IR-COUNT-2: affine.parallel
// CHECK: not fused with what is behind: 'affine.load' at line {{[0-9]+}} stands between, which may touch the same memory
func.func @read_between(%A: memref<64xf32>, %B: memref<64xf32>, %x: f32) {
  affine.parallel (%i) = (0) to (64) {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  %a = affine.load %A[3] : memref<64xf32>
  affine.parallel (%i) = (0) to (64) {
    affine.store %a, %B[%i] : memref<64xf32>
  }
  return
}

// Neighbouring threads want neighbouring elements of rows in the first, of columns in the second.
// IR-LABEL: func.func @across
// IR-COUNT-4: affine.parallel
// CHECK: not fused with loop 'i' at line {{[0-9]+}}: it would take {{[0-9.]+}} us in place of {{[0-9.]+}} + {{[0-9.]+}}
// ALWAYS: fused with loop 'i' at line
func.func @across(%A: memref<8192x8192xf32>, %B: memref<2x8192x8192xf32>, %C: memref<8192x8192xf32>, %D: memref<2x8192x8192xf32>) {
  affine.parallel (%i) = (0) to (8192) {
    affine.parallel (%j) = (0) to (8192) {
      affine.for %k = 0 to 2 {
        %a = affine.load %A[%i, %j] : memref<8192x8192xf32>
        affine.store %a, %B[%k, %i, %j] : memref<2x8192x8192xf32>
      }
    }
  }
  affine.parallel (%i) = (0) to (8192) {
    affine.parallel (%j) = (0) to (8192) {
      affine.for %k = 0 to 2 {
        %a = affine.load %C[%j, %i] : memref<8192x8192xf32>
        affine.store %a, %D[%k, %j, %i] : memref<2x8192x8192xf32>
      }
    }
  }
  return
}

// A matrix times a vector has a kernel of its own.
// IR-LABEL: func.func @reduction
// IR-COUNT-2: affine.parallel
// CHECK: not fused with loop 'i' at line {{[0-9]+}}: loop 'i' at line {{[0-9]+}} is a reduction with a kernel of its own
func.func @reduction(%A: memref<4096x4096xf64>, %x: memref<4096xf64>, %y: memref<4096xf64>, %z: memref<4096xf64>) {
  affine.parallel (%i) = (0) to (4096) {
    affine.for %k = 0 to 4096 {
      %a = affine.load %A[%i, %k] : memref<4096x4096xf64>
      %b = affine.load %x[%k] : memref<4096xf64>
      %p = arith.mulf %a, %b : f64
      %o = affine.load %y[%i] : memref<4096xf64>
      %s = arith.addf %o, %p : f64
      affine.store %s, %y[%i] : memref<4096xf64>
    }
  }
  affine.parallel (%i) = (0) to (4096) {
    %b = affine.load %y[%i] : memref<4096xf64>
    affine.store %b, %z[%i] : memref<4096xf64>
  }
  return
}

// A schedule has spoken of the first.
// IR-LABEL: func.func @spoken_of
// IR-COUNT-2: affine.parallel
func.func @spoken_of(%A: memref<64xf32>, %B: memref<64xf32>, %x: f32) {
  affine.parallel (%i) = (0) to (64) {
    affine.store %x, %A[%i] : memref<64xf32>
  } {gpu.mapper = "loops"}
  affine.parallel (%i) = (0) to (64) {
    affine.store %x, %B[%i] : memref<64xf32>
  }
  return
}
