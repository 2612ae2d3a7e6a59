// RUN: terrace-opt %s -split-input-file -verify-diagnostics -gpu-map-contractions='notes=true' -o /dev/null

// What is made, and what is not, with the reason.

func.func @made(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %0 = affine.load %A[%i, %k] : memref<?x?xf64>
        %1 = affine.load %B[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %C[%i, %j] : memref<?x?xf64>
        %4 = arith.addf %3, %2 : f64
        // expected-remark @+1 {{matrix product, blocks of 128 x 128, 16 of k at a time, matrix units}}
        affine.store %4, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// The result is a factor too.
func.func @alias(%B: memref<?x?xf64>, %C: memref<?x?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        // expected-remark @+1 {{no kernel of its own for a matrix product: this may read what the sums are stored to}}
        %0 = affine.load %C[%i, %k] : memref<?x?xf64>
        %1 = affine.load %B[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %C[%i, %j] : memref<?x?xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// Both ends of k differ from row to row.
func.func @range(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      // expected-remark @+1 {{this sums over a range of which more than one end differs from element to element}}
      affine.for %k = affine_map<(d0) -> (d0)>(%i) to affine_map<(d0) -> (d0 + 9)>(%i) {
        %0 = affine.load %A[%i, %k] : memref<?x?xf64>
        %1 = affine.load %B[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %C[%i, %j] : memref<?x?xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// A factor stands outside of the product of elements: taken in it would round otherwise.
func.func @outside(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %s: f64, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        // expected-remark @+1 {{this is one of several elements in a factor of the products}}
        %0 = affine.load %A[%i, %k] : memref<?x?xf64>
        %1 = affine.load %B[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = arith.mulf %2, %s : f64
        %4 = affine.load %C[%i, %j] : memref<?x?xf64>
        %5 = arith.addf %4, %3 : f64
        affine.store %5, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// Another statement changes the element while the sum grows.
func.func @within(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %s: f64, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %0 = affine.load %A[%i, %k] : memref<?x?xf64>
        %1 = affine.load %B[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %C[%i, %j] : memref<?x?xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %C[%i, %j] : memref<?x?xf64>
        // expected-remark @+1 {{this is a second sum in the same loops}}
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// Elements of other rows and columns are set than get sums, from the row before.
func.func @elsewhere(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %n: index, %m: index) {
  affine.for %i = 1 to %n {
    affine.for %j = 0 to %m {
      %s = affine.load %C[%i - 1, %j] : memref<?x?xf64>
      // expected-remark @+1 {{this is done for other elements than the sum}}
      affine.store %s, %C[%i, %j] : memref<?x?xf64>
    }
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %0 = affine.load %A[%i, %k] : memref<?x?xf64>
        %1 = affine.load %B[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %C[%i, %j] : memref<?x?xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// A statement beside the sum changes a factor, by the sums of the row before.
func.func @needed(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %n: index) {
  affine.for %i = 1 to %n {
    %s = affine.load %C[%i - 1, 0] : memref<?x?xf64>
    // expected-remark @+1 {{this and the sums need each other}}
    affine.store %s, %A[%i, 0] : memref<?x?xf64>
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %0 = affine.load %A[%i, %k] : memref<?x?xf64>
        %1 = affine.load %B[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %C[%i, %j] : memref<?x?xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// Neither a row and a column: no remark where it does not look like a product at all.
func.func @vector(%A: memref<?x?xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %k = 0 to %n {
      %0 = affine.load %A[%i, %k] : memref<?x?xf64>
      %1 = affine.load %x[%k] : memref<?xf64>
      %2 = arith.mulf %0, %1 : f64
      %3 = affine.load %y[%i] : memref<?xf64>
      %4 = arith.addf %3, %2 : f64
      affine.store %4, %y[%i] : memref<?xf64>
    }
  }
  return
}

// -----

func.func @diagonal(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %0 = affine.load %A[%i, %k] : memref<?x?xf64>
        %1 = affine.load %B[%i, %k] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %C[%i, %j] : memref<?x?xf64>
        %4 = arith.addf %3, %2 : f64
        // expected-remark @+1 {{this multiplies elements that are not one of a row and one of a column}}
        affine.store %4, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// Past the end of k a zero would become another number.
func.func @shifted(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %s: f64, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        // expected-remark @+1 {{this is in a factor that is not zero where the element is}}
        %0 = affine.load %A[%i, %k] : memref<?x?xf64>
        %1 = arith.subf %0, %s : f64
        %2 = affine.load %B[%k, %j] : memref<?x?xf64>
        %3 = arith.mulf %1, %2 : f64
        %4 = affine.load %C[%i, %j] : memref<?x?xf64>
        %5 = arith.addf %4, %3 : f64
        affine.store %5, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// Each r has a product of its own.
func.func @side_by_side(%A: memref<?x?x?xf64>, %B: memref<?x?x?xf64>, %C: memref<?x?x?xf64>, %n: index) {
  affine.for %r = 0 to %n {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        affine.for %k = 0 to %n {
          %0 = affine.load %A[%r, %i, %k] : memref<?x?x?xf64>
          %1 = affine.load %B[%r, %k, %j] : memref<?x?x?xf64>
          %2 = arith.mulf %0, %1 : f64
          %3 = affine.load %C[%r, %i, %j] : memref<?x?x?xf64>
          %4 = arith.addf %3, %2 : f64
          // expected-remark @+1 {{matrix products side by side, blocks of 128 x 128, 16 of k at a time, matrix units; blocks of 64 x 64 where these take less time}}
          affine.store %4, %C[%r, %i, %j] : memref<?x?x?xf64>
        }
      }
    }
  }
  return
}

// -----

// Rows by two counters, of which the inner goes up to the outer.
func.func @pairs(%A: memref<?x?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?x?xf64>, %n: index) {
  affine.for %r = 0 to %n {
    affine.for %i = 0 to affine_map<(d0) -> (d0)>(%r) {
      affine.for %j = 0 to %n {
        affine.for %k = 0 to %n {
          %0 = affine.load %A[%r, %i, %k] : memref<?x?x?xf64>
          %1 = affine.load %B[%k, %j] : memref<?x?xf64>
          %2 = arith.mulf %0, %1 : f64
          %3 = affine.load %C[%r, %i, %j] : memref<?x?x?xf64>
          %4 = arith.addf %3, %2 : f64
          // expected-remark @+1 {{this is one of several products side by side that differ in size}}
          affine.store %4, %C[%r, %i, %j] : memref<?x?x?xf64>
        }
      }
    }
  }
  return
}

// -----

// What is read is overwritten before: rows after this one would have to be read as they
// were, but those before it are read.
func.func @in_place(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
        %0 = affine.load %A[%i, %k] : memref<?x?xf64>
        // expected-remark @+1 {{this may read what the sums are stored to}}
        %1 = affine.load %B[%k, %j] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %B[%i, %j] : memref<?x?xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %B[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// What is multiplied has more digits than an element.
func.func @scaled(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>, %s: f32, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %a16 = affine.load %A[%i, %k] : memref<?x?xf16>
        %b16 = affine.load %B[%k, %j] : memref<?x?xf16>
        %a = arith.extf %a16 : f16 to f32
        %b = arith.extf %b16 : f16 to f32
        %0 = arith.mulf %a, %s : f32
        %1 = arith.mulf %0, %b : f32
        %2 = affine.load %C[%i, %j] : memref<?x?xf32>
        %3 = arith.addf %2, %1 : f32
        // expected-remark @+1 {{no kernel of its own for this product: factors of 16 bits have kernels where both are elements of one type, widened and nothing else}}
        affine.store %3, %C[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

// -----

func.func @doubles(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %a16 = affine.load %A[%i, %k] : memref<?x?xf16>
        %b16 = affine.load %B[%k, %j] : memref<?x?xf16>
        %a = arith.extf %a16 : f16 to f64
        %b = arith.extf %b16 : f16 to f64
        %0 = arith.mulf %a, %b : f64
        %1 = affine.load %C[%i, %j] : memref<?x?xf64>
        %2 = arith.addf %1, %0 : f64
        // expected-remark @+1 {{no kernel of its own for this product: factors of 16 bits have kernels where sums are f32}}
        affine.store %2, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// Rows by two counters have no kernel for elements of 16 bits: for each r a product.
func.func @pairs_of_16(%A: memref<?x?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?x?xf32>, %n: index) {
  affine.for %r = 0 to %n {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        affine.for %k = 0 to %n {
          %a16 = affine.load %A[%r, %i, %k] : memref<?x?x?xf16>
          %b16 = affine.load %B[%k, %j] : memref<?x?xf16>
          %a = arith.extf %a16 : f16 to f32
          %b = arith.extf %b16 : f16 to f32
          %0 = arith.mulf %a, %b : f32
          %1 = affine.load %C[%r, %i, %j] : memref<?x?x?xf32>
          %2 = arith.addf %1, %0 : f32
          // expected-remark @+1 {{matrix products side by side, blocks of 128 x 256, 32 of k at a time, matrix units, factors of 16 bits}}
          affine.store %2, %C[%r, %i, %j] : memref<?x?x?xf32>
        }
      }
    }
  }
  return
}

// -----

// Not for all pairs of both counters.
func.func @some_pairs(%A: memref<?x?x?xf32>, %B: memref<?x?x?xf32>, %C: memref<?x?x?x?xf32>, %n: index) {
  affine.for %r = 0 to %n {
    affine.for %h = 0 to affine_map<(d0) -> (d0)>(%r) {
      affine.for %i = 0 to %n {
        affine.for %j = 0 to %n {
          affine.for %k = 0 to %n {
            %0 = affine.load %A[%r, %i, %k] : memref<?x?x?xf32>
            %1 = affine.load %B[%h, %k, %j] : memref<?x?x?xf32>
            %2 = arith.mulf %0, %1 : f32
            %3 = affine.load %C[%r, %h, %i, %j] : memref<?x?x?x?xf32>
            %4 = arith.addf %3, %2 : f32
            // expected-remark @+1 {{this is one of several products side by side, not for all numbers of each counter}}
            affine.store %4, %C[%r, %h, %i, %j] : memref<?x?x?x?xf32>
          }
        }
      }
    }
  }
  return
}

// -----

// All products are added to one matrix.
func.func @all_to_one(%A: memref<?x?x?xf64>, %B: memref<?x?x?xf64>, %C: memref<?x?xf64>, %n: index) {
  affine.for %r = 0 to %n {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        affine.for %k = 0 to %n {
          %0 = affine.load %A[%r, %i, %k] : memref<?x?x?xf64>
          %1 = affine.load %B[%r, %k, %j] : memref<?x?x?xf64>
          %2 = arith.mulf %0, %1 : f64
          %3 = affine.load %C[%i, %j] : memref<?x?xf64>
          %4 = arith.addf %3, %2 : f64
          // expected-remark @+1 {{no kernel of its own for a matrix product: this adds up over several loops}}
          affine.store %4, %C[%i, %j] : memref<?x?xf64>
        }
      }
    }
  }
  return
}

// -----

// In place, as they were before.
func.func @overwritten(%A: memref<?x?x?xf64>, %B: memref<?x?x?xf64>, %r: index, %n: index) {
  affine.for %q = 0 to %r {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        affine.for %k = affine_map<(d0) -> (d0 + 1)>(%i) to %n {
          %0 = affine.load %A[%q, %k, %i] : memref<?x?x?xf64>
          %1 = affine.load %B[%q, %k, %j] : memref<?x?x?xf64>
          %2 = arith.mulf %0, %1 : f64
          %3 = affine.load %B[%q, %i, %j] : memref<?x?x?xf64>
          %4 = arith.addf %3, %2 : f64
          // expected-remark @+1 {{no kernel of its own for this product: a factor that is overwritten has no copy for products side by side}}
          affine.store %4, %B[%q, %i, %j] : memref<?x?x?xf64>
        }
      }
    }
  }
  return
}

// -----

// 5 x 6 elements of blocks of 64 x 64.
func.func @tiny(%A: memref<?x5x4xf64>, %B: memref<?x4x6xf64>, %C: memref<?x5x6xf64>, %n: index) {
  affine.for %r = 0 to %n {
    affine.for %i = 0 to 5 {
      affine.for %j = 0 to 6 {
        affine.for %k = 0 to 4 {
          %0 = affine.load %A[%r, %i, %k] : memref<?x5x4xf64>
          %1 = affine.load %B[%r, %k, %j] : memref<?x4x6xf64>
          %2 = arith.mulf %0, %1 : f64
          %3 = affine.load %C[%r, %i, %j] : memref<?x5x6xf64>
          %4 = arith.addf %3, %2 : f64
          // expected-remark @+1 {{no kernel of its own for this product: the matrices side by side would leave most of each block empty}}
          affine.store %4, %C[%r, %i, %j] : memref<?x5x6xf64>
        }
      }
    }
  }
  return
}
