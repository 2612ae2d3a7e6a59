// RUN: terrace-opt %s -split-input-file -verify-diagnostics -gpu-map-scans='notes=true' -o /dev/null

// What is scanned, and what is not, with the reason.

// -----

// Through memory, one element after another.
func.func @shifted(%n: index, %A: memref<?xi32>, %B: memref<?xi32>) {
  // expected-remark @+1 {{scanned in one pass where there are enough elements}}
  affine.for %i = 1 to %n {
    %p = affine.load %B[%i - 1] : memref<?xi32>
    %x = affine.load %A[%i] : memref<?xi32>
    %t = arith.addi %p, %x : i32
    affine.store %t, %B[%i] : memref<?xi32>
  }
  return
}

// -----

// In place.
func.func @inplace(%n: index, %B: memref<?xi32>) {
  // expected-remark @+1 {{scanned in one pass where there are enough elements}}
  affine.for %i = 1 to %n {
    %p = affine.load %B[%i - 1] : memref<?xi32>
    %x = affine.load %B[%i] : memref<?xi32>
    %t = arith.maxsi %x, %p : i32
    affine.store %t, %B[%i] : memref<?xi32>
  }
  return
}

// -----

// A number in memory.
func.func @scalar(%n: index, %s: memref<i32>, %A: memref<?xi32>, %B: memref<?xi32>) {
  // expected-remark @+1 {{scanned in one pass where there are enough elements}}
  affine.for %i = 0 to %n {
    %p = affine.load %s[] : memref<i32>
    %x = affine.load %A[%i] : memref<?xi32>
    %t = arith.addi %p, %x : i32
    affine.store %t, %s[] : memref<i32>
    %u = affine.load %s[] : memref<i32>
    affine.store %u, %B[%i] : memref<?xi32>
  }
  return
}

// -----

// What is used is the value before, and the last.
func.func @exclusive(%n: index, %A: memref<?xi32>) -> i32 {
  %z = arith.constant 0 : i32
  // expected-remark @+1 {{scanned in one pass where there are enough elements}}
  %r = affine.for %i = 0 to %n iter_args(%s = %z) -> (i32) {
    %x = affine.load %A[%i] : memref<?xi32>
    %t = arith.addi %s, %x : i32
    affine.store %s, %A[%i] : memref<?xi32>
    affine.yield %t : i32
  }
  return %r : i32
}

// -----

// A reduction is no scan: nothing is said.
func.func @reduction(%n: index, %A: memref<?xi32>) -> i32 {
  %z = arith.constant 0 : i32
  %r = affine.for %i = 0 to %n iter_args(%s = %z) -> (i32) {
    %x = affine.load %A[%i] : memref<?xi32>
    %t = arith.addi %s, %x : i32
    affine.yield %t : i32
  }
  return %r : i32
}

// -----

func.func @rows(%m: index, %n: index, %A: memref<?x?xi32>, %B: memref<?x?xi32>, %S: memref<?xi32>) {
  %z = arith.constant 0 : i32
  affine.for %r = 0 to %m {
    // expected-remark @+1 {{scanned row by row, by the whole machine where rows are few, where there are enough elements}}
    %r0 = affine.for %i = 0 to %n iter_args(%s = %z) -> (i32) {
      %x = affine.load %A[%r, %i] : memref<?x?xi32>
      %t = arith.addi %s, %x : i32
      affine.store %t, %B[%r, %i] : memref<?x?xi32>
      affine.yield %t : i32
    }
    affine.store %r0, %S[%r] : memref<?xi32>
  }
  return
}

// -----

// Each iteration of the loop around is a row, and of the one around that comes after another.
func.func @time(%k: index, %n: index, %B: memref<?xi32>) {
  affine.for %t = 0 to %k {
    // expected-remark @+1 {{scanned in one pass where there are enough elements}}
    affine.for %i = 1 to %n {
      %p = affine.load %B[%i - 1] : memref<?xi32>
      %x = affine.load %B[%i] : memref<?xi32>
      %s = arith.addi %x, %p : i32
      affine.store %s, %B[%i] : memref<?xi32>
    }
  }
  return
}

// -----

func.func @columns(%m: index, %n: index, %A: memref<?x?xi32>, %B: memref<?x?xi32>) {
  affine.for %c = 0 to %m {
    // expected-remark @+1 {{scanned in one pass, rows side by side, where there are enough elements}}
    affine.for %i = 1 to %n {
      %p = affine.load %B[%i - 1, %c] : memref<?x?xi32>
      %x = affine.load %A[%i, %c] : memref<?x?xi32>
      %t = arith.addi %p, %x : i32
      affine.store %t, %B[%i, %c] : memref<?x?xi32>
    }
  }
  return
}

// -----

func.func @other_dep(%n: index, %A: memref<?xi32>, %B: memref<?xi32>) {
  affine.for %i = 1 to %n {
    %p = affine.load %B[%i - 1] : memref<?xi32>
    // expected-remark @+1 {{no kernel for the scan of this loop: this reads what another iteration wrote to A[i]}}
    %x = affine.load %A[%i - 1] : memref<?xi32>
    %t = arith.addi %p, %x : i32
    affine.store %t, %B[%i] : memref<?xi32>
    affine.store %t, %A[%i] : memref<?xi32>
  }
  return
}

// -----

func.func @itself(%n: index, %B: memref<?xi32>) {
  %z = arith.constant 1 : i32
  %r = affine.for %i = 0 to %n iter_args(%s = %z) -> (i32) {
    %q = arith.shrsi %s, %z : i32
    // expected-remark @+1 {{no kernel for the scan of this loop: this combines the running value with q, which is computed from it}}
    %t = arith.addi %s, %q : i32
    affine.store %t, %B[%i] : memref<?xi32>
    affine.yield %t : i32
  }
  return
}

// -----

// Rows of different lengths: a thread each, as before.
func.func @triangle(%n: index, %A: memref<?x?xi32>, %B: memref<?x?xi32>) {
  %z = arith.constant 0 : i32
  affine.for %r = 0 to %n {
    // expected-remark @+1 {{no kernel for the scan of this loop: this has bounds that change from row to row}}
    %r0 = affine.for %i = 0 to affine_map<(d0) -> (d0)>(%r) iter_args(%s = %z) -> (i32) {
      %x = affine.load %A[%r, %i] : memref<?x?xi32>
      %t = arith.addi %s, %x : i32
      affine.store %t, %B[%r, %i] : memref<?x?xi32>
      affine.yield %t : i32
    }
  }
  return
}

// -----

func.func @narrow(%n: index, %A: memref<?xi8>, %B: memref<?xi8>) {
  affine.for %i = 1 to %n {
    %p = affine.load %B[%i - 1] : memref<?xi8>
    %x = affine.load %A[%i] : memref<?xi8>
    // expected-remark @+1 {{no kernel for the scan of this loop: this makes a running value of type i8, and scans are of 32 or 64 bits}}
    %t = arith.addi %p, %x : i8
    affine.store %t, %B[%i] : memref<?xi8>
  }
  return
}

// -----

func.func @last(%n: index, %A: memref<?xi32>, %B: memref<2xi32>) {
  %z = arith.constant 0 : i32
  %r0 = affine.for %i = 0 to %n iter_args(%s = %z) -> (i32) {
    %x = affine.load %A[%i] : memref<?xi32>
    %t = arith.addi %s, %x : i32
    // expected-remark @+1 {{no kernel for the scan of this loop: this writes what another iteration wrote to B[1]}}
    affine.store %t, %B[1] : memref<2xi32>
    affine.yield %t : i32
  }
  return
}

// -----

// Sums of floats need to be told that their order does not matter.
func.func @floats(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %i = 1 to %n {
    %p = affine.load %B[%i - 1] : memref<?xf64>
    %x = affine.load %A[%i] : memref<?xf64>
    // expected-remark @+1 {{no kernel for the scan of this loop: this adds A[i] to a running value of type f64, and sums and products of floats may only be computed in another order with 'fastmath<reassoc>' on the op or with '--reassociate'}}
    %t = arith.addf %p, %x : f64
    affine.store %t, %B[%i] : memref<?xf64>
  }
  // expected-remark @+1 {{scanned in one pass}}
  affine.for %i = 1 to %n {
    %p = affine.load %B[%i - 1] : memref<?xf64>
    %x = affine.load %A[%i] : memref<?xf64>
    %t = arith.addf %p, %x fastmath<reassoc> : f64
    affine.store %t, %B[%i] : memref<?xf64>
  }
  // The greatest is the same in any order.
  // expected-remark @+1 {{scanned in one pass}}
  affine.for %i = 1 to %n {
    %p = affine.load %B[%i - 1] : memref<?xf64>
    %x = affine.load %A[%i] : memref<?xf64>
    %t = arith.maximumf %p, %x : f64
    affine.store %t, %B[%i] : memref<?xf64>
  }
  return
}

// -----

// What is combined is read behind a write of the same iteration: a part's sum cannot be
// computed ahead.
func.func @written_first(%n: index, %A: memref<?xi32>, %B: memref<?xi32>) {
  %z = arith.constant 0 : i32
  affine.for %i = 0 to %n iter_args(%s = %z) -> (i32) {
    affine.store %s, %A[%i] : memref<?xi32>
    // expected-remark @+1 {{no kernel for the scan of this loop: this reads what the same iteration wrote to A[i]}}
    %x = affine.load %A[%i] : memref<?xi32>
    %t = arith.addi %s, %x : i32
    affine.store %t, %B[%i] : memref<?xi32>
    affine.yield %t : i32
  }
  return
}

// -----

// Where an element goes depends on the running value: it may be one of another iteration.
func.func @compaction(%n: index, %A: memref<?xindex>, %B: memref<?xindex>) {
  %z = arith.constant 0 : index
  affine.for %i = 0 to %n iter_args(%s = %z) -> (index) {
    %x = affine.load %A[%i] : memref<?xindex>
    %t = arith.addi %s, %x : index
    // expected-remark @+1 {{no kernel for the scan of this loop: this writes what another iteration wrote to B[s]}}
    memref.store %i, %B[%s] : memref<?xindex>
    affine.yield %t : index
  }
  return
}

// -----

// Under a condition elements may be stored, but not the running value changed.
func.func @conditional(%n: index, %A: memref<?xi32>, %B: memref<?xi32>) {
  %z = arith.constant 0 : i32
  // expected-remark @+1 {{scanned in one pass}}
  affine.for %i = 0 to %n iter_args(%s = %z) -> (i32) {
    %x = affine.load %A[%i] : memref<?xi32>
    %t = arith.addi %s, %x : i32
    affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i) {
      affine.store %t, %B[%i] : memref<?xi32>
    }
    affine.yield %t : i32
  }
  // expected-remark @+1 {{scanned in one pass}}
  affine.for %i = 0 to %n iter_args(%s = %z) -> (i32) {
    %x = affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i) -> i32 {
      %y = affine.load %A[%i] : memref<?xi32>
      affine.yield %y : i32
    } else {
      affine.yield %z : i32
    }
    %t = arith.addi %s, %x : i32
    affine.store %t, %B[%i] : memref<?xi32>
    affine.yield %t : i32
  }
  return
}

// -----

// A store would be done in each launch.
func.func @writes_beside(%n: index, %A: memref<?xi32>, %B: memref<?xi32>) {
  %z = arith.constant 0 : i32
  affine.for %i = 0 to %n iter_args(%s = %z) -> (i32) {
    // expected-remark @+1 {{no kernel for the scan of this loop: this writes, and makes what is combined as well}}
    %x = affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i) -> i32 {
      %y = affine.load %A[%i] : memref<?xi32>
      affine.store %y, %B[%i] : memref<?xi32>
      affine.yield %y : i32
    } else {
      affine.yield %z : i32
    }
    %t = arith.addi %s, %x : i32
    affine.store %t, %A[%i] : memref<?xi32>
    affine.yield %t : i32
  }
  return
}

// -----

// A recurrence of integers may change places with nothing; its last value is enough.
func.func @linear(%n: index, %A: memref<?xi32>) -> i32 {
  %z = arith.constant 3 : i32
  // expected-remark @+1 {{scanned in parts where there are enough elements}}
  %r = affine.for %i = 0 to %n iter_args(%s = %z) -> (i32) {
    %x = affine.load %A[%i] : memref<?xi32>
    %p = arith.muli %s, %z : i32
    %t = arith.subi %x, %p : i32
    affine.yield %t : i32
  }
  return %r : i32
}

// -----

// Floats need the permission that sums need.
func.func @linear_float(%n: index, %A: memref<?xf32>) -> f32 {
  %half = arith.constant 0.5 : f32
  %r = affine.for %i = 0 to %n iter_args(%s = %half) -> (f32) {
    %x = affine.load %A[%i] : memref<?xf32>
    %p = arith.mulf %s, %half : f32
    // expected-remark @+1 {{no kernel for the scan of this loop: this makes a * x + b of a running value of type f32, and sums and products of floats may only be computed in another order}}
    %t = arith.addf %x, %p : f32
    affine.yield %t : f32
  }
  // expected-remark @+1 {{scanned in parts where there are enough elements}}
  %q = affine.for %i = 0 to %n iter_args(%s = %half) -> (f32) {
    %x = affine.load %A[%i] : memref<?xf32>
    %p = arith.mulf %s, %half fastmath<reassoc> : f32
    %t = arith.addf %x, %p fastmath<reassoc> : f32
    affine.yield %t : f32
  }
  %u = arith.addf %r, %q : f32
  return %u : f32
}

// -----

// Powers of what grows are beyond all numbers where the running value need not be.
func.func @grows(%n: index, %A: memref<?xf32>) -> f32 {
  %half = arith.constant 0.5 : f32
  %two = arith.constant 1.5 : f32
  %r = affine.for %i = 0 to %n iter_args(%s = %half) -> (f32) {
    %x = affine.load %A[%i] : memref<?xf32>
    %p = arith.mulf %s, %two fastmath<reassoc> : f32
    // expected-remark @+1 {{no kernel for the scan of this loop: this makes the running value 1.5 times as large, whose powers may leave the range of f32 where the value does not}}
    %t = arith.addf %x, %p fastmath<reassoc> : f32
    affine.yield %t : f32
  }
  return %r : f32
}

// -----

// Horner's rule of the same coefficients for many points: a thread each.
func.func @same_elements(%m: index, %n: index, %A: memref<?xi32>, %X: memref<?xi32>, %Y: memref<?xi32>) {
  %z = arith.constant 0 : i32
  affine.for %r = 0 to %m {
    %x = affine.load %X[%r] : memref<?xi32>
    // expected-remark @+1 {{no kernel for the scan of this loop: this makes A[i] + s * X[r] of the same elements in all rows, so that each has a thread}}
    %last = affine.for %i = 0 to %n iter_args(%s = %z) -> (i32) {
      %a = affine.load %A[%i] : memref<?xi32>
      %p = arith.muli %s, %x : i32
      %t = arith.addi %a, %p : i32
      affine.yield %t : i32
    }
    affine.store %last, %Y[%r] : memref<?xi32>
  }
  return
}

// -----

// A factor that is computed from another read of the running value.
func.func @factor_of_itself(%n: index, %B: memref<?xi32>) {
  affine.for %i = 1 to %n {
    %p = affine.load %B[%i - 1] : memref<?xi32>
    // expected-remark @+1 {{no kernel for the scan of this loop: this makes B[i - 1] * B[i] + b of the running value by a factor that is computed from it}}
    %q = affine.load %B[%i - 1] : memref<?xi32>
    %x = affine.load %B[%i] : memref<?xi32>
    %a = arith.muli %p, %x : i32
    %b = arith.shrsi %q, %x : i32
    %t = arith.addi %a, %b : i32
    affine.store %t, %B[%i] : memref<?xi32>
  }
  return
}

// -----

// Floats that are no numbers would replace the running value, and not so in parts.
func.func @no_number_replaces(%n: index, %A: memref<?xf32>, %B: memref<?xf32>, %first: f32) {
  affine.for %i = 0 to %n iter_args(%s = %first) -> (f32) {
    %x = affine.load %A[%i] : memref<?xf32>
    %less = arith.cmpf olt, %s, %x : f32
    %t = arith.select %less, %s, %x : f32
    affine.store %t, %B[%i] : memref<?xf32>
    affine.yield %t : f32
  }
  // expected-remark @+1 {{scanned in one pass where there are enough elements}}
  affine.for %i = 0 to %n iter_args(%s = %first) -> (f32) {
    %x = affine.load %A[%i] : memref<?xf32>
    %less = arith.cmpf ult, %s, %x : f32
    %t = arith.select %less, %s, %x : f32
    affine.store %t, %B[%i] : memref<?xf32>
    affine.yield %t : f32
  }
  // expected-remark @+1 {{scanned in one pass where there are enough elements}}
  affine.for %i = 0 to %n iter_args(%s = %first) -> (f32) {
    %x = affine.load %A[%i] : memref<?xf32>
    %less = arith.cmpf uge, %s, %x : f32
    %t = arith.select %less, %s, %x : f32
    affine.store %t, %B[%i] : memref<?xf32>
    affine.yield %t : f32
  }
  return
}

// -----

// Two loops that carry a value together are one.
func.func @nested(%A: memref<70x90xi32>, %B: memref<70x90xi32>) -> i32 {
  %z = arith.constant 0 : i32
  // expected-remark @+1 {{scanned in parts where there are enough elements}}
  %r = affine.for %i = 0 to 70 iter_args(%s = %z) -> (i32) {
    %q = affine.for %j = 0 to 90 iter_args(%t = %s) -> (i32) {
      %x = affine.load %A[%i, %j] : memref<70x90xi32>
      %u = arith.addi %t, %x : i32
      affine.store %u, %B[%i, %j] : memref<70x90xi32>
      affine.yield %u : i32
    }
    affine.yield %q : i32
  }
  return %r : i32
}

// -----

// Of another store to where the running value is the next iteration reads.
func.func @overwritten(%n: index, %A: memref<?xi32>, %B: memref<?xi32>) {
  affine.for %i = 1 to %n {
    // expected-remark @+1 {{no kernel for the scan of this loop: this reads what another iteration wrote to B[i]}}
    %p = affine.load %B[%i - 1] : memref<?xi32>
    %x = affine.load %A[%i] : memref<?xi32>
    %t = arith.addi %p, %x : i32
    affine.store %t, %B[%i] : memref<?xi32>
    %u = arith.muli %t, %x : i32
    affine.store %u, %B[%i] : memref<?xi32>
  }
  return
}

// -----

func.func @indices(%n: index, %A: memref<?xindex>, %B: memref<?xindex>) {
  affine.for %i = 1 to %n {
    %p = affine.load %B[%i - 1] : memref<?xindex>
    %x = affine.load %A[%i] : memref<?xindex>
    // expected-remark @+1 {{no kernel for the scan of this loop: this makes a greatest or least index, and of indices scans are sums}}
    %t = arith.maxsi %p, %x : index
    affine.store %t, %B[%i] : memref<?xindex>
  }
  return
}

// -----

// Rows that a thread can have each, with more in them than a scan.
func.func @two_in_a_row(%m: index, %n: index, %A: memref<?x?xi32>, %B: memref<?x?xi32>) {
  affine.for %r = 0 to %m {
    affine.for %i = 1 to %n {
      %p = affine.load %B[%r, %i - 1] : memref<?x?xi32>
      %x = affine.load %A[%r, %i] : memref<?x?xi32>
      %t = arith.addi %p, %x : i32
      affine.store %t, %B[%r, %i] : memref<?x?xi32>
    }
    // expected-remark @+1 {{no kernel for the scan of this loop: this is 'affine.for', which scans do not have}}
    affine.for %i = 0 to %n {
      %x = affine.load %B[%r, %i] : memref<?x?xi32>
      affine.store %x, %A[%r, %i] : memref<?x?xi32>
    }
  }
  return
}

// -----

// A directive keeps the order.
func.func @in_order(%n: index, %A: memref<?xi32>, %B: memref<?xi32>) {
  // expected-remark @+1 {{no kernel for the scan of this loop: this is to run one iteration after another by its directive}}
  affine.for %i = 1 to %n {
    %p = affine.load %B[%i - 1] : memref<?xi32>
    %x = affine.load %A[%i] : memref<?xi32>
    %t = arith.addi %p, %x : i32
    affine.store %t, %B[%i] : memref<?xi32>
  } {acc.loop = {seq}}
  return
}

// -----

// And one that says what blocks are.
func.func @numbers(%n: index, %A: memref<?xi32>, %B: memref<?xi32>) attributes {acc.region = {construct = "parallel", num_gangs = 4 : i64}} {
  // expected-remark @+1 {{no kernel for the scan of this loop: this stands where a directive gives numbers of gangs or threads}}
  affine.for %i = 1 to %n {
    %p = affine.load %B[%i - 1] : memref<?xi32>
    %x = affine.load %A[%i] : memref<?xi32>
    %t = arith.addi %p, %x : i32
    affine.store %t, %B[%i] : memref<?xi32>
  }
  return
}
