// RUN: terrace-opt %s -split-input-file -verify-diagnostics -tile-from-affine='notes=true' -o /dev/null

// What is not done on tiles, with the reason.

func.func @sum(%A: memref<70x4095xf32>, %B: memref<70x4095xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.parallel (%i) = (0) to (70) {
    // expected-remark @+1 {{not on tiles: the nest around it sums floats, and no flag lets sums be made in another order}}
    %s = affine.for %j = 0 to 4095 iter_args(%a = %zero) -> f32 {
      %x = affine.load %A[%i, %j] : memref<70x4095xf32>
      %t = arith.addf %a, %x : f32
      affine.yield %t : f32
    }
    affine.parallel (%j) = (0) to (4095) {
      affine.store %s, %B[%i, %j] : memref<70x4095xf32>
    }
  }
  return
}

// -----

func.func @carried(%A: memref<70x4095xf32>) {
  affine.parallel (%i) = (0) to (70) {
    // expected-remark @+1 {{not on tiles: the nest around it has iterations that depend on each other through memory}}
    affine.for %j = 1 to 4095 {
      %x = affine.load %A[%i, %j - 1] : memref<70x4095xf32>
      affine.store %x, %A[%i, %j] : memref<70x4095xf32>
    }
  }
  return
}

// -----

func.func @handed(%A: memref<70x4095xf32>, %S: memref<70xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.parallel (%i) = (0) to (70) {
    // expected-remark @+1 {{not on tiles: the nest around it hands something on that is no sum and no extremum}}
    %s = affine.for %j = 0 to 4095 iter_args(%a = %zero) -> f32 {
      %x = affine.load %A[%i, %j] : memref<70x4095xf32>
      %t = arith.divf %a, %x : f32
      affine.yield %t : f32
    }
    affine.store %s, %S[%i] : memref<70xf32>
  }
  return
}

// -----

func.func @indirect(%A: memref<70x4095xf32>, %I: memref<4095xindex>, %B: memref<70x4095xf32>) {
  affine.parallel (%i) = (0) to (70) {
    affine.parallel (%j) = (0) to (4095) {
      %k = affine.load %I[%j] : memref<4095xindex>
      // expected-remark @+1 {{not on tiles: the nest around it touches memory in another way than by affine subscripts}}
      %x = memref.load %A[%i, %k] : memref<70x4095xf32>
      affine.store %x, %B[%i, %j] : memref<70x4095xf32>
    }
  }
  return
}

// -----

func.func @ends(%A: memref<70x4095xf32>, %B: memref<70x4095xf32>) {
  // expected-remark @+1 {{not on tiles: the nest around it has loops inside that end at different numbers}}
  affine.parallel (%i) = (0) to (70) {
    affine.parallel (%j) = (0) to (4095) {
      %x = affine.load %A[%i, %j] : memref<70x4095xf32>
      affine.store %x, %B[%i, %j] : memref<70x4095xf32>
    }
    affine.parallel (%j) = (0) to (4094) {
      %x = affine.load %B[%i, %j] : memref<70x4095xf32>
      affine.store %x, %A[%i, %j] : memref<70x4095xf32>
    }
  }
  return
}

// -----

func.func @begin(%n: index, %A: memref<70x4095xi32>, %S: memref<70xi32>) {
  %zero = arith.constant 0 : i32
  affine.parallel (%i) = (0) to (70) {
    // expected-remark @+1 {{not on tiles: the nest around it begins at the greatest of several numbers}}
    %s = affine.for %j = max affine_map<()[n] -> (n, 3)>()[%n] to 4095 iter_args(%a = %zero) -> i32 {
      %x = affine.load %A[%i, %j] : memref<70x4095xi32>
      %t = arith.addi %a, %x : i32
      affine.yield %t : i32
    }
    affine.store %s, %S[%i] : memref<70xi32>
  }
  return
}

// -----

func.func @below(%A: memref<70x4095xi32>, %S: memref<70xi32>) {
  %zero = arith.constant 0 : i32
  affine.parallel (%i) = (0) to (70) {
    // expected-remark @+1 {{not on tiles: the nest around it begins below 0}}
    %s = affine.for %j = -1 to 4094 iter_args(%a = %zero) -> i32 {
      %x = affine.load %A[%i, %j + 1] : memref<70x4095xi32>
      %t = arith.addi %a, %x : i32
      affine.yield %t : i32
    }
    affine.store %s, %S[%i] : memref<70xi32>
  }
  return
}

// -----

func.func @triangle(%A: memref<70x70xf32>, %B: memref<70x70xf32>) {
  // expected-remark @+1 {{not on tiles: the nest around it has rows of different lengths}}
  affine.parallel (%i) = (0) to (70) {
    affine.parallel (%j) = (0) to (%i) {
      %x = affine.load %A[%i, %j] : memref<70x70xf32>
      affine.store %x, %B[%i, %j] : memref<70x70xf32>
    }
  }
  return
}

// -----

func.func @short(%A: memref<70x15xi32>, %B: memref<70x4095xi32>) {
  %zero = arith.constant 0 : i32
  // expected-remark @+1 {{not on tiles: the nest around it has short rows}}
  affine.parallel (%i) = (0) to (70) {
    %s = affine.for %j = 0 to 15 iter_args(%a = %zero) -> i32 {
      %x = affine.load %A[%i, %j] : memref<70x15xi32>
      %t = arith.addi %a, %x : i32
      affine.yield %t : i32
    }
    affine.parallel (%j) = (0) to (15) {
      affine.store %s, %B[%i, %j] : memref<70x4095xi32>
    }
  }
  return
}

// -----

// A pixel is 3 bytes.
func.func @colours(%A: memref<70x90x3xi8>, %W: memref<70x90xi8>, %B: memref<70x90x3xi8>) {
  // expected-remark @+1 {{not on tiles: the nest around it has rows of so few bytes that a thread goes through each}}
  affine.parallel (%i, %j) = (0, 0) to (70, 90) {
    %w = affine.load %W[%i, %j] : memref<70x90xi8>
    affine.parallel (%k) = (0) to (3) {
      %x = affine.load %A[%i, %j, %k] : memref<70x90x3xi8>
      %y = arith.addi %x, %w : i8
      affine.store %y, %B[%i, %j, %k] : memref<70x90x3xi8>
    }
  }
  return
}

// -----

// Each element of A is under 25 windows.
func.func @box(%W: memref<5x5xi32>, %A: memref<74x94xi32>, %B: memref<70x90xi32>) {
  %zero = arith.constant 0 : i32
  affine.parallel (%i, %j) = (0, 0) to (70, 90) {
    // expected-remark @+1 {{not on tiles: the nest around it loads each element for many of its results, as a product does}}
    %s = affine.for %p = 0 to 5 iter_args(%t = %zero) -> i32 {
      %r = affine.for %q = 0 to 5 iter_args(%u = %t) -> i32 {
        %w = affine.load %W[%p, %q] : memref<5x5xi32>
        %x = affine.load %A[%i + %p, %j + %q] : memref<74x94xi32>
        %y = arith.muli %w, %x : i32
        %z = arith.addi %u, %y : i32
        affine.yield %z : i32
      }
      affine.yield %r : i32
    }
    affine.store %s, %B[%i, %j] : memref<70x90xi32>
  }
  return
}

// -----

// Each element of A is in three windows along one axis.
func.func @line(%A: memref<1000xi32>, %B: memref<998xi32>) {
  %zero = arith.constant 0 : i32
  affine.parallel (%i) = (0) to (998) {
    // expected-remark @+1 {{not on tiles: the nest around it loads each element for many of its results, as a product does}}
    %s = affine.for %p = 0 to 3 iter_args(%t = %zero) -> i32 {
      %x = affine.load %A[%i + %p] : memref<1000xi32>
      %z = arith.addi %t, %x : i32
      affine.yield %z : i32
    }
    affine.store %s, %B[%i] : memref<998xi32>
  }
  return
}

// -----

func.func @column(%A: memref<4095x70xi32>, %B: memref<70x4095xi32>) {
  %zero = arith.constant 0 : i32
  // expected-remark @+1 {{not on tiles: the nest around it has loops inside along which an array is not adjacent in memory}}
  affine.parallel (%i) = (0) to (70) {
    %s = affine.for %j = 0 to 4095 iter_args(%a = %zero) -> i32 {
      %x = affine.load %A[%j, %i] : memref<4095x70xi32>
      %t = arith.addi %a, %x : i32
      affine.yield %t : i32
    }
    affine.parallel (%j) = (0) to (4095) {
      affine.store %s, %B[%i, %j] : memref<70x4095xi32>
    }
  }
  return
}

// -----

func.func @nothing(%S: memref<70xi32>, %T: memref<70xi32>) {
  %zero = arith.constant 0 : i32
  // expected-remark @+1 {{not on tiles: the nest around it has loops inside that go along no array}}
  affine.parallel (%i) = (0) to (70) {
    %s = affine.for %j = 0 to 4095 iter_args(%a = %zero) -> i32 {
      %x = affine.load %S[%i] : memref<70xi32>
      %t = arith.addi %a, %x : i32
      affine.yield %t : i32
    }
    %u = affine.for %j = 0 to 4095 iter_args(%a = %s) -> i32 {
      %x = affine.load %S[%i] : memref<70xi32>
      %t = arith.maxsi %a, %x : i32
      affine.yield %t : i32
    }
    affine.store %u, %T[%i] : memref<70xi32>
  }
  return
}

// -----

func.func @loop(%A: memref<70x4095xf32>, %B: memref<4095x70xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  affine.parallel (%i, %j) = (0, 0) to (70, 4095) {
    %x = affine.load %A[%i, %j] : memref<70x4095xf32>
    // expected-remark @+1 {{not on tiles: the nest around it is a loop of its own}}
    %y = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x) -> f32 {
      %b = math.exp %a : f32
      scf.yield %b : f32
    }
    affine.store %y, %B[%j, %i] : memref<4095x70xf32>
  }
  return
}

// -----

func.func @several(%A: memref<70x64x64xf32>, %B: memref<70x64x64xf32>, %S: memref<70xf32>) {
  // expected-remark @+1 {{not on tiles: the nest around it has loops inside that are several, or choose an iteration}}
  affine.parallel (%i) = (0) to (70) {
    %y = affine.load %S[%i] : memref<70xf32>
    affine.parallel (%j, %k) = (0, 0) to (64, 64) {
      %x = affine.load %A[%i, %j, %k] : memref<70x64x64xf32>
      %z = arith.addf %x, %y : f32
      affine.store %z, %B[%i, %j, %k] : memref<70x64x64xf32>
    }
    affine.store %y, %S[%i] : memref<70xf32>
  }
  return
}

// -----

func.func @vectors(%A: memref<70x64xf32>, %B: memref<64x70xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (70, 64) {
    %x = affine.load %A[%i, %j] : memref<70x64xf32>
    // expected-remark @+1 {{not on tiles: the nest around it computes something that is no number}}
    %v = vector.broadcast %x : f32 to vector<4xf32>
    %y = vector.extract %v[1] : f32 from vector<4xf32>
    affine.store %y, %B[%j, %i] : memref<64x70xf32>
  }
  return
}

// -----

func.func @minimum(%A: memref<70x64xindex>, %B: memref<64x70xindex>) {
  affine.parallel (%i, %j) = (0, 0) to (70, 64) {
    // expected-remark @+1 {{not on tiles: the nest around it is not done element by element}}
    %k = affine.min affine_map<(d0, d1) -> (d0, d1)>(%i, %j)
    %x = affine.load %A[%i, %j] : memref<70x64xindex>
    %y = arith.addi %x, %k : index
    affine.store %y, %B[%j, %i] : memref<64x70xindex>
  }
  return
}

// -----

func.func @strided(%A: memref<70x128xf32>, %B: memref<64x70xf32>) {
  // expected-remark @+1 {{not on tiles: the nest around it has subscripts that are adjacent along no loop}}
  affine.parallel (%i, %j) = (0, 0) to (70, 64) {
    %x = affine.load %A[%i, %j * 2] : memref<70x128xf32>
    affine.store %x, %B[%j, %i] : memref<64x70xf32>
  }
  return
}

// -----

func.func @columns(%A: memref<70x64xf32>, %B: memref<64x70x8xf32>) {
  // expected-remark @+1 {{not on tiles: the nest around it stores what is adjacent along no loop}}
  affine.parallel (%i, %j) = (0, 0) to (70, 64) {
    %x = affine.load %A[%i, %j] : memref<70x64xf32>
    affine.store %x, %B[%j, %i, 3] : memref<64x70x8xf32>
  }
  return
}

// -----

func.func @both(%A: memref<70x64xf32>, %B: memref<64x70xf32>, %C: memref<70x64xf32>) {
  // expected-remark @+1 {{not on tiles: the nest around it stores along different loops}}
  affine.parallel (%i, %j) = (0, 0) to (70, 64) {
    %x = affine.load %A[%i, %j] : memref<70x64xf32>
    affine.store %x, %B[%j, %i] : memref<64x70xf32>
    affine.store %x, %C[%i, %j] : memref<70x64xf32>
  }
  return
}

// -----

func.func @loads(%A: memref<70x64xf32>) {
  // expected-remark @+1 {{not on tiles: the nest around it stores nothing}}
  affine.parallel (%i, %j) = (0, 0) to (70, 64) {
    %x = affine.load %A[%i, %j] : memref<70x64xf32>
  }
  return
}

// -----

// A thread for each element does as well.
func.func @elements(%A: memref<70x64xf32>, %B: memref<70x64xf32>) {
  // expected-remark @+1 {{not on tiles: the nest around it loads along the loop along which it stores}}
  affine.parallel (%i, %j) = (0, 0) to (70, 64) {
    %x = affine.load %A[%i, %j] : memref<70x64xf32>
    affine.store %x, %B[%i, %j] : memref<70x64xf32>
  }
  return
}

// -----

func.func @lower(%n: index, %A: memref<70x64xf32>, %B: memref<64x70xf32>) {
  // expected-remark @+1 {{not on tiles: the nest around it has loops that begin at a number that is not known}}
  affine.parallel (%i, %j) = (symbol(%n), 0) to (70, 64) {
    %x = affine.load %A[%i, %j] : memref<70x64xf32>
    affine.store %x, %B[%j, %i] : memref<64x70xf32>
  }
  return
}
// -----

func.func @bytes(%A: memref<70x4095xi8>, %S: memref<70xi8>) {
  %zero = arith.constant 0 : i8
  affine.parallel (%i) = (0) to (70) {
    // expected-remark @+1 {{not on tiles: the nest around it combines values of a type that does not go from lane to lane}}
    %s = affine.for %j = 0 to 4095 iter_args(%a = %zero) -> i8 {
      %x = affine.load %A[%i, %j] : memref<70x4095xi8>
      %t = arith.addi %a, %x : i8
      affine.yield %t : i8
    }
    affine.store %s, %S[%i] : memref<70xi8>
  }
  return
}

func.func @narrow(%A: memref<70x8xf32>, %B: memref<8x70xf32>) {
  // expected-remark @+1 {{not on tiles: the nest around it turns round tiles that are narrow}}
  affine.parallel (%i, %j) = (0, 0) to (8, 70) {
    %x = affine.load %A[%j, %i] : memref<70x8xf32>
    affine.store %x, %B[%i, %j] : memref<8x70xf32>
  }
  return
}

func.func @types(%A: memref<70x90xf32>, %C: memref<70x90xf64>, %B: memref<90x70xf64>) {
  // expected-remark @+1 {{not on tiles: the nest around it turns round arrays of different types, whose buffers are too large together}}
  affine.parallel (%i, %j) = (0, 0) to (90, 70) {
    %x = affine.load %A[%j, %i] : memref<70x90xf32>
    %y = affine.load %C[%j, %i] : memref<70x90xf64>
    %e = arith.extf %x : f32 to f64
    %s = arith.addf %e, %y : f64
    affine.store %s, %B[%i, %j] : memref<90x70xf64>
  }
  return
}

func.func @remainder(%n: index, %A: memref<70x90xf32>, %B: memref<90x70xindex>) {
  // expected-remark @+1 {{not on tiles: has subscripts or conditions that tiles do not have}}
  affine.parallel (%i, %j) = (0, 0) to (90, 70) {
    %x = affine.load %A[%j, %i] : memref<70x90xf32>
    %m = affine.apply affine_map<(d0)[s0] -> (d0 mod s0)>(%i)[%n]
    affine.store %m, %B[%i, %j] : memref<90x70xindex>
  }
  return
}

// -----

func.func @apart(%A: memref<70x4095xf32, strided<[1, ?]>>, %S: memref<70xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.parallel (%i) = (0) to (70) {
    %s = affine.for %j = 0 to 4095 iter_args(%a = %zero) -> f32 {
      // expected-remark @+1 {{not on tiles: the nest around it goes through an array whose last axis does not lie in one piece}}
      %x = affine.load %A[%i, %j] : memref<70x4095xf32, strided<[1, ?]>>
      %t = arith.addf %a, %x fastmath<reassoc> : f32
      affine.yield %t : f32
    }
    affine.store %s, %S[%i] : memref<70xf32>
  }
  return
}
