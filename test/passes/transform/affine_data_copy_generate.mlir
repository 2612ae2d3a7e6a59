// RUN: terrace-opt %s -split-input-file -affine-data-copy-generate=skip-non-unit-stride-loops | FileCheck %s

// What a tile reads and writes is copied in and out.

// CHECK-DAG: #[[$MAP0_0:.*]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[$MAP1_0:.*]] = affine_map<(d0) -> (d0 + 32)>

// CHECK-LABEL: func.func @tile
func.func @tile(%A: memref<1024xf32>) {
  // CHECK-SAME: (%[[ARG0:.*]]: {{.*}}
  // CHECK-NEXT:   affine.for %[[ARG1:.*]] = 0 to 1024 step 32 {
  // CHECK-NEXT:     %[[ALLOC:.*]] = memref.alloc() : memref<32xf32, 1>
  // CHECK-NEXT:     affine.for %[[ARG2:.*]] = #[[$MAP0_0]](%[[ARG1]]) to #[[$MAP1_0]](%[[ARG1]]) {
  // CHECK-NEXT:       %[[V0:.*]] = affine.load %[[ARG0]][%[[ARG2]]] : memref<1024xf32>
  // CHECK-NEXT:       affine.store %[[V0]], %[[ALLOC]][%[[ARG2]] - %[[ARG1]]] : memref<32xf32, 1>
  // CHECK-NEXT:     }
  // CHECK-NEXT:     affine.for %[[ARG2]] = #[[$MAP0_0]](%[[ARG1]]) to #[[$MAP1_0]](%[[ARG1]]) {
  // CHECK-NEXT:       %[[V0]] = affine.load %[[ALLOC]][-%[[ARG1]] + %[[ARG2]]] : memref<32xf32, 1>
  // CHECK-NEXT:       %[[V1:.*]] = arith.addf %[[V0]], %[[V0]] : f32
  // CHECK-NEXT:       affine.store %[[V1]], %[[ALLOC]][-%[[ARG1]] + %[[ARG2]]] : memref<32xf32, 1>
  // CHECK-NEXT:     }
  // CHECK-NEXT:     affine.for %[[ARG2]] = #[[$MAP0_0]](%[[ARG1]]) to #[[$MAP1_0]](%[[ARG1]]) {
  // CHECK-NEXT:       %[[V0]] = affine.load %[[ALLOC]][%[[ARG2]] - %[[ARG1]]] : memref<32xf32, 1>
  // CHECK-NEXT:       affine.store %[[V0]], %[[ARG0]][%[[ARG2]]] : memref<1024xf32>
  // CHECK-NEXT:     }
  // CHECK-NEXT:     memref.dealloc %[[ALLOC]] : memref<32xf32, 1>
  // CHECK-NEXT:   }
  // CHECK-NEXT: return
  affine.for %i = 0 to 1024 step 32 {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to affine_map<(d0) -> (d0 + 32)>(%i) {
      %x = affine.load %A[%j] : memref<1024xf32>
      %y = arith.addf %x, %x : f32
      affine.store %y, %A[%j] : memref<1024xf32>
    }
  }
  return
}

// -----

// What is only written, all of it, is not copied in.

// CHECK-LABEL: func.func @overwritten
func.func @overwritten(%A: memref<64xf32>, %v: f32) {
  // CHECK-SAME: (%[[ARG0:.*]]: {{.*}}, %[[ARG1:.*]]: {{.*}}
  // CHECK-NEXT:   %[[ALLOC:.*]] = memref.alloc() : memref<64xf32, 1>
  // CHECK-NEXT:   affine.for %[[ARG2:.*]] = 0 to 64 {
  // CHECK-NEXT:     affine.store %[[ARG1]], %[[ALLOC]][%[[ARG2]]] : memref<64xf32, 1>
  // CHECK-NEXT:   }
  // CHECK-NEXT:   affine.for %[[ARG2]] = 0 to 64 {
  // CHECK-NEXT:     %[[V0:.*]] = affine.load %[[ALLOC]][%[[ARG2]]] : memref<64xf32, 1>
  // CHECK-NEXT:     affine.store %[[V0]], %[[ARG0]][%[[ARG2]]] : memref<64xf32>
  // CHECK-NEXT:   }
  // CHECK-NEXT:   memref.dealloc %[[ALLOC]] : memref<64xf32, 1>
  // CHECK-NEXT: return
  affine.for %i = 0 to 64 {
    affine.store %v, %A[%i] : memref<64xf32>
  }
  return
}

// -----

// Every second element is kept: the part that is copied out has been copied in.

// CHECK-LABEL: func.func @holes
func.func @holes(%A: memref<64xf32>, %v: f32) {
  // CHECK-SAME: (%[[ARG0:.*]]: {{.*}}, %[[ARG1:.*]]: {{.*}}
  // CHECK-NEXT:   %[[ALLOC:.*]] = memref.alloc() : memref<63xf32, 1>
  // CHECK-NEXT:   affine.for %[[ARG2:.*]] = 0 to 63 {
  // CHECK-NEXT:     %[[V0:.*]] = affine.load %[[ARG0]][%[[ARG2]]] : memref<64xf32>
  // CHECK-NEXT:     affine.store %[[V0]], %[[ALLOC]][%[[ARG2]]] : memref<63xf32, 1>
  // CHECK-NEXT:   }
  // CHECK-NEXT:   affine.for %[[ARG2]] = 0 to 32 {
  // CHECK-NEXT:     affine.store %[[ARG1]], %[[ALLOC]][%[[ARG2]] * 2] : memref<63xf32, 1>
  // CHECK-NEXT:   }
  // CHECK-NEXT:   affine.for %[[ARG2]] = 0 to 63 {
  // CHECK-NEXT:     %[[V0]] = affine.load %[[ALLOC]][%[[ARG2]]] : memref<63xf32, 1>
  // CHECK-NEXT:     affine.store %[[V0]], %[[ARG0]][%[[ARG2]]] : memref<64xf32>
  // CHECK-NEXT:   }
  // CHECK-NEXT:   memref.dealloc %[[ALLOC]] : memref<63xf32, 1>
  // CHECK-NEXT: return
  affine.for %i = 0 to 32 {
    affine.store %v, %A[%i * 2] : memref<64xf32>
  }
  return
}

// -----

// The same where the loop may not run at all.

// CHECK-LABEL: func.func @may_not_run
func.func @may_not_run(%A: memref<64xf32>, %v: f32, %n: index) {
  // CHECK-SAME: (%[[ARG0:.*]]: {{.*}}, %[[ARG1:.*]]: {{.*}}, %[[ARG2:.*]]: {{.*}}
  // CHECK-NEXT:   %[[ALLOC:.*]] = memref.alloc() : memref<64xf32, 1>
  // CHECK-NEXT:   affine.for %[[ARG3:.*]] = 0 to 64 {
  // CHECK-NEXT:     %[[V0:.*]] = affine.load %[[ARG0]][%[[ARG3]]] : memref<64xf32>
  // CHECK-NEXT:     affine.store %[[V0]], %[[ALLOC]][%[[ARG3]]] : memref<64xf32, 1>
  // CHECK-NEXT:   }
  // CHECK-NEXT:   affine.for %[[ARG3]] = 0 to %[[ARG2]] {
  // CHECK-NEXT:     affine.for %[[ARG4:.*]] = 0 to 64 {
  // CHECK-NEXT:       affine.store %[[ARG1]], %[[ALLOC]][%[[ARG4]]] : memref<64xf32, 1>
  // CHECK-NEXT:     }
  // CHECK-NEXT:   }
  // CHECK-NEXT:   affine.for %[[ARG3]] = 0 to 64 {
  // CHECK-NEXT:     %[[V0]] = affine.load %[[ALLOC]][%[[ARG3]]] : memref<64xf32, 1>
  // CHECK-NEXT:     affine.store %[[V0]], %[[ARG0]][%[[ARG3]]] : memref<64xf32>
  // CHECK-NEXT:   }
  // CHECK-NEXT:   memref.dealloc %[[ALLOC]] : memref<64xf32, 1>
  // CHECK-NEXT: return
  affine.for %t = 0 to %n {
    affine.for %i = 0 to 64 {
      affine.store %v, %A[%i] : memref<64xf32>
    }
  }
  return
}

// -----

// Copies do not leave a loop in which the memref is written elsewhere.

// CHECK-LABEL: func.func @written_elsewhere
func.func @written_elsewhere(%A: memref<64xf32>, %B: memref<64xf32>, %v: f32) {
  // CHECK-SAME: (%[[ARG0:.*]]: {{.*}}, %[[ARG1:.*]]: {{.*}}, %[[ARG2:.*]]: {{.*}}
  // CHECK-NEXT:   %[[C0:.*]] = arith.constant 0 : index
  // CHECK-NEXT:   %[[ALLOC:.*]] = memref.alloc() : memref<64xf32, 1>
  // CHECK-NEXT:   affine.for %[[ARG3:.*]] = 0 to 10 step 2 {
  // CHECK-NEXT:     %[[ALLOC0:.*]] = memref.alloc() : memref<64xf32, 1>
  // CHECK-NEXT:     affine.for %[[ARG4:.*]] = 0 to 64 {
  // CHECK-NEXT:       %[[V1:.*]] = affine.load %[[ARG0]][%[[ARG4]]] : memref<64xf32>
  // CHECK-NEXT:       affine.store %[[V1]], %[[ALLOC0]][%[[ARG4]]] : memref<64xf32, 1>
  // CHECK-NEXT:     }
  // CHECK-NEXT:     affine.for %[[ARG4]] = 0 to 64 {
  // CHECK-NEXT:       %[[V1]] = affine.load %[[ALLOC0]][%[[ARG4]]] : memref<64xf32, 1>
  // CHECK-NEXT:       affine.store %[[V1]], %[[ALLOC]][%[[ARG4]]] : memref<64xf32, 1>
  // CHECK-NEXT:     }
  // CHECK-NEXT:     memref.dealloc %[[ALLOC0]] : memref<64xf32, 1>
  // CHECK-NEXT:     %[[ALLOC1:.*]] = memref.alloc() : memref<1xf32, 1>
  // CHECK-NEXT:     affine.store %[[ARG2]], %[[ALLOC1]][0] : memref<1xf32, 1>
  // CHECK-NEXT:     %[[V0:.*]] = affine.load %[[ALLOC1]][0] : memref<1xf32, 1>
  // CHECK-NEXT:     affine.store %[[V0]], %[[ARG0]][0] : memref<64xf32>
  // CHECK-NEXT:     memref.dealloc %[[ALLOC1]] : memref<1xf32, 1>
  // CHECK-NEXT:   }
  // CHECK-NEXT:   affine.for %[[ARG3]] = 0 to 64 {
  // CHECK-NEXT:     %[[V0]] = affine.load %[[ALLOC]][%[[ARG3]]] : memref<64xf32, 1>
  // CHECK-NEXT:     affine.store %[[V0]], %[[ARG1]][%[[ARG3]]] : memref<64xf32>
  // CHECK-NEXT:   }
  // CHECK-NEXT:   memref.dealloc %[[ALLOC]] : memref<64xf32, 1>
  // CHECK-NEXT: return
  affine.for %t = 0 to 10 step 2 {
    affine.for %i = 0 to 64 {
      %x = affine.load %A[%i] : memref<64xf32>
      affine.store %x, %B[%i] : memref<64xf32>
    }
    affine.store %v, %A[0] : memref<64xf32>
  }
  return
}

// -----

// A call may touch what it does not get; nothing is known of a view.

// CHECK-LABEL: func.func @aliases
func.func private @f()
func.func @aliases(%A: memref<64xf32>, %B: memref<64xf32>) {
  // CHECK-SAME: (%[[ARG0:.*]]: {{.*}}, %[[ARG1:.*]]: {{.*}}
  // CHECK-NEXT:   %[[CAST:.*]] = memref.cast %[[ARG1]] : memref<64xf32> to memref<?xf32>
  // CHECK-NEXT:   affine.for %[[ARG2:.*]] = 0 to 64 {
  // CHECK-NEXT:     %[[V0:.*]] = affine.load %[[ARG0]][%[[ARG2]]] : memref<64xf32>
  // CHECK-NEXT:     func.call @f() : () -> ()
  // CHECK-NEXT:     affine.store %[[V0]], %[[ARG1]][%[[ARG2]]] : memref<64xf32>
  // CHECK-NEXT:     %[[V1:.*]] = affine.load %[[CAST]][%[[ARG2]]] : memref<?xf32>
  // CHECK-NEXT:   }
  // CHECK-NEXT: return
  %V = memref.cast %B : memref<64xf32> to memref<?xf32>
  affine.for %i = 0 to 64 {
    %x = affine.load %A[%i] : memref<64xf32>
    func.call @f() : () -> ()
    affine.store %x, %B[%i] : memref<64xf32>
    %y = affine.load %V[%i] : memref<?xf32>
  }
  return
}

// -----

// Under a condition, what would be touched may lie outside the memref.

// CHECK-DAG: #[[$SET0_6:.*]] = affine_set<(d0) : (d0 - 1 >= 0)>

// CHECK-LABEL: func.func @condition
func.func @condition(%A: memref<64xf32>, %B: memref<?xf32>) {
  // CHECK-SAME: (%[[ARG0:.*]]: {{.*}}, %[[ARG1:.*]]: {{.*}}
  // CHECK-NEXT:   %[[ALLOC:.*]] = memref.alloc() : memref<63xf32, 1>
  // CHECK-NEXT:   affine.for %[[ARG2:.*]] = 0 to 63 {
  // CHECK-NEXT:     %[[V0:.*]] = affine.load %[[ARG0]][%[[ARG2]]] : memref<64xf32>
  // CHECK-NEXT:     affine.store %[[V0]], %[[ALLOC]][%[[ARG2]]] : memref<63xf32, 1>
  // CHECK-NEXT:   }
  // CHECK-NEXT:   affine.for %[[ARG2]] = 0 to 64 {
  // CHECK-NEXT:     affine.if #[[$SET0_6]](%[[ARG2]]) {
  // CHECK-NEXT:       %[[V0]] = affine.load %[[ALLOC]][%[[ARG2]] - 1] : memref<63xf32, 1>
  // CHECK-NEXT:       affine.store %[[V0]], %[[ARG1]][%[[ARG2]] - 1] : memref<?xf32>
  // CHECK-NEXT:     }
  // CHECK-NEXT:   }
  // CHECK-NEXT:   memref.dealloc %[[ALLOC]] : memref<63xf32, 1>
  // CHECK-NEXT: return
  affine.for %i = 0 to 64 {
    affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%i) {
      %x = affine.load %A[%i - 1] : memref<64xf32>
      affine.store %x, %B[%i - 1] : memref<?xf32>
    }
  }
  return
}

// -----

// Parts that may never have been written are not read.

// CHECK-LABEL: func.func @never_written
func.func @never_written(%B: memref<64xf32>, %v: f32) {
  // CHECK-SAME: (%[[ARG0:.*]]: {{.*}}, %[[ARG1:.*]]: {{.*}}
  // CHECK-NEXT:   %[[ALLOC:.*]] = memref.alloc() : memref<64xf32>
  // CHECK-NEXT:   affine.for %[[ARG2:.*]] = 0 to 32 {
  // CHECK-NEXT:     affine.store %[[ARG1]], %[[ALLOC]][%[[ARG2]] * 2] : memref<64xf32>
  // CHECK-NEXT:   }
  // CHECK-NEXT:   %[[ALLOC0:.*]] = memref.alloc() : memref<32xf32, 1>
  // CHECK-NEXT:   affine.for %[[ARG2]] = 0 to 32 {
  // CHECK-NEXT:     %[[V0:.*]] = affine.load %[[ALLOC]][%[[ARG2]] * 2] : memref<64xf32>
  // CHECK-NEXT:     affine.store %[[V0]], %[[ALLOC0]][%[[ARG2]]] : memref<32xf32, 1>
  // CHECK-NEXT:   }
  // CHECK-NEXT:   affine.for %[[ARG2]] = 0 to 32 {
  // CHECK-NEXT:     %[[V0]] = affine.load %[[ALLOC0]][%[[ARG2]]] : memref<32xf32, 1>
  // CHECK-NEXT:     affine.store %[[V0]], %[[ARG0]][%[[ARG2]]] : memref<64xf32>
  // CHECK-NEXT:   }
  // CHECK-NEXT:   memref.dealloc %[[ALLOC0]] : memref<32xf32, 1>
  // CHECK-NEXT: return
  %A = memref.alloc() : memref<64xf32>
  affine.for %i = 0 to 32 {
    affine.store %v, %A[%i * 2] : memref<64xf32>
  }
  affine.for %i = 0 to 32 {
    %x = affine.load %A[%i * 2] : memref<64xf32>
    affine.store %x, %B[%i] : memref<64xf32>
  }
  return
}
