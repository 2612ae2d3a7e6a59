// RUN: terrace-opt %s -split-input-file -verify-diagnostics -gpu-map-scans='notes=true' -o /dev/null

// What is scanned, and what is not, with the reason.

// -----

// Through memory, one element after another.
func.func @shifted(%n: index, %A: memref<?xi32>, %B: memref<?xi32>) {
  // expected-remark @+1 {{scanned in parts where there are enough elements}}
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
  // expected-remark @+1 {{scanned in parts where there are enough elements}}
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
  // expected-remark @+1 {{scanned in parts where there are enough elements}}
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
  // expected-remark @+1 {{scanned in parts where there are enough elements}}
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
    // expected-remark @+1 {{scanned row by row, in parts where rows are few, where there are enough elements}}
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
    // expected-remark @+1 {{scanned in parts where there are enough elements}}
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
    // expected-remark @+1 {{no kernel for the scan of this loop: this goes along columns, which lie side by side, so that each has a thread}}
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
  // expected-remark @+1 {{scanned in parts}}
  affine.for %i = 1 to %n {
    %p = affine.load %B[%i - 1] : memref<?xf64>
    %x = affine.load %A[%i] : memref<?xf64>
    %t = arith.addf %p, %x fastmath<reassoc> : f64
    affine.store %t, %B[%i] : memref<?xf64>
  }
  // The greatest is the same in any order.
  // expected-remark @+1 {{scanned in parts}}
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
  // expected-remark @+1 {{scanned in parts}}
  affine.for %i = 0 to %n iter_args(%s = %z) -> (i32) {
    %x = affine.load %A[%i] : memref<?xi32>
    %t = arith.addi %s, %x : i32
    affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i) {
      affine.store %t, %B[%i] : memref<?xi32>
    }
    affine.yield %t : i32
  }
  affine.for %i = 0 to %n iter_args(%s = %z) -> (i32) {
    // expected-remark @+1 {{no kernel for the scan of this loop: this is 'affine.if', which scans do not have}}
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
