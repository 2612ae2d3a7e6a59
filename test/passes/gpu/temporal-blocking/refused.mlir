// RUN: terrace-opt %s -split-input-file -verify-diagnostics -gpu-temporal-blocking='notes=true' -o /dev/null

// What is tiled along time, and what is not, with the reason.

func.func @tiled(%T: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index) {
  // expected-remark @+1 {{stencil tiled along time, 7 sweeps a launch, tiles of 48 columns}}
  affine.for %t = 0 to %T {
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        %1 = affine.load %A[%i, %j + 1] : memref<?x?xf64>
        %2 = arith.addf %0, %1 : f64
        affine.store %2, %B[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %B[%i, %j] : memref<?x?xf64>
        affine.store %0, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// In place, elements depend on those of the same sweep.
func.func @case(%T: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index) {
  affine.for %t = 0 to %T {
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        // expected-remark @+1 {{not tiled along time: this reads another array than one that the nest does not write}}
        %0 = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        affine.store %0, %A[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %B[%i - 1, %j] : memref<?x?xf64>
        affine.store %0, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// The second nest reads what neither writes.
func.func @case(%T: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %n: index) {
  affine.for %t = 0 to %T {
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        affine.store %0, %B[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %C[%i, %j] : memref<?x?xf64>
        // expected-remark @+1 {{not tiled along time: this does not go back to the array that the first nest reads}}
        affine.store %0, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// Two arrays are read.
func.func @case(%T: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %n: index) {
  affine.for %t = 0 to %T {
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %A[%i, %j] : memref<?x?xf64>
        // expected-remark @+1 {{not tiled along time: this reads another array than one that the nest does not write}}
        %1 = affine.load %C[%i, %j] : memref<?x?xf64>
        %2 = arith.addf %1, %0 : f64
        affine.store %2, %B[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %B[%i - 1, %j] : memref<?x?xf64>
        affine.store %0, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// Another box.
func.func @case(%T: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index, %m: index) {
  affine.for %t = 0 to %T {
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        affine.store %0, %B[%i, %j] : memref<?x?xf64>
      }
    }
    // expected-remark @+1 {{not tiled along time: this is over another box than the first nest}}
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %m {
        %0 = affine.load %B[%i, %j] : memref<?x?xf64>
        affine.store %0, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// A distance that is no constant.
func.func @case(%T: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index) {
  affine.for %t = 0 to %T {
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        // expected-remark @+1 {{not tiled along time: this is not a constant distance from the element stored}}
        %0 = affine.load %A[%j, %i] : memref<?x?xf64>
        affine.store %0, %B[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %B[%i - 1, %j] : memref<?x?xf64>
        affine.store %0, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// Too far away.
func.func @case(%T: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index) {
  affine.for %t = 0 to %T {
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        // expected-remark @+1 {{not tiled along time: this is not a constant distance from the element stored}}
        %0 = affine.load %A[%i - 5, %j] : memref<?x?xf64>
        affine.store %0, %B[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %B[%i - 1, %j] : memref<?x?xf64>
        affine.store %0, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// Values that depend on the step.
func.func @case(%T: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index) {
  affine.for %t = 0 to %T {
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %t1 = arith.index_cast %t : index to i64
        %f = arith.sitofp %t1 : i64 to f64
        %0 = affine.load %A[%i, %j] : memref<?x?xf64>
        %1 = arith.mulf %f, %0 : f64
        // expected-remark @+1 {{not tiled along time: this stores what is computed from a counter}}
        affine.store %1, %B[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %B[%i - 1, %j] : memref<?x?xf64>
        affine.store %0, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// Bounds that depend on the step.
func.func @case(%T: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index) {
  affine.for %t = 0 to %T {
    // expected-remark @+1 {{not tiled along time: this has bounds that are not one linear form each}}
    affine.for %i = 1 to affine_map<(t) -> (t)>(%t) {
      affine.for %j = 1 to %n {
        %0 = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        affine.store %0, %B[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %B[%i - 1, %j] : memref<?x?xf64>
        affine.store %0, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// A diagonal.
func.func @case(%T: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index) {
  affine.for %t = 0 to %T {
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %A[%i, %j] : memref<?x?xf64>
        // expected-remark @+1 {{not tiled along time: this has a subscript that is not a counter of its own}}
        affine.store %0, %B[%i + %j, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %B[%i - 1, %j] : memref<?x?xf64>
        affine.store %0, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// Two stores.
func.func @case(%T: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index) {
  affine.for %t = 0 to %T {
    // expected-remark @+1 {{not tiled along time: this has 2 stores; sweeps of one are tiled along time}}
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %A[%i, %j] : memref<?x?xf64>
        affine.store %0, %B[%i, %j] : memref<?x?xf64>
        affine.store %0, %B[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %B[%i - 1, %j] : memref<?x?xf64>
        affine.store %0, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// Three nests.
func.func @case(%T: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %n: index) {
  // expected-remark @+1 {{not tiled along time: this has 3 nests; steps of two are tiled along time}}
  affine.for %t = 0 to %T {
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        affine.store %0, %B[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %B[%i - 1, %j] : memref<?x?xf64>
        affine.store %0, %A[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %A[%i, %j] : memref<?x?xf64>
        affine.store %0, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// Nothing read.
func.func @case(%T: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index) {
  %c = arith.constant 0.5 : f64
  affine.for %t = 0 to %T {
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        // expected-remark @+1 {{not tiled along time: this stores what is computed from no array}}
        affine.store %c, %B[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %B[%i - 1, %j] : memref<?x?xf64>
        affine.store %0, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// Arrays that may be the same memory.
func.func private @other() -> memref<?x?xf64>
func.func @case(%T: index, %D: memref<?x?xf64>, %X: memref<?x?x?xf64>, %n: index, %m: index) {
  %B = memref.collapse_shape %X [[0, 1], [2]] : memref<?x?x?xf64> into memref<?x?xf64>
  %C = call @other() : () -> memref<?x?xf64>
  affine.for %t = 0 to %T {
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %C[%i - 1, %j] : memref<?x?xf64>
        // expected-remark @+1 {{not tiled along time: this may store to the array that the nest reads}}
        affine.store %0, %B[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %B[%i - 1, %j] : memref<?x?xf64>
        affine.store %0, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// A directive says how many blocks there are.
func.func @levels(%T: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index) {
  affine.for %t = 0 to %T {
    // expected-remark @+1 {{not tiled along time: this is divided among blocks or threads by numbers of a directive, or is 'seq'}}
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        affine.store %0, %B[%i, %j] : memref<?x?xf64>
      }
    } {acc.loop = {gang = 64 : i64}}
    affine.for %i = 1 to %n {
      affine.for %j = 1 to %n {
        %0 = affine.load %B[%i - 1, %j] : memref<?x?xf64>
        affine.store %0, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
