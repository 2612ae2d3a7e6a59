// RUN: terrace-opt %s -split-input-file -verify-diagnostics -tile-to-threads -o /dev/null

// Tiles that have as many registers as they should, but in other threads.

func.func @enters(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0] {tile.layout = "<[64], reg = [2 @ (32)], lane = [32 @ (1)]>"} : memref<64xf32>, vector<64xf32>
    // expected-error @+1 {{'scf.for' op begins with a tile of another layout}}
    %s = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %x) -> (vector<64xf32>) {
      %y = tile.load %A[d0] {tile.layout = "<[64], reg = [2 @ (1)], lane = [32 @ (2)]>"} : memref<64xf32>, vector<64xf32>
      scf.yield %y : vector<64xf32>
    }
    tile.store %s, %B[d0] : vector<64xf32>, memref<64xf32>
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
    %b = vector.broadcast %x {tile.layout = "<[2, 32], reg = [2 @ (1,0)], lane = [16 @ (0,2), 2 @ (0,1)]>"} : vector<32xf32> to vector<2x32xf32>
    tile.store %b, %B[d0, d1] : vector<2x32xf32>, memref<2x32xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// -----

func.func @result(%A: memref<2x32xf32>, %B: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant dense<0.0> : vector<32xf32>
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0, d1] {tile.layout = "<[2, 32], reg = [2 @ (1,0)], lane = [32 @ (0,1)]>"} : memref<2x32xf32>, vector<2x32xf32>
    // expected-error @+1 {{'tile.reduce' op folds a tile of another layout than it says}}
    %s = tile.reduce maximumf %x, %z axes [0] {tile.layout = "<[32], lane = [16 @ (2), 2 @ (1)]>"} : vector<2x32xf32> -> vector<32xf32>
    tile.store %s, %B[d0] : vector<32xf32>, memref<32xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// -----

func.func @mask(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant dense<0.0> : vector<64xf32>
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0] {tile.layout = "<[64], reg = [2 @ (32)], lane = [32 @ (1)]>"} : memref<64xf32>, vector<64xf32>
    %m = arith.cmpf olt, %x, %z : vector<64xf32>
    %y = tile.load %A[d0] {tile.layout = "<[64], reg = [2 @ (1)], lane = [32 @ (2)]>"} : memref<64xf32>, vector<64xf32>
    // expected-error @+1 {{'tile.store' op has a mask that other threads hold than its tile}}
    tile.store %y, %B[d0] mask %m : vector<64xf32>, memref<64xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}
