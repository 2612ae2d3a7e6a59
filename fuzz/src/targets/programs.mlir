// Small functions, each with something that steps of schedules and passes must look at.
// Floats are whole numbers small enough for sums in any order to be exact.

// A nest of three loops, and a reduction through memory.
func.func @gemm(%A: memref<5x6xf64> {terrace.init = "iota:5x6"},
                %B: memref<6x7xf64> {terrace.init = "iota:6x7"},
                %C: memref<5x7xf64> {terrace.init = "iota:5x7"}) {
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 7 {
      affine.for %k = 0 to 6 {
        %a = affine.load %A[%i, %k] : memref<5x6xf64>
        %b = affine.load %B[%k, %j] : memref<6x7xf64>
        %c = affine.load %C[%i, %j] : memref<5x7xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<5x7xf64>
      }
    }
  }
  return
}

// Bounds that depend on other loops, sizes that are not known, two nests in a loop.
func.func @lu(%n: index {terrace.init = "6"},
              %A: memref<?x?xi32> {terrace.init = "random:6x6:3"}) {
  affine.for %k = 0 to %n {
    affine.for %i = affine_map<(d0) -> (d0 + 1)>(%k) to %n {
      %p = affine.load %A[%k, %k] : memref<?x?xi32>
      %a = affine.load %A[%i, %k] : memref<?x?xi32>
      %l = arith.xori %a, %p : i32
      affine.store %l, %A[%i, %k] : memref<?x?xi32>
    } {schedule.label = "column"}
    affine.for %i = affine_map<(d0) -> (d0 + 1)>(%k) to %n {
      affine.for %j = affine_map<(d0) -> (d0 + 1)>(%k) to %n {
        %l = affine.load %A[%i, %k] : memref<?x?xi32>
        %u = affine.load %A[%k, %j] : memref<?x?xi32>
        %m = arith.muli %l, %u : i32
        %a = affine.load %A[%i, %j] : memref<?x?xi32>
        %r = arith.subi %a, %m : i32
        affine.store %r, %A[%i, %j] : memref<?x?xi32>
      }
    } {schedule.label = "update"}
  }
  return
}

// Dependences in both directions of space, that time steps carry.
func.func @seidel(%t: index {terrace.init = "3"}, %n: index {terrace.init = "7"},
                  %A: memref<?x?xi32> {terrace.init = "random:7x7:4"}) {
  affine.for %s = 0 to %t {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
        %a = affine.load %A[%i - 1, %j + 1] : memref<?x?xi32>
        %b = affine.load %A[%i, %j - 1] : memref<?x?xi32>
        %c = affine.load %A[%i + 1, %j] : memref<?x?xi32>
        %x = arith.addi %a, %b : i32
        %y = arith.muli %x, %c : i32
        affine.store %y, %A[%i, %j] : memref<?x?xi32>
      }
    }
  }
  return
}

// Neighbours that hand each other an array, a step, a maximum of bounds, a condition.
func.func @neighbours(%n: index {terrace.init = "11"},
                      %A: memref<?xi64> {terrace.init = "random:16:5"},
                      %B: memref<?xi64> {terrace.init = "random:16:6"},
                      %C: memref<16xi64> {terrace.init = "random:16:7"}) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xi64>
    %b = arith.muli %a, %a : i64
    affine.store %b, %B[%i] : memref<?xi64>
  }
  affine.for %j = max affine_map<()[s0] -> (1, s0 - 9)>()[%n] to min affine_map<()[s0] -> (s0, 13)>()[%n] step 2 {
    %b = affine.load %B[%j - 1] : memref<?xi64>
    affine.if affine_set<(d0) : (d0 - 4 >= 0)>(%j) {
      affine.store %b, %C[%j] : memref<16xi64>
    } else {
      affine.store %b, %C[15 - %j] : memref<16xi64>
    }
    %c = affine.load %C[%j mod 4 + %j floordiv 3] : memref<16xi64>
    affine.store %c, %A[%j] : memref<?xi64>
  }
  affine.for %k = 0 to %n {
    %b = affine.load %B[%k] : memref<?xi64>
    affine.store %b, %C[%k + 2] : memref<16xi64>
  }
  return
}

// A temporary that each iteration writes before it reads it.
func.func @temporary(%A: memref<6x4xi32> {terrace.init = "random:6x4:8"},
                     %B: memref<6x4xi32> {terrace.init = "random:6x4:9"}) {
  %T = memref.alloc() : memref<4xi32>
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 4 {
      %a = affine.load %A[%i, %j] : memref<6x4xi32>
      affine.store %a, %T[%j] : memref<4xi32>
    }
    affine.for %k = 0 to 4 {
      %t = affine.load %T[3 - %k] : memref<4xi32>
      affine.store %t, %B[%i, %k] : memref<6x4xi32>
    }
  }
  memref.dealloc %T : memref<4xi32>
  return
}

// Values that iterations carry: sums, a recurrence, and what is used of them behind.
func.func @carried(%x: i32 {terrace.init = "3"}, %n: index {terrace.init = "9"},
                   %A: memref<?xi32> {terrace.init = "random:9:10"},
                   %B: memref<?xi32> {terrace.init = "random:9:11"}) -> (i32, i32) {
  %r:2 = affine.for %i = 0 to %n iter_args(%s = %x, %h = %x) -> (i32, i32) {
    %a = affine.load %A[%i] : memref<?xi32>
    %s1 = arith.addi %s, %a : i32
    %b = affine.load %B[%i] : memref<?xi32>
    %m = arith.muli %h, %a : i32
    %h1 = arith.addi %m, %b : i32
    affine.store %h1, %B[%i] : memref<?xi32>
    affine.yield %s1, %h1 : i32, i32
  }
  %y = affine.for %j = 0 to %n iter_args(%h = %x) -> (i32) {
    %a = affine.load %A[%j] : memref<?xi32>
    %m = arith.muli %h, %a : i32
    %h1 = arith.addi %m, %x : i32
    affine.yield %h1 : i32
  }
  %z = arith.xori %r#1, %y : i32
  return %r#0, %z : i32, i32
}

// Calls, and loops that are parallel already.
func.func private @row(%A: memref<6x8xi32>, %i: index) {
  affine.for %j = 0 to 8 {
    %a = affine.load %A[symbol(%i), %j] : memref<6x8xi32>
    %b = arith.addi %a, %a : i32
    affine.store %b, %A[symbol(%i), 7 - %j] : memref<6x8xi32>
  }
  return
}

func.func @calls(%A: memref<6x8xi32> {terrace.init = "random:6x8:12"},
                 %B: memref<6x8xi32> {terrace.init = "random:6x8:13"}) {
  affine.for %i = 0 to 6 {
    func.call @row(%A, %i) : (memref<6x8xi32>, index) -> ()
  }
  affine.parallel (%p, %q) = (0, 0) to (6, 8) {
    %a = affine.load %A[%p, %q] : memref<6x8xi32>
    affine.store %a, %B[%p, 7 - %q] : memref<6x8xi32>
  }
  affine.parallel (%u, %v) = (1, 0) to (6, 8) step (1, 2) {
    %b = affine.load %B[%u - 1, %v] : memref<6x8xi32>
    affine.store %b, %A[%u, %v] : memref<6x8xi32>
  }
  return
}
