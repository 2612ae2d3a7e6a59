// RUN: terrace-opt %s -split-input-file -verify-diagnostics -tile-to-threads -o /dev/null

// What threads cannot do with tiles.

func.func @none(%A: memref<8xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{'scf.parallel' op has no gpu.block with whole warps of up to 1024 threads along x}}
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    memref.store %f, %A[%i] : memref<8xf32>
  } {gpu.mapper = "tile"}
  return
}

// -----

func.func @part(%A: memref<8xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{'scf.parallel' op has no gpu.block with whole warps of up to 1024 threads along x}}
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    memref.store %f, %A[%i] : memref<8xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 33, 1, 1>}
  return
}

// -----

func.func @many(%A: memref<8xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{'scf.parallel' op has no gpu.block with whole warps of up to 1024 threads along x}}
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    memref.store %f, %A[%i] : memref<8xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 1056, 1, 1>}
  return
}

// -----

func.func @square(%A: memref<8xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{'scf.parallel' op has no gpu.block with whole warps of up to 1024 threads along x}}
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    memref.store %f, %A[%i] : memref<8xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 2, 1>}
  return
}

// -----

func.func @unsaid(%A: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    // expected-error @+1 {{'tile.load' op has no tile.layout, which says which threads hold its tile}}
    %x = tile.load %A[d0] : memref<64xf32>, vector<64xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// -----

func.func @unread(%A: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    // expected-error @+1 {{'tile.load' op has a tile.layout that cannot be read: }}
    %x = tile.load %A[d0] {tile.layout = "rows"} : memref<64xf32>, vector<64xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// -----

// All elements are the same, so that nothing says who stores which.
func.func @constant(%A: memref<64xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = vector.broadcast %f : f32 to vector<64xf32>
    // expected-error @+1 {{'tile.store' op has no tile.layout, which says which threads hold its tile}}
    tile.store %x, %A[d0] : vector<64xf32>, memref<64xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// -----

func.func @nobody(%A: memref<64xf32>, %B: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = arith.constant dense<1.0> : vector<64xf32>
    %z = arith.constant 0.0 : f32
    // expected-error @+1 {{'tile.reduce' op has a tile of which nothing says which threads hold it}}
    %s = tile.reduce maximumf %x, %z axes [0] : vector<64xf32> -> f32
    memref.store %s, %B[%i] : memref<8xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// -----

func.func @ordered(%A: memref<64xf32>, %B: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0] {tile.layout = "<[64], reg = [2 @ (32)], lane = [32 @ (1)]>"} : memref<64xf32>, vector<64xf32>
    %z = arith.constant 0.0 : f32
    // expected-error @+1 {{'tile.reduce' op sums floats in order, but several threads hold them}}
    %s = tile.reduce addf %x, %z axes [0] : vector<64xf32> -> f32
    memref.store %s, %B[%i] : memref<8xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// -----

func.func @bytes(%A: memref<64xi8>, %B: memref<8xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0] {tile.layout = "<[64], reg = [2 @ (32)], lane = [32 @ (1)]>"} : memref<64xi8>, vector<64xi8>
    %z = arith.constant 0 : i8
    // expected-error @+1 {{'tile.reduce' op folds elements of a type that does not go from lane to lane}}
    %s = tile.reduce addi %x, %z axes [0] : vector<64xi8> -> i8
    memref.store %s, %B[%i] : memref<8xi8>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// -----

func.func @mixed(%A: memref<32x32xf32>, %B: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0, d1] {tile.layout = "<[32, 32], lane = [32 @ (1,1)], reg = [32 @ (0,1)]>"} : memref<32x32xf32>, vector<32x32xf32>
    %z = arith.constant dense<0.0> : vector<32xf32>
    // expected-error @+1 {{'tile.reduce' op folds along dimensions that its layout mixes with others}}
    %s = tile.reduce maximumf %x, %z axes [0] : vector<32x32xf32> -> vector<32xf32>
    tile.store %s, %B[d0] : vector<32xf32>, memref<32xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// -----

func.func @result(%A: memref<2x32xf32>, %B: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0, d1] {tile.layout = "<[2, 32], reg = [2 @ (1,0)], lane = [32 @ (0,1)]>"} : memref<2x32xf32>, vector<2x32xf32>
    %z = arith.constant dense<0.0> : vector<32xf32>
    // expected-error @+1 {{'tile.reduce' op folds a tile of another layout than it says}}
    %s = tile.reduce maximumf %x, %z axes [0] {tile.layout = "<[32], reg = [32 @ (1)], lane = [32 @ (0)]>"} : vector<2x32xf32> -> vector<32xf32>
    tile.store %s, %B[d0] : vector<32xf32>, memref<32xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// -----

func.func @begin(%A: memref<2x64xf32>, %B: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0, d1] {tile.layout = "<[2, 64], reg = [2 @ (1,0), 2 @ (0,1)], lane = [32 @ (0,2)]>"} : memref<2x64xf32>, vector<2x64xf32>
    %z = tile.load %B[d0] {tile.layout = "<[64], reg = [2 @ (32)], lane = [32 @ (1)]>"} : memref<64xf32>, vector<64xf32>
    // expected-error @+1 {{'tile.reduce' op begins with a tile that its threads do not hold}}
    %s = tile.reduce maximumf %x, %z axes [0] : vector<2x64xf32> -> vector<64xf32>
    tile.store %s, %B[d0] : vector<64xf32>, memref<64xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// -----

func.func @large(%A: memref<128x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d1, d0] {tile.layout = "<[128, 128], reg = [512 @ (0,1)], lane = [32 @ (1,0)]>"} : memref<128x128xf32>, vector<128x128xf32>
    // expected-error @+1 {{'tile.convert' op changes threads by no buffer that fits: }}
    %y = tile.convert %x {tile.layout = "<[128, 128], reg = [128 @ (0,1), 4 @ (32,0)], lane = [32 @ (1,0)]>"} : vector<128x128xf32>
    tile.store %y, %A[d0, d1] : vector<128x128xf32>, memref<128x128xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// -----

func.func @different(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0] {tile.layout = "<[64], reg = [2 @ (32)], lane = [32 @ (1)]>"} : memref<64xf32>, vector<64xf32>
    %y = tile.load %A[d0] {tile.layout = "<[64], reg = [2 @ (1)], lane = [32 @ (2)]>"} : memref<64xf32>, vector<64xf32>
    // expected-error @+1 {{'arith.addf' op has tiles of different layouts}}
    %z = arith.addf %x, %y : vector<64xf32>
    tile.store %z, %B[d0] : vector<64xf32>, memref<64xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// -----

func.func @element(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0] {tile.layout = "<[64], reg = [2 @ (32)], lane = [32 @ (1)]>"} : memref<64xf32>, vector<64xf32>
    // expected-error @+1 {{'vector.extract' op is not done element by element, and is no op of tiles}}
    %y = vector.extract %x[3] : f32 from vector<64xf32>
    memref.store %y, %B[%i] : memref<64xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// -----

func.func @shape(%A: memref<64xf32>, %B: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0] {tile.layout = "<[64], reg = [2 @ (32)], lane = [32 @ (1)]>"} : memref<64xf32>, vector<64xf32>
    // expected-error @+1 {{'vector.shape_cast' op changes a shape in another way than by dimensions of one element}}
    %y = vector.shape_cast %x : vector<64xf32> to vector<8x8xf32>
    tile.store %y, %B[d0, d1] : vector<8x8xf32>, memref<8x8xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// -----

func.func @spread(%A: memref<32xf32>, %B: memref<2x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0] {tile.layout = "<[32], lane = [32 @ (1)]>"} : memref<32xf32>, vector<32xf32>
    // expected-error @+1 {{'vector.broadcast' op spreads a tile whose threads do not have what they need of it}}
    %y = vector.broadcast %x {tile.layout = "<[2, 32], reg = [32 @ (0,1)], lane = [2 @ (1,0), 16 @ (0,0)]>"} : vector<32xf32> to vector<2x32xf32>
    tile.store %y, %B[d0, d1] : vector<2x32xf32>, memref<2x32xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// -----

func.func @while(%A: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    // expected-error @+1 {{'scf.while' op is no loop that a block on tiles can have}}
    %r = scf.while (%k = %c0) : (index) -> (index) {
      %more = arith.cmpi slt, %k, %n : index
      scf.condition(%more) %k : index
    } do {
    ^bb0(%k: index):
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// -----

func.func @hands(%v: vector<64xf32>, %w: vector<64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    // expected-error @+1 {{'scf.if' op hands tiles on from a condition}}
    %x = scf.if %c -> (vector<64xf32>) {
      scf.yield %v : vector<64xf32>
    } else {
      scf.yield %w : vector<64xf32>
    }
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// -----

func.func @argument(%A: memref<64xf32>, %v: vector<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    // expected-error @+1 {{'arith.negf' op uses a tile that no op of the block makes}}
    %x = arith.negf %v : vector<64xf32>
    tile.store %x, %A[d0] : vector<64xf32>, memref<64xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// -----

func.func private @work()

func.func @called(%A: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    // expected-error @+1 {{'func.call' op touches memory that is not known}}
    func.call @work() : () -> ()
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// -----

func.func @atomic(%A: memref<8xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    // expected-error @+1 {{'memref.atomic_rmw' op writes memory and has a result}}
    %x = memref.atomic_rmw addf %f, %A[%i] : (f32, memref<8xf32>) -> f32
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// -----

func.func @enters(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0] {tile.layout = "<[64], reg = [2 @ (32)], lane = [32 @ (1)], warp = [2 @ (0)]>"} : memref<64xf32>, vector<64xf32>
    // expected-error @+1 {{'scf.for' op begins with a tile of another layout}}
    %s = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %x) -> (vector<64xf32>) {
      %y = tile.load %A[d0] {tile.layout = "<[64], reg = [4 @ (16)], lane = [16 @ (1), 2 @ (0)]>"} : memref<64xf32>, vector<64xf32>
      scf.yield %y : vector<64xf32>
    }
    tile.store %s, %B[d0] : vector<64xf32>, memref<64xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// -----

func.func @leaves(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0] {tile.layout = "<[64], reg = [2 @ (32)], lane = [32 @ (1)]>"} : memref<64xf32>, vector<64xf32>
    // expected-error @+1 {{'scf.for' op carries a tile whose elements are all the same}}
    %s = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %x) -> (vector<64xf32>) {
      %f = memref.load %A[%k] : memref<64xf32>
      %y = vector.broadcast %f {tile.layout = "<[64], reg = [2 @ (32)], lane = [32 @ (1)]>"} : f32 to vector<64xf32>
      scf.yield %y : vector<64xf32>
    }
    tile.store %s, %B[d0] : vector<64xf32>, memref<64xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}
