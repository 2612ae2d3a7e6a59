// RUN: terrace-opt %s -split-input-file -allow-unregistered-dialect -affine-loop-fusion="maximal" | FileCheck %s

// A producer goes into its consumer, and what only the two know is one element.

// CHECK-LABEL: func.func @producer
func.func @producer(%A: memref<10xf32>, %v: f32) {
  // CHECK-SAME: (%[[ARG0:.*]]: {{.*}}, %[[ARG1:.*]]: {{.*}}
  // CHECK-NEXT:   %[[ALLOC:.*]] = memref.alloc() : memref<1xf32>
  // CHECK-NEXT:   affine.for %[[ARG2:.*]] = 0 to 10 {
  // CHECK-NEXT:     affine.store %[[ARG1]], %[[ALLOC]][0] : memref<1xf32>
  // CHECK-NEXT:     %[[V0:.*]] = affine.load %[[ALLOC]][0] : memref<1xf32>
  // CHECK-NEXT:     affine.store %[[V0]], %[[ARG0]][%[[ARG2]]] : memref<10xf32>
  // CHECK-NEXT:   }
  // CHECK-NEXT: return
  %t = memref.alloc() : memref<10xf32>
  affine.for %i = 0 to 10 {
    affine.store %v, %t[%i] : memref<10xf32>
  }
  affine.for %i = 0 to 10 {
    %x = affine.load %t[%i] : memref<10xf32>
    affine.store %x, %A[%i] : memref<10xf32>
  }
  return
}

// -----

// Each iteration needs two elements: they are computed where they are needed.

// CHECK-DAG: #[[$MAP0_1:.*]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[$MAP1_1:.*]] = affine_map<(d0) -> (d0 + 2)>
// CHECK-DAG: #[[$MAP2_1:.*]] = affine_map<(d0) -> (d0 + 1)>

// CHECK-LABEL: func.func @stencil
func.func @stencil(%A: memref<10xf32>, %v: f32) {
  // CHECK-SAME: (%[[ARG0:.*]]: {{.*}}, %[[ARG1:.*]]: {{.*}}
  // CHECK-NEXT:   %[[ALLOC:.*]] = memref.alloc() : memref<2xf32>
  // CHECK-NEXT:   affine.for %[[ARG2:.*]] = 0 to 10 {
  // CHECK-NEXT:     affine.for %[[ARG3:.*]] = #[[$MAP0_1]](%[[ARG2]]) to #[[$MAP1_1]](%[[ARG2]]) {
  // CHECK-NEXT:       affine.store %[[ARG1]], %[[ALLOC]][-%[[ARG2]] + %[[ARG3]]] : memref<2xf32>
  // CHECK-NEXT:     }
  // CHECK-NEXT:     %[[V0:.*]] = affine.load %[[ALLOC]][0] : memref<2xf32>
  // CHECK-NEXT:     %[[V1:.*]] = affine.apply #[[$MAP2_1]](%[[ARG2]])
  // CHECK-NEXT:     %[[V2:.*]] = affine.load %[[ALLOC]][1] : memref<2xf32>
  // CHECK-NEXT:     %[[V3:.*]] = arith.addf %[[V0]], %[[V2]] : f32
  // CHECK-NEXT:     affine.store %[[V3]], %[[ARG0]][%[[ARG2]]] : memref<10xf32>
  // CHECK-NEXT:   }
  // CHECK-NEXT: return
  %t = memref.alloc() : memref<11xf32>
  affine.for %i = 0 to 11 {
    affine.store %v, %t[%i] : memref<11xf32>
  }
  affine.for %i = 0 to 10 {
    %x = affine.load %t[%i] : memref<11xf32>
    %y = affine.load %t[%i + 1] : memref<11xf32>
    %z = arith.addf %x, %y : f32
    affine.store %z, %A[%i] : memref<10xf32>
  }
  return
}

// -----

// The producer changes what it reads and has to stay, since not all of it is needed:
// running it again would change that twice. MLIR fuses these.

// CHECK-LABEL: func.func @in_place
func.func @in_place(%A: memref<32xf32>, %B: memref<16xf32>) {
  // CHECK-SAME: (%[[ARG0:.*]]: {{.*}}, %[[ARG1:.*]]: {{.*}}
  // CHECK-NEXT:   affine.for %[[ARG2:.*]] = 0 to 32 {
  // CHECK-NEXT:     %[[V0:.*]] = affine.load %[[ARG0]][%[[ARG2]]] : memref<32xf32>
  // CHECK-NEXT:     %[[V1:.*]] = arith.mulf %[[V0]], %[[V0]] : f32
  // CHECK-NEXT:     affine.store %[[V1]], %[[ARG0]][%[[ARG2]]] : memref<32xf32>
  // CHECK-NEXT:   }
  // CHECK-NEXT:   affine.for %[[ARG2]] = 0 to 16 {
  // CHECK-NEXT:     %[[V0]] = affine.load %[[ARG0]][%[[ARG2]]] : memref<32xf32>
  // CHECK-NEXT:     affine.store %[[V0]], %[[ARG1]][%[[ARG2]]] : memref<16xf32>
  // CHECK-NEXT:   }
  // CHECK-NEXT: return
  affine.for %i = 0 to 32 {
    %x = affine.load %A[%i] : memref<32xf32>
    %y = arith.mulf %x, %x : f32
    affine.store %y, %A[%i] : memref<32xf32>
  }
  affine.for %i = 0 to 16 {
    %x = affine.load %A[%i] : memref<32xf32>
    affine.store %x, %B[%i] : memref<16xf32>
  }
  return
}

// -----

// The consumer writes what the producer reads in a later iteration.

// CHECK-LABEL: func.func @overwrites_input
func.func @overwrites_input(%A: memref<11xf32>) {
  // CHECK-SAME: (%[[ARG0:.*]]: {{.*}}
  // CHECK-NEXT:   %[[ALLOC:.*]] = memref.alloc() : memref<10xf32>
  // CHECK-NEXT:   affine.for %[[ARG1:.*]] = 0 to 10 {
  // CHECK-NEXT:     %[[V0:.*]] = affine.load %[[ARG0]][%[[ARG1]]] : memref<11xf32>
  // CHECK-NEXT:     affine.store %[[V0]], %[[ALLOC]][%[[ARG1]]] : memref<10xf32>
  // CHECK-NEXT:   }
  // CHECK-NEXT:   affine.for %[[ARG1]] = 0 to 10 {
  // CHECK-NEXT:     %[[V0]] = affine.load %[[ALLOC]][%[[ARG1]]] : memref<10xf32>
  // CHECK-NEXT:     affine.store %[[V0]], %[[ARG0]][%[[ARG1]] + 1] : memref<11xf32>
  // CHECK-NEXT:   }
  // CHECK-NEXT: return
  %t = memref.alloc() : memref<10xf32>
  affine.for %i = 0 to 10 {
    %x = affine.load %A[%i] : memref<11xf32>
    affine.store %x, %t[%i] : memref<10xf32>
  }
  affine.for %i = 0 to 10 {
    %x = affine.load %t[%i] : memref<10xf32>
    affine.store %x, %A[%i + 1] : memref<11xf32>
  }
  return
}

// -----

// A call may change what the producer reads. MLIR moves the reads behind it.

// CHECK-LABEL: func.func @call
func.func private @f()
func.func @call(%A: memref<10xf32>, %B: memref<10xf32>) {
  // CHECK-SAME: (%[[ARG0:.*]]: {{.*}}, %[[ARG1:.*]]: {{.*}}
  // CHECK-NEXT:   %[[ALLOC:.*]] = memref.alloc() : memref<10xf32>
  // CHECK-NEXT:   affine.for %[[ARG2:.*]] = 0 to 10 {
  // CHECK-NEXT:     %[[V0:.*]] = affine.load %[[ARG0]][%[[ARG2]]] : memref<10xf32>
  // CHECK-NEXT:     affine.store %[[V0]], %[[ALLOC]][%[[ARG2]]] : memref<10xf32>
  // CHECK-NEXT:   }
  // CHECK-NEXT:   call @f() : () -> ()
  // CHECK-NEXT:   affine.for %[[ARG2]] = 0 to 10 {
  // CHECK-NEXT:     %[[V0]] = affine.load %[[ALLOC]][%[[ARG2]]] : memref<10xf32>
  // CHECK-NEXT:     affine.store %[[V0]], %[[ARG1]][%[[ARG2]]] : memref<10xf32>
  // CHECK-NEXT:   }
  // CHECK-NEXT: return
  %t = memref.alloc() : memref<10xf32>
  affine.for %i = 0 to 10 {
    %x = affine.load %A[%i] : memref<10xf32>
    affine.store %x, %t[%i] : memref<10xf32>
  }
  func.call @f() : () -> ()
  affine.for %i = 0 to 10 {
    %x = affine.load %t[%i] : memref<10xf32>
    affine.store %x, %B[%i] : memref<10xf32>
  }
  return
}

// -----

// An op of an unknown dialect runs as often as before, or it is not touched.

// CHECK-LABEL: func.func @unknown_op
func.func @unknown_op(%A: memref<4x10xf32>) {
  // CHECK-SAME: (%[[ARG0:.*]]: {{.*}}
  // CHECK-NEXT:   %[[ALLOC:.*]] = memref.alloc() : memref<10xf32>
  // CHECK-NEXT:   affine.for %[[ARG1:.*]] = 0 to 10 {
  // CHECK-NEXT:     %[[V0:.*]] = "some.op"(%[[ARG1]]) : (index) -> f32
  // CHECK-NEXT:     affine.store %[[V0]], %[[ALLOC]][%[[ARG1]]] : memref<10xf32>
  // CHECK-NEXT:   }
  // CHECK-NEXT:   affine.for %[[ARG1]] = 0 to 4 {
  // CHECK-NEXT:     affine.for %[[ARG2:.*]] = 0 to 10 {
  // CHECK-NEXT:       %[[V0]] = affine.load %[[ALLOC]][%[[ARG2]]] : memref<10xf32>
  // CHECK-NEXT:       affine.store %[[V0]], %[[ARG0]][%[[ARG1]], %[[ARG2]]] : memref<4x10xf32>
  // CHECK-NEXT:     }
  // CHECK-NEXT:   }
  // CHECK-NEXT: return
  %t = memref.alloc() : memref<10xf32>
  affine.for %i = 0 to 10 {
    %x = "some.op"(%i) : (index) -> f32
    affine.store %x, %t[%i] : memref<10xf32>
  }
  affine.for %k = 0 to 4 {
    affine.for %i = 0 to 10 {
      %x = affine.load %t[%i] : memref<10xf32>
      affine.store %x, %A[%k, %i] : memref<4x10xf32>
    }
  }
  return
}

// -----

// A memref that another block reads keeps what was written to it.

// CHECK-LABEL: func.func @other_block
func.func @other_block(%A: memref<10xf32>, %v: f32) -> f32 {
  // CHECK-SAME: (%[[ARG0:.*]]: {{.*}}, %[[ARG1:.*]]: {{.*}}
  // CHECK-NEXT:   %[[ALLOC:.*]] = memref.alloc() : memref<1xf32>
  // CHECK-NEXT:   %[[ALLOC0:.*]] = memref.alloc() : memref<10xf32>
  // CHECK-NEXT:   affine.for %[[ARG2:.*]] = 0 to 10 {
  // CHECK-NEXT:     affine.store %[[ARG1]], %[[ALLOC0]][%[[ARG2]]] : memref<10xf32>
  // CHECK-NEXT:   }
  // CHECK-NEXT:   affine.for %[[ARG2]] = 0 to 5 {
  // CHECK-NEXT:     affine.store %[[ARG1]], %[[ALLOC]][0] : memref<1xf32>
  // CHECK-NEXT:     %[[V1:.*]] = affine.load %[[ALLOC]][0] : memref<1xf32>
  // CHECK-NEXT:     affine.store %[[V1]], %[[ARG0]][%[[ARG2]]] : memref<10xf32>
  // CHECK-NEXT:   }
  // CHECK-NEXT:   cf.br ^bb1
  // CHECK-NEXT: ^bb1:  // pred: ^bb0
  // CHECK-NEXT:   %[[V0:.*]] = affine.load %[[ALLOC0]][9] : memref<10xf32>
  // CHECK-NEXT:   return %[[V0]] : f32
  %t = memref.alloc() : memref<10xf32>
  affine.for %i = 0 to 10 {
    affine.store %v, %t[%i] : memref<10xf32>
  }
  affine.for %i = 0 to 5 {
    %x = affine.load %t[%i] : memref<10xf32>
    affine.store %x, %A[%i] : memref<10xf32>
  }
  cf.br ^next
^next:
  %r = affine.load %t[9] : memref<10xf32>
  return %r : f32
}

// -----

// Two readers of the same memory become one nest.

// CHECK-LABEL: func.func @siblings
func.func @siblings(%A: memref<10xf32>, %B: memref<10xf32>, %C: memref<10xf32>) {
  // CHECK-SAME: (%[[ARG0:.*]]: {{.*}}, %[[ARG1:.*]]: {{.*}}, %[[ARG2:.*]]: {{.*}}
  // CHECK-NEXT:   affine.for %[[ARG3:.*]] = 0 to 10 {
  // CHECK-NEXT:     %[[V0:.*]] = affine.load %[[ARG0]][%[[ARG3]]] : memref<10xf32>
  // CHECK-NEXT:     affine.store %[[V0]], %[[ARG1]][%[[ARG3]]] : memref<10xf32>
  // CHECK-NEXT:     %[[V1:.*]] = affine.load %[[ARG0]][%[[ARG3]]] : memref<10xf32>
  // CHECK-NEXT:     affine.store %[[V1]], %[[ARG2]][%[[ARG3]]] : memref<10xf32>
  // CHECK-NEXT:   }
  // CHECK-NEXT: return
  affine.for %i = 0 to 10 {
    %x = affine.load %A[%i] : memref<10xf32>
    affine.store %x, %B[%i] : memref<10xf32>
  }
  affine.for %i = 0 to 10 {
    %x = affine.load %A[%i] : memref<10xf32>
    affine.store %x, %C[%i] : memref<10xf32>
  }
  return
}

// -----

// A loop that adds up values as it goes is not cut.

// CHECK-LABEL: func.func @carried
func.func @carried(%A: memref<4x8xf32>, %B: memref<4xf32>, %C: memref<4x8xf32>) {
  // CHECK-SAME: (%[[ARG0:.*]]: {{.*}}, %[[ARG1:.*]]: {{.*}}, %[[ARG2:.*]]: {{.*}}
  // CHECK-NEXT:   %[[CST:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK-NEXT:   affine.for %[[ARG3:.*]] = 0 to 4 {
  // CHECK-NEXT:     %[[V0:.*]] = affine.for %[[ARG4:.*]] = 0 to 8 iter_args(%[[ARG5:.*]] = %[[CST]]) -> (f32) {
  // CHECK-NEXT:       %[[V1:.*]] = affine.load %[[ARG0]][%[[ARG3]], %[[ARG4]]] : memref<4x8xf32>
  // CHECK-NEXT:       %[[V2:.*]] = arith.addf %[[ARG5]], %[[V1]] : f32
  // CHECK-NEXT:       %[[V3:.*]] = affine.load %[[ARG0]][%[[ARG3]], %[[ARG4]]] : memref<4x8xf32>
  // CHECK-NEXT:       affine.store %[[V3]], %[[ARG2]][%[[ARG3]], %[[ARG4]]] : memref<4x8xf32>
  // CHECK-NEXT:       affine.yield %[[V2]] : f32
  // CHECK-NEXT:     }
  // CHECK-NEXT:     affine.store %[[V0]], %[[ARG1]][%[[ARG3]]] : memref<4xf32>
  // CHECK-NEXT:   }
  // CHECK-NEXT: return
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 4 {
    %sum = affine.for %j = 0 to 8 iter_args(%s = %zero) -> (f32) {
      %x = affine.load %A[%i, %j] : memref<4x8xf32>
      %n = arith.addf %s, %x : f32
      affine.yield %n : f32
    }
    affine.store %sum, %B[%i] : memref<4xf32>
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      %x = affine.load %A[%i, %j] : memref<4x8xf32>
      affine.store %x, %C[%i, %j] : memref<4x8xf32>
    }
  }
  return
}

// -----

// The consumer needs the diagonal, and all of the memref is read later: the producer
// stays. MLIR takes the diagonal for all of it.

// CHECK-LABEL: func.func @diagonal
func.func @diagonal(%A: memref<6xf32>, %v: f32) -> f32 {
  // CHECK: affine.for
  // CHECK-NEXT: affine.for
  // CHECK-NEXT: affine.store
  %t = memref.alloc() : memref<6x6xf32>
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 6 {
      affine.store %v, %t[%i, %j] : memref<6x6xf32>
    }
  }
  affine.for %i = 0 to 6 {
    %x = affine.load %t[%i, %i] : memref<6x6xf32>
    affine.store %x, %A[%i] : memref<6xf32>
  }
  %r = affine.load %t[2, 3] : memref<6x6xf32>
  return %r : f32
}
