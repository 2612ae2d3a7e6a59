// RUN: terrace-opt %s -split-input-file -verify-diagnostics -affine-delay-updates='size=4 notes=true' -o /dev/null
// RUN: not terrace-opt %s -affine-delay-updates=size=1 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not terrace-opt %s -affine-delay-updates='size=8 least=7' 2>&1 | FileCheck %s --check-prefix=LEAST

// SIZE: size is 1, expected 2 to 1048576
// LEAST: least is 7, expected at least 8, the size of a tile

func.func @delayed(%A: memref<?x?xf64>, %n: index) {
  // expected-remark @+1 {{updates of 'A' beyond tiles of 4 steps wait for the end of the tile}}
  affine.for %k = 0 to %n {
    affine.parallel (%i, %j) = (%k + 1, %k + 1) to (symbol(%n), symbol(%n)) {
      %l = affine.load %A[%i, %k] : memref<?x?xf64>
      %u = affine.load %A[%k, %j] : memref<?x?xf64>
      %p = arith.mulf %l, %u : f64
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = arith.subf %a, %p : f64
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// -----

// Each step keeps its whole column.
func.func @side(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index) {
  // expected-remark @+1 {{updates of 'A' beyond tiles of 4 steps wait for the end of the tile; some of what is beyond it by one counter alone stays in its step: flow dependence on 'A' from the store at}}
  affine.for %k = 0 to %n {
    affine.parallel (%i) = (0) to (symbol(%n)) {
      %a = affine.load %A[%i, %k] : memref<?x?xf64>
      affine.store %a, %B[%i, %k] : memref<?x?xf64>
    }
    affine.parallel (%i, %j) = (%k + 1, %k + 1) to (symbol(%n), symbol(%n)) {
      %l = affine.load %A[%i, %k] : memref<?x?xf64>
      %u = affine.load %A[%k, %j] : memref<?x?xf64>
      %p = arith.mulf %l, %u : f64
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = arith.subf %a, %p : f64
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// -----

// Sums of whole columns need all updates of the steps before (Gram-Schmidt).
func.func @flow(%A: memref<?x?xf64>, %r: memref<?x?xf64>, %n: index) {
  affine.for %k = 0 to %n {
    affine.parallel (%j) = (%k + 1) to (symbol(%n)) {
      affine.for %i = 0 to %n {
        %x = affine.load %A[%i, %k] : memref<?x?xf64>
        %y = affine.load %A[%i, %j] : memref<?x?xf64>
        %p = arith.mulf %x, %y : f64
        affine.store %p, %r[%k, %j] : memref<?x?xf64>
      }
    }
    // expected-remark @+1 {{not delayed: flow dependence on 'A' from the store at 65:7 to the load at 53:14, carried by loop 'k' at line 49}}
    affine.parallel (%i, %j) = (0, %k + 1) to (symbol(%n), symbol(%n)) {
      %x = affine.load %A[%i, %k] : memref<?x?xf64>
      %y = affine.load %r[%k, %j] : memref<?x?xf64>
      %p = arith.mulf %x, %y : f64
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = arith.subf %a, %p : f64
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// -----

// What the updates load is set anew in each step.
func.func @anti(%A: memref<?x?xf64>, %v: memref<?xf64>, %n: index) {
  affine.for %k = 0 to %n {
    // expected-remark @+1 {{not delayed: anti dependence on 'v' from the load at 78:12 to the store at 85:7, carried by loop 'k' at line 75}}
    affine.parallel (%i, %j) = (%k + 1, 0) to (symbol(%n), symbol(%n)) {
      %x = affine.load %v[%j] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = arith.addf %a, %x : f64
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
    }
    affine.parallel (%j) = (0) to (symbol(%n)) {
      %x = affine.load %A[%k, %j] : memref<?x?xf64>
      affine.store %x, %v[%j] : memref<?xf64>
    }
  }
  return
}

// -----

// An element that has been updated is set in the same tile.
func.func @set(%A: memref<?x?xf64>, %v: memref<?xf64>, %n: index) {
  %zero = arith.constant 0.0 : f64
  affine.for %k = 0 to %n {
    // expected-remark @+1 {{not delayed: anti dependence on 'A' from the load at 100:12 to the store at 104:5, carried by loop 'k' at line 96}}
    affine.parallel (%i, %j) = (%k + 1, 0) to (symbol(%n), symbol(%n)) {
      %x = affine.load %v[%k] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = arith.addf %a, %x : f64
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
    }
    affine.store %zero, %A[symbol(%n) - 1, %k] : memref<?x?xf64>
  }
  return
}

// -----

// Elements depend on one another, so that no thread could have one alone.
func.func @threads(%A: memref<?x?xf64>, %n: index) {
  affine.for %k = 0 to %n {
    // expected-remark @+1 {{not delayed: anti dependence on 'A' from the load at 116:12 to the store at 119:7, carried by loop 'k' at line 113}}
    affine.parallel (%i, %j) = (%k + 1, 0) to (symbol(%n), symbol(%n)) {
      %x = affine.load %A[%i + 1, %j] : memref<?x?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = arith.addf %a, %x : f64
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// -----

func.func private @f()

func.func @called(%A: memref<?x?xf64>, %v: memref<?xf64>, %n: index) {
  affine.for %k = 0 to %n {
    func.call @f() : () -> ()
    // expected-remark @+1 {{not delayed: possible anti dependence on 'memory'}}
    affine.parallel (%i, %j) = (%k + 1, 0) to (symbol(%n), symbol(%n)) {
      %x = affine.load %v[%k] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = arith.addf %a, %x : f64
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// -----

func.func @value_of_the_step(%A: memref<?x?xf64>, %v: memref<?xf64>, %n: index) {
  affine.for %k = 0 to %n {
    %x = affine.load %v[%k] : memref<?xf64>
    // expected-remark @+1 {{not delayed: it uses the value of 'affine.load', which stands outside of it in the step}}
    affine.parallel (%i, %j) = (%k + 1, 0) to (symbol(%n), symbol(%n)) {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = arith.addf %a, %x : f64
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// -----

// Four tiles of four have more.
func.func @few_steps(%A: memref<?x?xf64>, %v: memref<?xf64>, %n: index) {
  affine.for %k = 0 to 15 {
    // expected-remark @+1 {{not delayed: the loop around it has 15 steps, and a tile begins where 16 are left}}
    affine.parallel (%i, %j) = (%k + 1, 0) to (symbol(%n), symbol(%n)) {
      %x = affine.load %v[%k] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = arith.addf %a, %x : f64
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// -----

func.func @large_steps(%A: memref<?x?xf64>, %v: memref<?xf64>, %n: index) {
  affine.for %k = 0 to %n step 2 {
    // expected-remark @+1 {{not delayed: the loop around it goes in steps of 2, not of 1}}
    affine.parallel (%i, %j) = (%k + 1, 0) to (symbol(%n), symbol(%n)) {
      %x = affine.load %v[%k] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = arith.addf %a, %x : f64
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// -----

func.func @carried(%A: memref<?x?xf64>, %v: memref<?xf64>, %n: index, %f: f64) -> f64 {
  %r = affine.for %k = 0 to %n iter_args(%c = %f) -> f64 {
    // expected-remark @+1 {{not delayed: the loop around it carries values from step to step}}
    affine.parallel (%i, %j) = (%k + 1, 0) to (symbol(%n), symbol(%n)) {
      %x = affine.load %v[%k] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = arith.addf %a, %x : f64
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
    }
    %d = arith.addf %c, %c : f64
    affine.yield %d : f64
  }
  return %r : f64
}

// -----

func.func @several_ends(%A: memref<?x?xf64>, %v: memref<?xf64>, %n: index, %m: index) {
  affine.for %k = 0 to min affine_map<(n, m) -> (n, m)>(%n, %m) {
    // expected-remark @+1 {{not delayed: the bounds of the loop around it are not one linear form each}}
    affine.parallel (%i, %j) = (%k + 1, 0) to (symbol(%n), symbol(%n)) {
      %x = affine.load %v[%k] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = arith.addf %a, %x : f64
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// -----

func.func @bounds(%A: memref<?x?xf64>, %v: memref<?xf64>, %n: index) {
  affine.for %k = 0 to %n {
    // expected-remark @+1 {{not delayed: a loop of it begins at more than the step's number and a constant}}
    affine.parallel (%i, %j) = (2 * %k, 0) to (symbol(%n), symbol(%n)) {
      %x = affine.load %v[%k] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = arith.addf %a, %x : f64
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %k = 0 to %n {
    // expected-remark @+1 {{not delayed: a loop of it ends at the step's number}}
    affine.parallel (%i, %j) = (0, 0) to (%k, symbol(%n)) {
      %x = affine.load %v[%k] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = arith.addf %a, %x : f64
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %k = 0 to %n {
    // expected-remark @+1 {{not delayed: none of its loops begins at the step's number and a constant}}
    affine.parallel (%i, %j) = (0, 0) to (symbol(%n), symbol(%n)) {
      %x = affine.load %v[%k] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = arith.addf %a, %x : f64
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// -----

func.func @three(%A: memref<?x?x?xf64>, %v: memref<?xf64>, %n: index) {
  affine.for %k = 0 to %n {
    // expected-remark @+1 {{not delayed: 3 of its loops begin at the step's number}}
    affine.parallel (%i, %j, %l) = (%k, %k, %k) to (symbol(%n), symbol(%n), symbol(%n)) {
      %x = affine.load %v[%k] : memref<?xf64>
      %a = affine.load %A[%i, %j, %l] : memref<?x?x?xf64>
      %s = arith.addf %a, %x : f64
      affine.store %s, %A[%i, %j, %l] : memref<?x?x?xf64>
    }
  }
  return
}

// -----

func.func @another_store(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %v: memref<?xf64>, %n: index) {
  affine.for %k = 0 to %n {
    // expected-remark @+1 {{not delayed: its body has 'affine.store' beside the update}}
    affine.parallel (%i, %j) = (%k + 1, 0) to (symbol(%n), symbol(%n)) {
      %x = affine.load %v[%k] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = arith.addf %a, %x : f64
      affine.store %s, %A[%i, %j] : memref<?x?xf64>
      affine.store %a, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// -----

// A vector is little beside the launches; elements of the step are others in each; and what runs
// in a thread stays there: nothing is said of these.
func.func @others(%A: memref<?x?xf64>, %v: memref<?xf64>, %n: index) {
  affine.for %k = 0 to %n {
    affine.parallel (%i) = (%k + 1) to (symbol(%n)) {
      %x = affine.load %A[%i, %k] : memref<?x?xf64>
      %a = affine.load %v[%i] : memref<?xf64>
      %s = arith.addf %a, %x : f64
      affine.store %s, %v[%i] : memref<?xf64>
    }
    affine.parallel (%i) = (%k + 1) to (symbol(%n)) {
      %x = affine.load %v[%i] : memref<?xf64>
      %a = affine.load %A[%k, %i] : memref<?x?xf64>
      %s = arith.addf %a, %x : f64
      affine.store %s, %A[%k, %i] : memref<?x?xf64>
    }
  }
  return
}
