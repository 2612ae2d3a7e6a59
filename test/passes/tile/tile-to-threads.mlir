// RUN: terrace-opt %s -tile-to-threads -canonicalize -cse | FileCheck %s

// Four adjacent elements are one access. The block is an iteration.
// CHECK-LABEL: func.func @wide
// CHECK:      gpu.launch blocks(%[[ARG2:.*]], %[[ARG3:.*]], %[[ARG4:.*]]) in (%[[ARG8:.*]] = %c8, %[[ARG9:.*]] = %c1, %[[ARG10:.*]] = %c1) threads(%[[ARG5:.*]], %[[ARG6:.*]], %[[ARG7:.*]]) in (%[[ARG11:.*]] = %c32, %[[ARG12:.*]] = %c1, %[[ARG13:.*]] = %c1) {
// CHECK-NEXT:   %[[V0:.*]] = arith.muli %[[ARG5]], %c4 : index
// CHECK-NEXT:   %[[V1:.*]] = vector.load %arg0[%[[ARG2]], %[[V0]]] {alignment = 16 : i64} : memref<8x256xf32>, vector<4xf32>
// CHECK-NEXT:   %[[V2:.*]] = vector.extract %[[V1]][0] : f32 from vector<4xf32>
// CHECK-NEXT:   %[[V3:.*]] = vector.extract %[[V1]][1] : f32 from vector<4xf32>
// CHECK-NEXT:   %[[V4:.*]] = vector.extract %[[V1]][2] : f32 from vector<4xf32>
// CHECK-NEXT:   %[[V5:.*]] = vector.extract %[[V1]][3] : f32 from vector<4xf32>
// CHECK-NEXT:   %[[V6:.*]] = arith.addi %[[V0]], %c128 : index
// CHECK-NEXT:   %[[V7:.*]] = vector.load %arg0[%[[ARG2]], %[[V6]]] {alignment = 16 : i64} : memref<8x256xf32>, vector<4xf32>
// CHECK-NEXT:   %[[V8:.*]] = vector.extract %[[V7]][0] : f32 from vector<4xf32>
// CHECK-NEXT:   %[[V9:.*]] = vector.extract %[[V7]][1] : f32 from vector<4xf32>
// CHECK-NEXT:   %[[V10:.*]] = vector.extract %[[V7]][2] : f32 from vector<4xf32>
// CHECK-NEXT:   %[[V11:.*]] = vector.extract %[[V7]][3] : f32 from vector<4xf32>
// CHECK-NEXT:   %[[V12:.*]] = math.exp %[[V2]] fastmath<afn> : f32
// CHECK-NEXT:   %[[V13:.*]] = math.exp %[[V3]] fastmath<afn> : f32
// CHECK-NEXT:   %[[V14:.*]] = math.exp %[[V4]] fastmath<afn> : f32
// CHECK-NEXT:   %[[V15:.*]] = math.exp %[[V5]] fastmath<afn> : f32
// CHECK-NEXT:   %[[V16:.*]] = math.exp %[[V8]] fastmath<afn> : f32
// CHECK-NEXT:   %[[V17:.*]] = math.exp %[[V9]] fastmath<afn> : f32
// CHECK-NEXT:   %[[V18:.*]] = math.exp %[[V10]] fastmath<afn> : f32
// CHECK-NEXT:   %[[V19:.*]] = math.exp %[[V11]] fastmath<afn> : f32
// CHECK-NEXT:   %[[V20:.*]] = vector.from_elements %[[V12]], %[[V13]], %[[V14]], %[[V15]] : vector<4xf32>
// CHECK-NEXT:   vector.store %[[V20]], %arg1[%[[ARG2]], %[[V0]]] {alignment = 16 : i64} : memref<8x256xf32>, vector<4xf32>
// CHECK-NEXT:   %[[V21:.*]] = vector.from_elements %[[V16]], %[[V17]], %[[V18]], %[[V19]] : vector<4xf32>
// CHECK-NEXT:   vector.store %[[V21]], %arg1[%[[ARG2]], %[[V6]]] {alignment = 16 : i64} : memref<8x256xf32>, vector<4xf32>
func.func @wide(%A: memref<8x256xf32>, %B: memref<8x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[%i, d0] {alignment = 16 : i64, granule = 4 : i64, tile.layout = "<[256], reg = [4 @ (1), 2 @ (128)], lane = [32 @ (4)]>"} : memref<8x256xf32>, vector<256xf32>
    %y = math.exp %x fastmath<afn> : vector<256xf32>
    tile.store %y, %B[%i, d0] {alignment = 16 : i64, granule = 4 : i64} : vector<256xf32>, memref<8x256xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// Rows that begin at multiples of 8 bytes have accesses of two elements, whatever the layout would allow.
// CHECK-LABEL: func.func @halves
// CHECK:      gpu.launch blocks(%[[ARG2:.*]], %[[ARG3:.*]], %[[ARG4:.*]]) in (%[[ARG8:.*]] = %c8, %[[ARG9:.*]] = %c1, %[[ARG10:.*]] = %c1) threads(%[[ARG5:.*]], %[[ARG6:.*]], %[[ARG7:.*]]) in (%[[ARG11:.*]] = %c32, %[[ARG12:.*]] = %c1, %[[ARG13:.*]] = %c1) {
// CHECK-NEXT:   %[[V0:.*]] = arith.muli %[[ARG5]], %c4 : index
// CHECK-NEXT:   %[[V1:.*]] = vector.load %arg0[%[[ARG2]], %[[V0]]] {alignment = 8 : i64} : memref<8x128xf32>, vector<2xf32>
// CHECK-NEXT:   %[[V2:.*]] = vector.extract %[[V1]][0] : f32 from vector<2xf32>
// CHECK-NEXT:   %[[V3:.*]] = vector.extract %[[V1]][1] : f32 from vector<2xf32>
// CHECK-NEXT:   %[[V4:.*]] = arith.addi %[[V0]], %c2 : index
// CHECK-NEXT:   %[[V5:.*]] = vector.load %arg0[%[[ARG2]], %[[V4]]] {alignment = 8 : i64} : memref<8x128xf32>, vector<2xf32>
// CHECK-NEXT:   %[[V6:.*]] = vector.extract %[[V5]][0] : f32 from vector<2xf32>
// CHECK-NEXT:   %[[V7:.*]] = vector.extract %[[V5]][1] : f32 from vector<2xf32>
// CHECK-NEXT:   memref.store %[[V2]], %arg1[%[[ARG2]], %[[V0]]] : memref<8x128xf32>
// CHECK-NEXT:   %[[V8:.*]] = arith.addi %[[V0]], %c1 : index
// CHECK-NEXT:   memref.store %[[V3]], %arg1[%[[ARG2]], %[[V8]]] : memref<8x128xf32>
// CHECK-NEXT:   memref.store %[[V6]], %arg1[%[[ARG2]], %[[V4]]] : memref<8x128xf32>
// CHECK-NEXT:   %[[V9:.*]] = arith.addi %[[V0]], %c3 : index
// CHECK-NEXT:   memref.store %[[V7]], %arg1[%[[ARG2]], %[[V9]]] : memref<8x128xf32>
func.func @halves(%A: memref<8x128xf32>, %B: memref<8x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[%i, d0] {alignment = 8 : i64, tile.layout = "<[128], reg = [4 @ (1)], lane = [32 @ (4)]>"} : memref<8x128xf32>, vector<128xf32>
    tile.store %x, %B[%i, d0] : vector<128xf32>, memref<8x128xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// With limits: a promise about them keeps wide accesses. What does not exist is the pad, and is not stored.
// CHECK-LABEL: func.func @limits
// CHECK:      gpu.launch blocks(%[[ARG3:.*]], %[[ARG4:.*]], %[[ARG5:.*]]) in (%[[ARG9:.*]] = %c8, %[[ARG10:.*]] = %c1, %[[ARG11:.*]] = %c1) threads(%[[ARG6:.*]], %[[ARG7:.*]], %[[ARG8:.*]]) in (%[[ARG12:.*]] = %c32, %[[ARG13:.*]] = %c1, %[[ARG14:.*]] = %c1) {
// CHECK-NEXT:   %[[V0:.*]] = arith.muli %[[ARG6]], %c4 : index
// CHECK-NEXT:   %[[V1:.*]] = arith.cmpi slt, %[[V0]], %arg2 : index
// CHECK-NEXT:   %[[V2:.*]]:4 = scf.if %[[V1]] -> (f32, f32, f32, f32) {
// CHECK-NEXT:     %[[V3:.*]] = vector.load %arg0[%[[V0]]] {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:     %[[V4:.*]] = vector.extract %[[V3]][0] : f32 from vector<4xf32>
// CHECK-NEXT:     %[[V5:.*]] = vector.extract %[[V3]][1] : f32 from vector<4xf32>
// CHECK-NEXT:     %[[V6:.*]] = vector.extract %[[V3]][2] : f32 from vector<4xf32>
// CHECK-NEXT:     %[[V7:.*]] = vector.extract %[[V3]][3] : f32 from vector<4xf32>
// CHECK-NEXT:     scf.yield %[[V4]], %[[V5]], %[[V6]], %[[V7]] : f32, f32, f32, f32
// CHECK-NEXT:   } else {
// CHECK-NEXT:     scf.yield %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : f32, f32, f32, f32
// CHECK-NEXT:   }
// CHECK-NEXT:   scf.if %[[V1]] {
// CHECK-NEXT:     %[[V3:.*]] = vector.from_elements %[[V2]]#0, %[[V2]]#1, %[[V2]]#2, %[[V2]]#3 : vector<4xf32>
// CHECK-NEXT:     vector.store %[[V3]], %arg1[%[[V0]]] {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:   }
func.func @limits(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %pad = arith.constant 2.0 : f32
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0] limits [%n] pad %pad {alignment = 16 : i64, granule = 4 : i64, tile.layout = "<[128], reg = [4 @ (1)], lane = [32 @ (4)]>"} : memref<?xf32>, vector<128xf32>
    tile.store %x, %B[d0] limits [%n] {alignment = 16 : i64, granule = 4 : i64} : vector<128xf32>, memref<?xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// Without it each element has its own access.
// CHECK-LABEL: func.func @narrow
// CHECK:      gpu.launch blocks(%[[ARG3:.*]], %[[ARG4:.*]], %[[ARG5:.*]]) in (%[[ARG9:.*]] = %c8, %[[ARG10:.*]] = %c1, %[[ARG11:.*]] = %c1) threads(%[[ARG6:.*]], %[[ARG7:.*]], %[[ARG8:.*]]) in (%[[ARG12:.*]] = %c32, %[[ARG13:.*]] = %c1, %[[ARG14:.*]] = %c1) {
// CHECK-NEXT:   %[[V0:.*]] = arith.muli %[[ARG6]], %c2 : index
// CHECK-NEXT:   %[[V1:.*]] = arith.cmpi slt, %[[V0]], %arg2 : index
// CHECK-NEXT:   %[[V2:.*]] = scf.if %[[V1]] -> (f32) {
// CHECK-NEXT:     %[[V7:.*]] = memref.load %arg0[%[[V0]]] : memref<?xf32>
// CHECK-NEXT:     scf.yield %[[V7]] : f32
// CHECK-NEXT:   } else {
// CHECK-NEXT:     scf.yield %{{.*}} : f32
// CHECK-NEXT:   }
// CHECK-NEXT:   %[[V3:.*]] = arith.subi %arg2, %c1 : index
// CHECK-NEXT:   %[[V4:.*]] = arith.cmpi slt, %[[V0]], %[[V3]] : index
// CHECK-NEXT:   %[[V5:.*]] = scf.if %[[V4]] -> (f32) {
// CHECK-NEXT:     %[[V7:.*]] = arith.addi %[[V0]], %c1 : index
// CHECK-NEXT:     %[[V8:.*]] = memref.load %arg0[%[[V7]]] : memref<?xf32>
// CHECK-NEXT:     scf.yield %[[V8]] : f32
// CHECK-NEXT:   } else {
// CHECK-NEXT:     scf.yield %{{.*}} : f32
// CHECK-NEXT:   }
// CHECK-NEXT:   %[[V6:.*]] = vector.from_elements %[[V2]], %[[V5]] : vector<2xf32>
// CHECK-NEXT:   vector.store %[[V6]], %arg1[%[[V0]]] {alignment = 8 : i64} : memref<?xf32>, vector<2xf32>
func.func @narrow(%A: memref<?xf32>, %B: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %pad = arith.constant 2.0 : f32
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0] limits [%n] pad %pad {alignment = 16 : i64, tile.layout = "<[64], reg = [2 @ (1)], lane = [32 @ (2)]>"} : memref<?xf32>, vector<64xf32>
    tile.store %x, %B[d0] {alignment = 8 : i64} : vector<64xf32>, memref<?xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// A lower limit that is no multiple has none either, though the upper one is.
// CHECK-LABEL: func.func @lower
// CHECK:      gpu.launch blocks(%[[ARG2:.*]], %[[ARG3:.*]], %[[ARG4:.*]]) in (%[[ARG8:.*]] = %c8, %[[ARG9:.*]] = %c1, %[[ARG10:.*]] = %c1) threads(%[[ARG5:.*]], %[[ARG6:.*]], %[[ARG7:.*]]) in (%[[ARG11:.*]] = %c32, %[[ARG12:.*]] = %c1, %[[ARG13:.*]] = %c1) {
// CHECK-NEXT:   %[[V0:.*]] = arith.muli %[[ARG5]], %c2 : index
// CHECK-NEXT:   %[[V1:.*]] = arith.cmpi sge, %[[V0]], %c1 : index
// CHECK-NEXT:   %[[V2:.*]] = arith.cmpi slt, %[[V0]], %c60 : index
// CHECK-NEXT:   %[[V3:.*]] = arith.andi %[[V1]], %[[V2]] : i1
// CHECK-NEXT:   %[[V4:.*]] = scf.if %[[V3]] -> (f32) {
// CHECK-NEXT:     %[[V10:.*]] = memref.load %arg0[%[[V0]]] : memref<?xf32>
// CHECK-NEXT:     scf.yield %[[V10]] : f32
// CHECK-NEXT:   } else {
// CHECK-NEXT:     scf.yield %{{.*}} : f32
// CHECK-NEXT:   }
// CHECK-NEXT:   %[[V5:.*]] = arith.cmpi sge, %[[V0]], %c0 : index
// CHECK-NEXT:   %[[V6:.*]] = arith.cmpi slt, %[[V0]], %c59 : index
// CHECK-NEXT:   %[[V7:.*]] = arith.andi %[[V5]], %[[V6]] : i1
// CHECK-NEXT:   %[[V8:.*]] = scf.if %[[V7]] -> (f32) {
// CHECK-NEXT:     %[[V10:.*]] = arith.addi %[[V0]], %c1 : index
// CHECK-NEXT:     %[[V11:.*]] = memref.load %arg0[%[[V10]]] : memref<?xf32>
// CHECK-NEXT:     scf.yield %[[V11]] : f32
// CHECK-NEXT:   } else {
// CHECK-NEXT:     scf.yield %{{.*}} : f32
// CHECK-NEXT:   }
// CHECK-NEXT:   %[[V9:.*]] = vector.from_elements %[[V4]], %[[V8]] : vector<2xf32>
// CHECK-NEXT:   vector.store %[[V9]], %arg1[%[[V0]]] {alignment = 8 : i64} : memref<?xf32>, vector<2xf32>
func.func @lower(%A: memref<?xf32>, %B: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c60 = arith.constant 60 : index
  %pad = arith.constant 2.0 : f32
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0] limits [%c1 to %c60] pad %pad {alignment = 16 : i64, tile.layout = "<[64], reg = [2 @ (1)], lane = [32 @ (2)]>"} : memref<?xf32>, vector<64xf32>
    tile.store %x, %B[d0] {alignment = 8 : i64} : vector<64xf32>, memref<?xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// A block of two dimensions, with steps. The last dimension of the grid goes fastest. The tile is transposed in
// memory, so that its registers are not adjacent.
// CHECK-LABEL: func.func @grid
// CHECK:      %[[V0:.*]] = arith.maxsi %arg2, %c0 : index
// CHECK-NEXT: %[[V1:.*]] = arith.addi %[[V0]], %c1 : index
// CHECK-NEXT: %[[V2:.*]] = arith.divui %[[V1]], %c2 : index
// CHECK-NEXT: %[[V3:.*]] = arith.subi %arg3, %c2 : index
// CHECK-NEXT: %[[V4:.*]] = arith.maxsi %[[V3]], %c0 : index
// CHECK-NEXT: %[[V5:.*]] = arith.addi %[[V4]], %c15 : index
// CHECK-NEXT: %[[V6:.*]] = arith.divui %[[V5]], %c16 : index
// CHECK-NEXT: %[[V7:.*]] = arith.muli %[[V2]], %[[V6]] : index
// CHECK-NEXT: gpu.launch blocks(%[[ARG4:.*]], %[[ARG5:.*]], %[[ARG6:.*]]) in (%[[ARG10:.*]] = %[[V7]], %[[ARG11:.*]] = %c1, %[[ARG12:.*]] = %c1) threads(%[[ARG7:.*]], %[[ARG8:.*]], %[[ARG9:.*]]) in (%[[ARG13:.*]] = %c32, %[[ARG14:.*]] = %c1, %[[ARG15:.*]] = %c1) {
// CHECK-NEXT:   %[[V8:.*]] = arith.index_castui %[[ARG4]] : index to i32
// CHECK-NEXT:   %[[V9:.*]] = arith.index_castui %[[V6]] : index to i32
// CHECK-NEXT:   %[[V10:.*]] = arith.divui %[[V8]], %[[V9]] : i32
// CHECK-NEXT:   %[[V11:.*]] = arith.remui %[[V8]], %[[V9]] : i32
// CHECK-NEXT:   %[[V12:.*]] = arith.index_castui %[[V10]] : i32 to index
// CHECK-NEXT:   %[[V13:.*]] = arith.index_castui %[[V11]] : i32 to index
// CHECK-NEXT:   %[[V14:.*]] = arith.muli %[[V13]], %c16 : index
// CHECK-NEXT:   %[[V15:.*]] = arith.addi %[[V14]], %c2 : index
// CHECK-NEXT:   %[[V16:.*]] = arith.muli %[[V12]], %c2 : index
// CHECK-NEXT:   %[[V17:.*]] = arith.remui %[[ARG7]], %c16 : index
// CHECK-NEXT:   %[[V18:.*]] = arith.divui %[[ARG7]], %c16 : index
// CHECK-NEXT:   %[[V19:.*]] = arith.addi %[[V17]], %[[V15]] : index
// CHECK-NEXT:   %[[V20:.*]] = arith.addi %[[V18]], %[[V16]] : index
// CHECK-NEXT:   %[[V21:.*]] = memref.load %arg0[%[[V19]], %[[V20]]] : memref<?x?xi32>
// CHECK-NEXT:   memref.store %[[V21]], %arg1[%[[V20]], %[[V19]]] : memref<?x?xi32>
func.func @grid(%A: memref<?x?xi32>, %B: memref<?x?xi32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  scf.parallel (%i, %j) = (%c0, %c2) to (%m, %n) step (%c2, %c16) {
    %x = tile.load %A[%j + d1, %i + d0] {tile.layout = "<[2, 16], lane = [16 @ (0,1), 2 @ (1,0)]>"} : memref<?x?xi32>, vector<2x16xi32>
    tile.store %x, %B[%i + d0, %j + d1] : vector<2x16xi32>, memref<?x?xi32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// Whether elements exist, as numbers.
// CHECK-LABEL: func.func @mask
// CHECK:      gpu.launch blocks(%[[ARG2:.*]], %[[ARG3:.*]], %[[ARG4:.*]]) in (%[[ARG8:.*]] = %c8, %[[ARG9:.*]] = %c1, %[[ARG10:.*]] = %c1) threads(%[[ARG5:.*]], %[[ARG6:.*]], %[[ARG7:.*]]) in (%[[ARG11:.*]] = %c32, %[[ARG12:.*]] = %c1, %[[ARG13:.*]] = %c1) {
// CHECK-NEXT:   %[[V0:.*]] = memref.load %arg0[%[[ARG5]]] : memref<64xf32>
// CHECK-NEXT:   %[[V1:.*]] = arith.addi %[[ARG5]], %c32 : index
// CHECK-NEXT:   %[[V2:.*]] = memref.load %arg0[%[[V1]]] : memref<64xf32>
// CHECK-NEXT:   %[[V3:.*]] = arith.cmpi slt, %[[ARG5]], %arg1 : index
// CHECK-NEXT:   %[[V4:.*]] = arith.subi %arg1, %c32 : index
// CHECK-NEXT:   %[[V5:.*]] = arith.cmpi slt, %[[ARG5]], %[[V4]] : index
// CHECK-NEXT:   %[[V6:.*]] = arith.select %[[V3]], %[[V0]], %{{.*}} : f32
// CHECK-NEXT:   %[[V7:.*]] = arith.select %[[V5]], %[[V2]], %{{.*}} : f32
// CHECK-NEXT:   memref.store %[[V6]], %arg0[%[[ARG5]]] : memref<64xf32>
// CHECK-NEXT:   memref.store %[[V7]], %arg0[%[[V1]]] : memref<64xf32>
func.func @mask(%A: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : vector<64xf32>
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0] {tile.layout = "<[64], reg = [2 @ (32)], lane = [32 @ (1)]>"} : memref<64xf32>, vector<64xf32>
    %m = tile.mask limits [%n] {tile.layout = "<[64], reg = [2 @ (32)], lane = [32 @ (1)]>"} : vector<64xi1>
    %y = arith.select %m, %x, %zero : vector<64xi1>, vector<64xf32>
    tile.store %y, %A[d0] : vector<64xf32>, memref<64xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// A thread has all that it folds: the order is kept, and what does not exist is the identity.
// CHECK-LABEL: func.func @fold_thread
// CHECK:      gpu.launch blocks(%[[ARG3:.*]], %[[ARG4:.*]], %[[ARG5:.*]]) in (%[[ARG9:.*]] = %c8, %[[ARG10:.*]] = %c1, %[[ARG11:.*]] = %c1) threads(%[[ARG6:.*]], %[[ARG7:.*]], %[[ARG8:.*]]) in (%[[ARG12:.*]] = %c32, %[[ARG13:.*]] = %c1, %[[ARG14:.*]] = %c1) {
// CHECK-NEXT:   %[[V0:.*]] = memref.load %arg0[%c0, %[[ARG6]]] : memref<4x32xf32>
// CHECK-NEXT:   %[[V1:.*]] = memref.load %arg0[%c1, %[[ARG6]]] : memref<4x32xf32>
// CHECK-NEXT:   %[[V2:.*]] = memref.load %arg0[%c2, %[[ARG6]]] : memref<4x32xf32>
// CHECK-NEXT:   %[[V3:.*]] = memref.load %arg0[%c3, %[[ARG6]]] : memref<4x32xf32>
// CHECK-NEXT:   %[[V4:.*]] = arith.cmpi sgt, %arg2, %c0 : index
// CHECK-NEXT:   %[[V5:.*]] = arith.select %[[V4]], %[[V0]], %{{.*}} : f32
// CHECK-NEXT:   %[[V6:.*]] = arith.subi %arg2, %c1 : index
// CHECK-NEXT:   %[[V7:.*]] = arith.cmpi sgt, %[[V6]], %c0 : index
// CHECK-NEXT:   %[[V8:.*]] = arith.select %[[V7]], %[[V1]], %{{.*}} : f32
// CHECK-NEXT:   %[[V9:.*]] = arith.subi %arg2, %c2 : index
// CHECK-NEXT:   %[[V10:.*]] = arith.cmpi sgt, %[[V9]], %c0 : index
// CHECK-NEXT:   %[[V11:.*]] = arith.select %[[V10]], %[[V2]], %{{.*}} : f32
// CHECK-NEXT:   %[[V12:.*]] = arith.subi %arg2, %c3 : index
// CHECK-NEXT:   %[[V13:.*]] = arith.cmpi sgt, %[[V12]], %c0 : index
// CHECK-NEXT:   %[[V14:.*]] = arith.select %[[V13]], %[[V3]], %{{.*}} : f32
// CHECK-NEXT:   %[[V15:.*]] = arith.addf %[[V5]], %[[V8]] : f32
// CHECK-NEXT:   %[[V16:.*]] = arith.addf %[[V15]], %[[V11]] : f32
// CHECK-NEXT:   %[[V17:.*]] = arith.addf %[[V16]], %[[V14]] : f32
// CHECK-NEXT:   %[[V18:.*]] = arith.addf %[[V17]], %{{.*}} : f32
// CHECK-NEXT:   memref.store %[[V18]], %arg1[%[[ARG6]]] : memref<32xf32>
func.func @fold_thread(%A: memref<4x32xf32>, %B: memref<32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant dense<1.0> : vector<32xf32>
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0, d1] {tile.layout = "<[4, 32], reg = [4 @ (1,0)], lane = [32 @ (0,1)]>"} : memref<4x32xf32>, vector<4x32xf32>
    %s = tile.reduce addf %x, %one axes [0] limits [%n, _] {tile.layout = "<[4, 32], reg = [4 @ (1,0)], lane = [32 @ (0,1)]>"} : vector<4x32xf32> -> vector<32xf32>
    tile.store %s, %B[d0] : vector<32xf32>, memref<32xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// Lanes that hold parts of a result shuffle. One of them stores it.
// CHECK-LABEL: func.func @fold_warp
// CHECK:      gpu.launch blocks(%[[ARG2:.*]], %[[ARG3:.*]], %[[ARG4:.*]]) in (%[[ARG8:.*]] = %c8, %[[ARG9:.*]] = %c1, %[[ARG10:.*]] = %c1) threads(%[[ARG5:.*]], %[[ARG6:.*]], %[[ARG7:.*]]) in (%[[ARG11:.*]] = %c32, %[[ARG12:.*]] = %c1, %[[ARG13:.*]] = %c1) {
// CHECK-NEXT:   %[[V0:.*]] = arith.remui %[[ARG5]], %c16 : index
// CHECK-NEXT:   %[[V1:.*]] = arith.divui %[[ARG5]], %c16 : index
// CHECK-NEXT:   %[[V2:.*]] = memref.load %arg0[%[[V1]], %[[V0]]] : memref<2x32xi32>
// CHECK-NEXT:   %[[V3:.*]] = arith.addi %[[V0]], %c16 : index
// CHECK-NEXT:   %[[V4:.*]] = memref.load %arg0[%[[V1]], %[[V3]]] : memref<2x32xi32>
// CHECK-NEXT:   %[[V5:.*]] = arith.maxsi %[[V2]], %[[V4]] : i32
// CHECK-NEXT:   %[[SHUFFLERESULT:.*]], %[[VALID:.*]] = gpu.shuffle  xor %[[V5]], %c1_i32, %c32_i32 : i32
// CHECK-NEXT:   %[[V6:.*]] = arith.maxsi %[[V5]], %[[SHUFFLERESULT]] : i32
// CHECK-NEXT:   %[[SHUFFLERESULT_0:.*]], %[[VALID_1:.*]] = gpu.shuffle  xor %[[V6]], %c2_i32, %c32_i32 : i32
// CHECK-NEXT:   %[[V7:.*]] = arith.maxsi %[[V6]], %[[SHUFFLERESULT_0]] : i32
// CHECK-NEXT:   %[[SHUFFLERESULT_2:.*]], %[[VALID_3:.*]] = gpu.shuffle  xor %[[V7]], %c4_i32, %c32_i32 : i32
// CHECK-NEXT:   %[[V8:.*]] = arith.maxsi %[[V7]], %[[SHUFFLERESULT_2]] : i32
// CHECK-NEXT:   %[[SHUFFLERESULT_4:.*]], %[[VALID_5:.*]] = gpu.shuffle  xor %[[V8]], %c8_i32, %c32_i32 : i32
// CHECK-NEXT:   %[[V9:.*]] = arith.maxsi %[[V8]], %[[SHUFFLERESULT_4]] : i32
// CHECK-NEXT:   %[[V10:.*]] = arith.maxsi %[[V9]], %c-100_i32 : i32
// CHECK-NEXT:   %[[V11:.*]] = arith.cmpi eq, %[[V0]], %c0 : index
// CHECK-NEXT:   scf.if %[[V11]] {
// CHECK-NEXT:     memref.store %[[V10]], %arg1[%[[V1]]] : memref<2xi32>
// CHECK-NEXT:   }
func.func @fold_warp(%A: memref<2x32xi32>, %B: memref<2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %least = arith.constant dense<-100> : vector<2xi32>
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0, d1] {tile.layout = "<[2, 32], reg = [2 @ (0,16)], lane = [16 @ (0,1), 2 @ (1,0)]>"} : memref<2x32xi32>, vector<2x32xi32>
    %s = tile.reduce maxs %x, %least axes [1] {tile.layout = "<[2, 32], reg = [2 @ (0,16)], lane = [16 @ (0,1), 2 @ (1,0)]>"} : vector<2x32xi32> -> vector<2xi32>
    tile.store %s, %B[d0] : vector<2xi32>, memref<2xi32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// Warps meet in a buffer of the block. A number of the block is stored by its first thread.
// CHECK-LABEL: func.func @fold_block
// CHECK:      gpu.launch blocks(%[[ARG2:.*]], %[[ARG3:.*]], %[[ARG4:.*]]) in (%[[ARG8:.*]] = %c8, %[[ARG9:.*]] = %c1, %[[ARG10:.*]] = %c1) threads(%[[ARG5:.*]], %[[ARG6:.*]], %[[ARG7:.*]]) in (%[[ARG11:.*]] = %c64, %[[ARG12:.*]] = %c1, %[[ARG13:.*]] = %c1) workgroup(%[[ARG14:.*]] : memref<2xf64, #gpu.address_space<workgroup>>) {
// CHECK-NEXT:   %[[V0:.*]] = memref.load %arg0[%[[ARG2]], %[[ARG5]]] : memref<8x64xf64>
// CHECK-NEXT:   %[[SHUFFLERESULT:.*]], %[[VALID:.*]] = gpu.shuffle  xor %[[V0]], %c1_i32, %c32_i32 : f64
// CHECK-NEXT:   %[[V1:.*]] = arith.addf %[[V0]], %[[SHUFFLERESULT]] : f64
// CHECK-NEXT:   %[[SHUFFLERESULT_0:.*]], %[[VALID_1:.*]] = gpu.shuffle  xor %[[V1]], %c2_i32, %c32_i32 : f64
// CHECK-NEXT:   %[[V2:.*]] = arith.addf %[[V1]], %[[SHUFFLERESULT_0]] : f64
// CHECK-NEXT:   %[[SHUFFLERESULT_2:.*]], %[[VALID_3:.*]] = gpu.shuffle  xor %[[V2]], %c4_i32, %c32_i32 : f64
// CHECK-NEXT:   %[[V3:.*]] = arith.addf %[[V2]], %[[SHUFFLERESULT_2]] : f64
// CHECK-NEXT:   %[[SHUFFLERESULT_4:.*]], %[[VALID_5:.*]] = gpu.shuffle  xor %[[V3]], %c8_i32, %c32_i32 : f64
// CHECK-NEXT:   %[[V4:.*]] = arith.addf %[[V3]], %[[SHUFFLERESULT_4]] : f64
// CHECK-NEXT:   %[[SHUFFLERESULT_6:.*]], %[[VALID_7:.*]] = gpu.shuffle  xor %[[V4]], %c16_i32, %c32_i32 : f64
// CHECK-NEXT:   %[[V5:.*]] = arith.addf %[[V4]], %[[SHUFFLERESULT_6]] : f64
// CHECK-NEXT:   %[[V6:.*]] = arith.divui %[[ARG5]], %c32 : index
// CHECK-NEXT:   %[[V7:.*]] = arith.remui %[[ARG5]], %c32 : index
// CHECK-NEXT:   %[[V8:.*]] = arith.cmpi eq, %[[V7]], %c0 : index
// CHECK-NEXT:   scf.if %[[V8]] {
// CHECK-NEXT:     memref.store %[[V5]], %[[ARG14]][%[[V6]]] : memref<2xf64, #gpu.address_space<workgroup>>
// CHECK-NEXT:   }
// CHECK-NEXT:   gpu.barrier
// CHECK-NEXT:   %[[V9:.*]] = arith.remui %[[V7]], %c2 : index
// CHECK-NEXT:   %[[V10:.*]] = memref.load %[[ARG14]][%[[V9]]] : memref<2xf64, #gpu.address_space<workgroup>>
// CHECK-NEXT:   %[[SHUFFLERESULT_8:.*]], %[[VALID_9:.*]] = gpu.shuffle  xor %[[V10]], %c1_i32, %c32_i32 : f64
// CHECK-NEXT:   %[[V11:.*]] = arith.addf %[[V10]], %[[SHUFFLERESULT_8]] : f64
// CHECK-NEXT:   %[[V12:.*]] = arith.addf %[[V11]], %{{.*}} : f64
// CHECK-NEXT:   %[[V13:.*]] = arith.cmpi eq, %[[ARG5]], %c0 : index
// CHECK-NEXT:   scf.if %[[V13]] {
// CHECK-NEXT:     memref.store %[[V12]], %arg1[%[[ARG2]]] : memref<8xf64>
// CHECK-NEXT:   }
func.func @fold_block(%A: memref<8x64xf64>, %B: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f64
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[%i, d0] {tile.layout = "<[64], lane = [32 @ (1)], warp = [2 @ (32)]>"} : memref<8x64xf64>, vector<64xf64>
    %y = tile.reduce addf %x, %one axes [0] {fastmath = #arith.fastmath<reassoc>} : vector<64xf64> -> f64
    memref.store %y, %B[%i] : memref<8xf64>
  } {gpu.mapper = "tile", gpu.block = array<i64: 64, 1, 1>}
  return
}

// Lanes have different results, and warps parts of them: each thread has an element of the buffer.
// CHECK-LABEL: func.func @fold_columns
// CHECK:      gpu.launch blocks(%[[ARG2:.*]], %[[ARG3:.*]], %[[ARG4:.*]]) in (%[[ARG8:.*]] = %c8, %[[ARG9:.*]] = %c1, %[[ARG10:.*]] = %c1) threads(%[[ARG5:.*]], %[[ARG6:.*]], %[[ARG7:.*]]) in (%[[ARG11:.*]] = %c128, %[[ARG12:.*]] = %c1, %[[ARG13:.*]] = %c1) workgroup(%[[ARG14:.*]] : memref<128xi32, #gpu.address_space<workgroup>>) {
// CHECK-NEXT:   %[[V0:.*]] = arith.remui %[[ARG5]], %c32 : index
// CHECK-NEXT:   %[[V1:.*]] = arith.divui %[[ARG5]], %c32 : index
// CHECK-NEXT:   %[[V2:.*]] = memref.load %arg0[%[[V1]], %[[V0]]] : memref<4x32xi32>
// CHECK-NEXT:   memref.store %[[V2]], %[[ARG14]][%[[ARG5]]] : memref<128xi32, #gpu.address_space<workgroup>>
// CHECK-NEXT:   gpu.barrier
// CHECK-NEXT:   %[[V3:.*]] = arith.remui %[[V1]], %c2 : index
// CHECK-NEXT:   %[[V4:.*]] = arith.subi %[[V1]], %[[V3]] : index
// CHECK-NEXT:   %[[V5:.*]] = arith.divui %[[V1]], %c2 : index
// CHECK-NEXT:   %[[V6:.*]] = arith.remui %[[V5]], %c2 : index
// CHECK-NEXT:   %[[V7:.*]] = arith.muli %[[V6]], %c2 : index
// CHECK-NEXT:   %[[V8:.*]] = arith.subi %[[V4]], %[[V7]] : index
// CHECK-NEXT:   %[[V9:.*]] = arith.muli %[[V8]], %c32 : index
// CHECK-NEXT:   %[[V10:.*]] = arith.addi %[[V9]], %[[V0]] : index
// CHECK-NEXT:   %[[V11:.*]] = memref.load %[[ARG14]][%[[V10]]] : memref<128xi32, #gpu.address_space<workgroup>>
// CHECK-NEXT:   %[[V12:.*]] = arith.addi %[[V8]], %c1 : index
// CHECK-NEXT:   %[[V13:.*]] = arith.muli %[[V12]], %c32 : index
// CHECK-NEXT:   %[[V14:.*]] = arith.addi %[[V13]], %[[V0]] : index
// CHECK-NEXT:   %[[V15:.*]] = memref.load %[[ARG14]][%[[V14]]] : memref<128xi32, #gpu.address_space<workgroup>>
// CHECK-NEXT:   %[[V16:.*]] = arith.addi %[[V11]], %[[V15]] : i32
// CHECK-NEXT:   %[[V17:.*]] = arith.addi %[[V8]], %c2 : index
// CHECK-NEXT:   %[[V18:.*]] = arith.muli %[[V17]], %c32 : index
// CHECK-NEXT:   %[[V19:.*]] = arith.addi %[[V18]], %[[V0]] : index
// CHECK-NEXT:   %[[V20:.*]] = memref.load %[[ARG14]][%[[V19]]] : memref<128xi32, #gpu.address_space<workgroup>>
// CHECK-NEXT:   %[[V21:.*]] = arith.addi %[[V16]], %[[V20]] : i32
// CHECK-NEXT:   %[[V22:.*]] = arith.addi %[[V8]], %c3 : index
// CHECK-NEXT:   %[[V23:.*]] = arith.muli %[[V22]], %c32 : index
// CHECK-NEXT:   %[[V24:.*]] = arith.addi %[[V23]], %[[V0]] : index
// CHECK-NEXT:   %[[V25:.*]] = memref.load %[[ARG14]][%[[V24]]] : memref<128xi32, #gpu.address_space<workgroup>>
// CHECK-NEXT:   %[[V26:.*]] = arith.addi %[[V21]], %[[V25]] : i32
// CHECK-NEXT:   %[[V27:.*]] = arith.cmpi eq, %[[V1]], %c0 : index
// CHECK-NEXT:   scf.if %[[V27]] {
// CHECK-NEXT:     memref.store %[[V26]], %arg1[%[[V0]]] : memref<32xi32>
// CHECK-NEXT:   }
func.func @fold_columns(%A: memref<4x32xi32>, %B: memref<32xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0> : vector<32xi32>
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0, d1] {tile.layout = "<[4, 32], lane = [32 @ (0,1)], warp = [4 @ (1,0)]>"} : memref<4x32xi32>, vector<4x32xi32>
    %s = tile.reduce addi %x, %zero axes [0] {tile.layout = "<[4, 32], lane = [32 @ (0,1)], warp = [4 @ (1,0)]>"} : vector<4x32xi32> -> vector<32xi32>
    tile.store %s, %B[d0] : vector<32xi32>, memref<32xi32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 128, 1, 1>}
  return
}

// A fold that is done again waits until all have read what it left before.
// CHECK-LABEL: func.func @fold_again
// CHECK:      gpu.launch blocks(%[[ARG2:.*]], %[[ARG3:.*]], %[[ARG4:.*]]) in (%[[ARG8:.*]] = %c8, %[[ARG9:.*]] = %c1, %[[ARG10:.*]] = %c1) threads(%[[ARG5:.*]], %[[ARG6:.*]], %[[ARG7:.*]]) in (%[[ARG11:.*]] = %c64, %[[ARG12:.*]] = %c1, %[[ARG13:.*]] = %c1) workgroup(%[[ARG14:.*]] : memref<2xi32, #gpu.address_space<workgroup>>) {
// CHECK-NEXT:   %[[V0:.*]] = scf.for %[[ARG15:.*]] = %c0 to %c8 step %c1 iter_args(%[[ARG16:.*]] = %c0_i32) -> (i32) {
// CHECK-NEXT:     %[[V2:.*]] = memref.load %arg0[%[[ARG15]], %[[ARG5]]] : memref<8x64xi32>
// CHECK-NEXT:     %[[SHUFFLERESULT:.*]], %[[VALID:.*]] = gpu.shuffle  xor %[[V2]], %c1_i32, %c32_i32 : i32
// CHECK-NEXT:     %[[V3:.*]] = arith.maxsi %[[V2]], %[[SHUFFLERESULT]] : i32
// CHECK-NEXT:     %[[SHUFFLERESULT_0:.*]], %[[VALID_1:.*]] = gpu.shuffle  xor %[[V3]], %c2_i32, %c32_i32 : i32
// CHECK-NEXT:     %[[V4:.*]] = arith.maxsi %[[V3]], %[[SHUFFLERESULT_0]] : i32
// CHECK-NEXT:     %[[SHUFFLERESULT_2:.*]], %[[VALID_3:.*]] = gpu.shuffle  xor %[[V4]], %c4_i32, %c32_i32 : i32
// CHECK-NEXT:     %[[V5:.*]] = arith.maxsi %[[V4]], %[[SHUFFLERESULT_2]] : i32
// CHECK-NEXT:     %[[SHUFFLERESULT_4:.*]], %[[VALID_5:.*]] = gpu.shuffle  xor %[[V5]], %c8_i32, %c32_i32 : i32
// CHECK-NEXT:     %[[V6:.*]] = arith.maxsi %[[V5]], %[[SHUFFLERESULT_4]] : i32
// CHECK-NEXT:     %[[SHUFFLERESULT_6:.*]], %[[VALID_7:.*]] = gpu.shuffle  xor %[[V6]], %c16_i32, %c32_i32 : i32
// CHECK-NEXT:     %[[V7:.*]] = arith.maxsi %[[V6]], %[[SHUFFLERESULT_6]] : i32
// CHECK-NEXT:     gpu.barrier
// CHECK-NEXT:     %[[V8:.*]] = arith.divui %[[ARG5]], %c32 : index
// CHECK-NEXT:     %[[V9:.*]] = arith.remui %[[ARG5]], %c32 : index
// CHECK-NEXT:     %[[V10:.*]] = arith.cmpi eq, %[[V9]], %c0 : index
// CHECK-NEXT:     scf.if %[[V10]] {
// CHECK-NEXT:       memref.store %[[V7]], %[[ARG14]][%[[V8]]] : memref<2xi32, #gpu.address_space<workgroup>>
// CHECK-NEXT:     }
// CHECK-NEXT:     gpu.barrier
// CHECK-NEXT:     %[[V11:.*]] = arith.remui %[[V9]], %c2 : index
// CHECK-NEXT:     %[[V12:.*]] = memref.load %[[ARG14]][%[[V11]]] : memref<2xi32, #gpu.address_space<workgroup>>
// CHECK-NEXT:     %[[SHUFFLERESULT_8:.*]], %[[VALID_9:.*]] = gpu.shuffle  xor %[[V12]], %c1_i32, %c32_i32 : i32
// CHECK-NEXT:     %[[V13:.*]] = arith.maxsi %[[V12]], %[[SHUFFLERESULT_8]] : i32
// CHECK-NEXT:     %[[V14:.*]] = arith.maxsi %[[ARG16]], %[[V13]] : i32
// CHECK-NEXT:     scf.yield %[[V14]] : i32
// CHECK-NEXT:   }
// CHECK-NEXT:   %[[V1:.*]] = arith.cmpi eq, %[[ARG5]], %c0 : index
// CHECK-NEXT:   scf.if %[[V1]] {
// CHECK-NEXT:     memref.store %[[V0]], %arg1[%[[ARG2]]] : memref<8xi32>
// CHECK-NEXT:   }
func.func @fold_again(%A: memref<8x64xi32>, %B: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %s = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %zero) -> (i32) {
      %x = tile.load %A[%k, d0] {tile.layout = "<[64], lane = [32 @ (1)], warp = [2 @ (32)]>"} : memref<8x64xi32>, vector<64xi32>
      %y = tile.reduce maxs %x, %a axes [0] : vector<64xi32> -> i32
      scf.yield %y : i32
    }
    memref.store %s, %B[%i] : memref<8xi32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 64, 1, 1>}
  return
}

// What changes threads goes through a buffer whose banks do not collide.
// CHECK-LABEL: func.func @convert
// CHECK:      gpu.launch blocks(%[[ARG2:.*]], %[[ARG3:.*]], %[[ARG4:.*]]) in (%[[ARG8:.*]] = %c8, %[[ARG9:.*]] = %c1, %[[ARG10:.*]] = %c1) threads(%[[ARG5:.*]], %[[ARG6:.*]], %[[ARG7:.*]]) in (%[[ARG11:.*]] = %c512, %[[ARG12:.*]] = %c1, %[[ARG13:.*]] = %c1) workgroup(%[[ARG14:.*]] : memref<1055xf32, #gpu.address_space<workgroup>>) {
// CHECK-NEXT:   %[[V0:.*]] = arith.remui %[[ARG5]], %c32 : index
// CHECK-NEXT:   %[[V1:.*]] = arith.divui %[[ARG5]], %c32 : index
// CHECK-NEXT:   %[[V2:.*]] = memref.load %arg0[%[[V1]], %[[V0]]] : memref<32x32xf32>
// CHECK-NEXT:   %[[V3:.*]] = arith.addi %[[V1]], %c16 : index
// CHECK-NEXT:   %[[V4:.*]] = memref.load %arg0[%[[V3]], %[[V0]]] : memref<32x32xf32>
// CHECK-NEXT:   %[[V5:.*]] = arith.muli %[[V0]], %c33 : index
// CHECK-NEXT:   %[[V6:.*]] = arith.addi %[[V5]], %[[V1]] : index
// CHECK-NEXT:   memref.store %[[V2]], %[[ARG14]][%[[V6]]] : memref<1055xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:   %[[V7:.*]] = arith.addi %[[V6]], %c16 : index
// CHECK-NEXT:   memref.store %[[V4]], %[[ARG14]][%[[V7]]] : memref<1055xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:   gpu.barrier
// CHECK-NEXT:   %[[V8:.*]] = arith.muli %[[V1]], %c33 : index
// CHECK-NEXT:   %[[V9:.*]] = arith.addi %[[V8]], %[[V0]] : index
// CHECK-NEXT:   %[[V10:.*]] = memref.load %[[ARG14]][%[[V9]]] : memref<1055xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:   %[[V11:.*]] = arith.addi %[[V9]], %c528 : index
// CHECK-NEXT:   %[[V12:.*]] = memref.load %[[ARG14]][%[[V11]]] : memref<1055xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:   memref.store %[[V10]], %arg1[%[[V1]], %[[V0]]] : memref<32x32xf32>
// CHECK-NEXT:   memref.store %[[V12]], %arg1[%[[V3]], %[[V0]]] : memref<32x32xf32>
func.func @convert(%A: memref<32x32xf32>, %B: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d1, d0] {tile.layout = "<[32, 32], reg = [2 @ (0,16)], lane = [32 @ (1,0)], warp = [16 @ (0,1)]>"} : memref<32x32xf32>, vector<32x32xf32>
    %y = tile.convert %x {tile.layout = "<[32, 32], reg = [2 @ (16,0)], lane = [32 @ (0,1)], warp = [16 @ (1,0)]>"} : vector<32x32xf32>
    tile.store %y, %B[d0, d1] : vector<32x32xf32>, memref<32x32xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 512, 1, 1>}
  return
}

// A layout that says the same in other words is no conversion, and needs no barrier.
// CHECK-LABEL: func.func @same
// CHECK:      gpu.launch blocks(%[[ARG2:.*]], %[[ARG3:.*]], %[[ARG4:.*]]) in (%[[ARG8:.*]] = %c8, %[[ARG9:.*]] = %c1, %[[ARG10:.*]] = %c1) threads(%[[ARG5:.*]], %[[ARG6:.*]], %[[ARG7:.*]]) in (%[[ARG11:.*]] = %c32, %[[ARG12:.*]] = %c1, %[[ARG13:.*]] = %c1) workgroup(%[[ARG14:.*]] : memref<128xf32, #gpu.address_space<workgroup>>) {
// CHECK-NEXT:   %[[V0:.*]] = memref.load %arg0[%[[ARG5]], %c0] : memref<32x4xf32>
// CHECK-NEXT:   %[[V1:.*]] = memref.load %arg0[%[[ARG5]], %c1] : memref<32x4xf32>
// CHECK-NEXT:   %[[V2:.*]] = memref.load %arg0[%[[ARG5]], %c2] : memref<32x4xf32>
// CHECK-NEXT:   %[[V3:.*]] = memref.load %arg0[%[[ARG5]], %c3] : memref<32x4xf32>
// CHECK-NEXT:   memref.store %[[V0]], %arg1[%[[ARG5]], %c0] : memref<32x4xf32>
// CHECK-NEXT:   memref.store %[[V1]], %arg1[%[[ARG5]], %c1] : memref<32x4xf32>
// CHECK-NEXT:   memref.store %[[V2]], %arg1[%[[ARG5]], %c2] : memref<32x4xf32>
// CHECK-NEXT:   memref.store %[[V3]], %arg1[%[[ARG5]], %c3] : memref<32x4xf32>
func.func @same(%A: memref<32x4xf32>, %B: memref<32x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0, d1] {tile.layout = "<[32, 4], reg = [2 @ (0,1), 2 @ (0,2)], lane = [32 @ (1,0)]>"} : memref<32x4xf32>, vector<32x4xf32>
    %y = tile.convert %x {tile.layout = "<[32, 4], reg = [4 @ (0,1)], lane = [32 @ (1,0)]>"} : vector<32x4xf32>
    tile.store %y, %B[d0, d1] : vector<32x4xf32>, memref<32x4xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// Copies are no code: of a number, of a row, and of a column.
// CHECK-LABEL: func.func @broadcast
// CHECK:      gpu.launch blocks(%[[ARG4:.*]], %[[ARG5:.*]], %[[ARG6:.*]]) in (%[[ARG10:.*]] = %c8, %[[ARG11:.*]] = %c1, %[[ARG12:.*]] = %c1) threads(%[[ARG7:.*]], %[[ARG8:.*]], %[[ARG9:.*]]) in (%[[ARG13:.*]] = %c32, %[[ARG14:.*]] = %c1, %[[ARG15:.*]] = %c1) {
// CHECK-NEXT:   %[[V0:.*]] = memref.load %arg0[%c0, %[[ARG7]]] : memref<2x32xf32>
// CHECK-NEXT:   %[[V1:.*]] = memref.load %arg0[%c1, %[[ARG7]]] : memref<2x32xf32>
// CHECK-NEXT:   %[[V2:.*]] = memref.load %arg1[%[[ARG7]]] : memref<32xf32>
// CHECK-NEXT:   %[[V3:.*]] = memref.load %arg2[%c0] : memref<2xf32>
// CHECK-NEXT:   %[[V4:.*]] = memref.load %arg2[%c1] : memref<2xf32>
// CHECK-NEXT:   %[[V5:.*]] = arith.addf %[[V0]], %[[V2]] : f32
// CHECK-NEXT:   %[[V6:.*]] = arith.addf %[[V1]], %[[V2]] : f32
// CHECK-NEXT:   %[[V7:.*]] = arith.mulf %[[V5]], %[[V3]] : f32
// CHECK-NEXT:   %[[V8:.*]] = arith.mulf %[[V6]], %[[V4]] : f32
// CHECK-NEXT:   %[[V9:.*]] = arith.subf %[[V7]], %arg3 : f32
// CHECK-NEXT:   %[[V10:.*]] = arith.subf %[[V8]], %arg3 : f32
// CHECK-NEXT:   memref.store %[[V9]], %arg0[%c0, %[[ARG7]]] : memref<2x32xf32>
// CHECK-NEXT:   memref.store %[[V10]], %arg0[%c1, %[[ARG7]]] : memref<2x32xf32>
func.func @broadcast(%A: memref<2x32xf32>, %R: memref<32xf32>, %C: memref<2xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0, d1] {tile.layout = "<[2, 32], reg = [2 @ (1,0)], lane = [32 @ (0,1)]>"} : memref<2x32xf32>, vector<2x32xf32>
    %r = tile.load %R[d0] {tile.layout = "<[32], lane = [32 @ (1)]>"} : memref<32xf32>, vector<32xf32>
    %rs = vector.broadcast %r {tile.layout = "<[2, 32], reg = [2 @ (1,0)], lane = [32 @ (0,1)]>"} : vector<32xf32> to vector<2x32xf32>
    %c = tile.load %C[d0] {tile.layout = "<[2], reg = [2 @ (1)], lane = [32 @ (0)]>"} : memref<2xf32>, vector<2xf32>
    %d = vector.shape_cast %c : vector<2xf32> to vector<2x1xf32>
    %cs = vector.broadcast %d {tile.layout = "<[2, 32], reg = [2 @ (1,0)], lane = [32 @ (0,1)]>"} : vector<2x1xf32> to vector<2x32xf32>
    %fs = vector.broadcast %f : f32 to vector<2x32xf32>
    %y = arith.addf %x, %rs : vector<2x32xf32>
    %z = arith.mulf %y, %cs : vector<2x32xf32>
    %w = arith.subf %z, %fs : vector<2x32xf32>
    tile.store %w, %A[d0, d1] : vector<2x32xf32>, memref<2x32xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// The coordinates of elements, and a constant for all.
// CHECK-LABEL: func.func @step
// CHECK:      gpu.launch blocks(%[[ARG1:.*]], %[[ARG2:.*]], %[[ARG3:.*]]) in (%[[ARG7:.*]] = %c8, %[[ARG8:.*]] = %c1, %[[ARG9:.*]] = %c1) threads(%[[ARG4:.*]], %[[ARG5:.*]], %[[ARG6:.*]]) in (%[[ARG10:.*]] = %c64, %[[ARG11:.*]] = %c1, %[[ARG12:.*]] = %c1) {
// CHECK-NEXT:   %[[V0:.*]] = arith.muli %[[ARG4]], %c2 : index
// CHECK-NEXT:   %[[V1:.*]] = arith.addi %[[V0]], %c1 : index
// CHECK-NEXT:   %[[V2:.*]] = arith.muli %[[ARG4]], %c6 : index
// CHECK-NEXT:   %[[V3:.*]] = arith.muli %[[V1]], %c3 : index
// CHECK-NEXT:   memref.store %[[V2]], %arg0[%[[V0]]] : memref<128xindex>
// CHECK-NEXT:   memref.store %[[V3]], %arg0[%[[V1]]] : memref<128xindex>
func.func @step(%A: memref<128xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %three = arith.constant dense<3> : vector<128xindex>
    %s = vector.step {tile.layout = "<[128], reg = [2 @ (1)], lane = [32 @ (2)], warp = [2 @ (64)]>"} : vector<128xindex>
    %t = arith.muli %s, %three : vector<128xindex>
    tile.store %t, %A[d0] : vector<128xindex>, memref<128xindex>
  } {gpu.mapper = "tile", gpu.block = array<i64: 64, 1, 1>}
  return
}

// A loop carries the registers of tiles, and numbers. What it begins with may be the same for all elements.
// CHECK-LABEL: func.func @carries
// CHECK:      gpu.launch blocks(%[[ARG3:.*]], %[[ARG4:.*]], %[[ARG5:.*]]) in (%[[ARG9:.*]] = %c8, %[[ARG10:.*]] = %c1, %[[ARG11:.*]] = %c1) threads(%[[ARG6:.*]], %[[ARG7:.*]], %[[ARG8:.*]]) in (%[[ARG12:.*]] = %c32, %[[ARG13:.*]] = %c1, %[[ARG14:.*]] = %c1) {
// CHECK-NEXT:   %[[V0:.*]]:3 = scf.for %[[ARG15:.*]] = %c0 to %c8 step %c1 iter_args(%[[ARG16:.*]] = %{{.*}}, %[[ARG17:.*]] = %{{.*}}, %[[ARG18:.*]] = %c1) -> (f32, f32, index) {
// CHECK-NEXT:     %[[V3:.*]] = memref.load %arg0[%[[ARG15]], %[[ARG6]]] : memref<8x64xf32>
// CHECK-NEXT:     %[[V4:.*]] = arith.addi %[[ARG6]], %c32 : index
// CHECK-NEXT:     %[[V5:.*]] = memref.load %arg0[%[[ARG15]], %[[V4]]] : memref<8x64xf32>
// CHECK-NEXT:     %[[V6:.*]] = arith.addf %[[ARG16]], %[[V3]] : f32
// CHECK-NEXT:     %[[V7:.*]] = arith.addf %[[ARG17]], %[[V5]] : f32
// CHECK-NEXT:     %[[V8:.*]] = arith.muli %[[ARG18]], %[[ARG15]] : index
// CHECK-NEXT:     scf.yield %[[V6]], %[[V7]], %[[V8]] : f32, f32, index
// CHECK-NEXT:   }
// CHECK-NEXT:   memref.store %[[V0]]#0, %arg1[%[[ARG6]]] : memref<64xf32>
// CHECK-NEXT:   %[[V1:.*]] = arith.addi %[[ARG6]], %c32 : index
// CHECK-NEXT:   memref.store %[[V0]]#1, %arg1[%[[V1]]] : memref<64xf32>
// CHECK-NEXT:   %[[V2:.*]] = arith.cmpi eq, %[[ARG6]], %c0 : index
// CHECK-NEXT:   scf.if %[[V2]] {
// CHECK-NEXT:     memref.store %[[V0]]#2, %arg2[%[[ARG3]]] : memref<8xindex>
// CHECK-NEXT:   }
func.func @carries(%A: memref<8x64xf32>, %B: memref<64xf32>, %C: memref<8xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : vector<64xf32>
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %s:2 = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %zero, %b = %c1) -> (vector<64xf32>, index) {
      %x = tile.load %A[%k, d0] {tile.layout = "<[64], reg = [2 @ (32)], lane = [32 @ (1)]>"} : memref<8x64xf32>, vector<64xf32>
      %y = arith.addf %a, %x : vector<64xf32>
      %c = arith.muli %b, %k : index
      scf.yield %y, %c : vector<64xf32>, index
    }
    tile.store %s#0, %B[d0] : vector<64xf32>, memref<64xf32>
    memref.store %s#1, %C[%i] : memref<8xindex>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// What another thread has stored: a barrier. What the thread itself has stored, or another array: none.
// CHECK-LABEL: func.func @wait
// CHECK:      gpu.launch blocks(%[[ARG2:.*]], %[[ARG3:.*]], %[[ARG4:.*]]) in (%[[ARG8:.*]] = %c8, %[[ARG9:.*]] = %c1, %[[ARG10:.*]] = %c1) threads(%[[ARG5:.*]], %[[ARG6:.*]], %[[ARG7:.*]]) in (%[[ARG11:.*]] = %c32, %[[ARG12:.*]] = %c1, %[[ARG13:.*]] = %c1) {
// CHECK-NEXT:   %[[V0:.*]] = memref.load %arg0[%[[ARG5]]] : memref<65xf32>
// CHECK-NEXT:   %[[V1:.*]] = arith.addi %[[ARG5]], %c32 : index
// CHECK-NEXT:   %[[V2:.*]] = memref.load %arg0[%[[V1]]] : memref<65xf32>
// CHECK-NEXT:   memref.store %[[V0]], %arg1[%[[ARG5]]] : memref<65xf32>
// CHECK-NEXT:   memref.store %[[V2]], %arg1[%[[V1]]] : memref<65xf32>
// CHECK-NEXT:   %[[V3:.*]] = memref.load %arg1[%[[ARG5]]] : memref<65xf32>
// CHECK-NEXT:   %[[V4:.*]] = memref.load %arg1[%[[V1]]] : memref<65xf32>
// CHECK-NEXT:   memref.store %[[V3]], %arg0[%[[ARG5]]] : memref<65xf32>
// CHECK-NEXT:   memref.store %[[V4]], %arg0[%[[V1]]] : memref<65xf32>
// CHECK-NEXT:   gpu.barrier
// CHECK-NEXT:   %[[V5:.*]] = arith.addi %[[ARG5]], %c1 : index
// CHECK-NEXT:   %[[V6:.*]] = memref.load %arg0[%[[V5]]] : memref<65xf32>
// CHECK-NEXT:   %[[V7:.*]] = arith.addi %[[ARG5]], %c33 : index
// CHECK-NEXT:   %[[V8:.*]] = memref.load %arg0[%[[V7]]] : memref<65xf32>
// CHECK-NEXT:   memref.store %[[V6]], %arg1[%[[ARG5]]] : memref<65xf32>
// CHECK-NEXT:   memref.store %[[V8]], %arg1[%[[V1]]] : memref<65xf32>
func.func @wait(%A: memref<65xf32>, %B: memref<65xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0] {tile.layout = "<[64], reg = [2 @ (32)], lane = [32 @ (1)]>"} : memref<65xf32>, vector<64xf32>
    tile.store %x, %B[d0] : vector<64xf32>, memref<65xf32>
    %y = tile.load %B[d0] {tile.layout = "<[64], reg = [2 @ (32)], lane = [32 @ (1)]>"} : memref<65xf32>, vector<64xf32>
    tile.store %y, %A[d0] : vector<64xf32>, memref<65xf32>
    %z = tile.load %A[d0 + 1] {tile.layout = "<[64], reg = [2 @ (32)], lane = [32 @ (1)]>"} : memref<65xf32>, vector<64xf32>
    tile.store %z, %B[d0] : vector<64xf32>, memref<65xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// The same subscripts, but other threads.
// CHECK-LABEL: func.func @others
// CHECK:      gpu.launch blocks(%[[ARG2:.*]], %[[ARG3:.*]], %[[ARG4:.*]]) in (%[[ARG8:.*]] = %c8, %[[ARG9:.*]] = %c1, %[[ARG10:.*]] = %c1) threads(%[[ARG5:.*]], %[[ARG6:.*]], %[[ARG7:.*]]) in (%[[ARG11:.*]] = %c32, %[[ARG12:.*]] = %c1, %[[ARG13:.*]] = %c1) {
// CHECK-NEXT:   %[[V0:.*]] = arith.muli %[[ARG5]], %c2 : index
// CHECK-NEXT:   %[[V1:.*]] = memref.load %arg0[%[[ARG5]]] : memref<64xf32>
// CHECK-NEXT:   %[[V2:.*]] = arith.addi %[[ARG5]], %c32 : index
// CHECK-NEXT:   %[[V3:.*]] = memref.load %arg0[%[[V2]]] : memref<64xf32>
// CHECK-NEXT:   memref.store %[[V1]], %arg1[%[[ARG5]]] : memref<64xf32>
// CHECK-NEXT:   memref.store %[[V3]], %arg1[%[[V2]]] : memref<64xf32>
// CHECK-NEXT:   gpu.barrier
// CHECK-NEXT:   %[[V4:.*]] = memref.load %arg1[%[[V0]]] : memref<64xf32>
// CHECK-NEXT:   %[[V5:.*]] = arith.addi %[[V0]], %c1 : index
// CHECK-NEXT:   %[[V6:.*]] = memref.load %arg1[%[[V5]]] : memref<64xf32>
// CHECK-NEXT:   memref.store %[[V4]], %arg0[%[[V0]]] : memref<64xf32>
// CHECK-NEXT:   memref.store %[[V6]], %arg0[%[[V5]]] : memref<64xf32>
func.func @others(%A: memref<64xf32>, %B: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0] {tile.layout = "<[64], reg = [2 @ (32)], lane = [32 @ (1)]>"} : memref<64xf32>, vector<64xf32>
    tile.store %x, %B[d0] : vector<64xf32>, memref<64xf32>
    %y = tile.load %B[d0] {tile.layout = "<[64], reg = [2 @ (1)], lane = [32 @ (2)]>"} : memref<64xf32>, vector<64xf32>
    tile.store %y, %A[d0] : vector<64xf32>, memref<64xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// In a loop, the next iteration's accesses come behind this one's.
// CHECK-LABEL: func.func @wait_in_loop
// CHECK:      gpu.launch blocks(%[[ARG1:.*]], %[[ARG2:.*]], %[[ARG3:.*]]) in (%[[ARG7:.*]] = %c8, %[[ARG8:.*]] = %c1, %[[ARG9:.*]] = %c1) threads(%[[ARG4:.*]], %[[ARG5:.*]], %[[ARG6:.*]]) in (%[[ARG10:.*]] = %c32, %[[ARG11:.*]] = %c1, %[[ARG12:.*]] = %c1) {
// CHECK-NEXT:   scf.for %[[ARG13:.*]] = %c0 to %c8 step %c1 {
// CHECK-NEXT:     %[[V0:.*]] = arith.addi %[[ARG4]], %[[ARG13]] : index
// CHECK-NEXT:     %[[V1:.*]] = memref.load %arg0[%[[V0]]] : memref<80xf32>
// CHECK-NEXT:     %[[V2:.*]] = arith.addi %[[V0]], %c32 : index
// CHECK-NEXT:     %[[V3:.*]] = memref.load %arg0[%[[V2]]] : memref<80xf32>
// CHECK-NEXT:     memref.store %[[V1]], %arg0[%[[V0]]] : memref<80xf32>
// CHECK-NEXT:     memref.store %[[V3]], %arg0[%[[V2]]] : memref<80xf32>
// CHECK-NEXT:     gpu.barrier
// CHECK-NEXT:   }
func.func @wait_in_loop(%A: memref<80xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    scf.for %k = %c0 to %c8 step %c1 {
      %x = tile.load %A[%k + d0] {tile.layout = "<[64], reg = [2 @ (32)], lane = [32 @ (1)]>"} : memref<80xf32>, vector<64xf32>
      tile.store %x, %A[%k + d0] : vector<64xf32>, memref<80xf32>
    }
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// A number in memory: all threads load it, the first one stores it, and others wait for it.
// CHECK-LABEL: func.func @number
// CHECK:      gpu.launch blocks(%[[ARG2:.*]], %[[ARG3:.*]], %[[ARG4:.*]]) in (%[[ARG8:.*]] = %c8, %[[ARG9:.*]] = %c1, %[[ARG10:.*]] = %c1) threads(%[[ARG5:.*]], %[[ARG6:.*]], %[[ARG7:.*]]) in (%[[ARG11:.*]] = %c32, %[[ARG12:.*]] = %c1, %[[ARG13:.*]] = %c1) {
// CHECK-NEXT:   %[[V0:.*]] = memref.load %arg0[%[[ARG2]]] : memref<8xf32>
// CHECK-NEXT:   %[[V1:.*]] = arith.addf %[[V0]], %[[V0]] : f32
// CHECK-NEXT:   gpu.barrier
// CHECK-NEXT:   %[[V2:.*]] = arith.cmpi eq, %[[ARG5]], %c0 : index
// CHECK-NEXT:   scf.if %[[V2]] {
// CHECK-NEXT:     memref.store %[[V1]], %arg0[%[[ARG2]]] : memref<8xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   %[[V3:.*]] = memref.load %arg1[%[[ARG2]], %[[ARG5]]] : memref<8x32xf32>
// CHECK-NEXT:   gpu.barrier
// CHECK-NEXT:   %[[V4:.*]] = memref.load %arg0[%[[ARG2]]] : memref<8xf32>
// CHECK-NEXT:   %[[V5:.*]] = arith.addf %[[V3]], %[[V4]] : f32
// CHECK-NEXT:   memref.store %[[V5]], %arg1[%[[ARG2]], %[[ARG5]]] : memref<8x32xf32>
func.func @number(%A: memref<8xf32>, %B: memref<8x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %a = memref.load %A[%i] : memref<8xf32>
    %b = arith.addf %a, %a : f32
    memref.store %b, %A[%i] : memref<8xf32>
    %x = tile.load %B[%i, d0] {tile.layout = "<[32], lane = [32 @ (1)]>"} : memref<8x32xf32>, vector<32xf32>
    %c = memref.load %A[%i] : memref<8xf32>
    %d = vector.broadcast %c : f32 to vector<32xf32>
    %y = arith.addf %x, %d : vector<32xf32>
    tile.store %y, %B[%i, d0] : vector<32xf32>, memref<8x32xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// A condition that the block shares has blocks of its own.
// CHECK-LABEL: func.func @either
// CHECK:      gpu.launch blocks(%[[ARG2:.*]], %[[ARG3:.*]], %[[ARG4:.*]]) in (%[[ARG8:.*]] = %c8, %[[ARG9:.*]] = %c1, %[[ARG10:.*]] = %c1) threads(%[[ARG5:.*]], %[[ARG6:.*]], %[[ARG7:.*]]) in (%[[ARG11:.*]] = %c32, %[[ARG12:.*]] = %c1, %[[ARG13:.*]] = %c1) {
// CHECK-NEXT:   %[[V0:.*]] = memref.load %arg0[%[[ARG5]]] : memref<64xf32>
// CHECK-NEXT:   scf.if %arg1 {
// CHECK-NEXT:     memref.store %[[V0]], %arg0[%[[ARG5]]] : memref<64xf32>
// CHECK-NEXT:   } else {
// CHECK-NEXT:     %[[V4:.*]] = arith.negf %[[V0]] : f32
// CHECK-NEXT:     gpu.barrier
// CHECK-NEXT:     %[[V5:.*]] = arith.muli %[[ARG5]], %c2 overflow<nsw> : index
// CHECK-NEXT:     memref.store %[[V4]], %arg0[%[[V5]]] : memref<64xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   gpu.barrier
// CHECK-NEXT:   %[[V1:.*]] = arith.muli %[[ARG5]], %c2 overflow<nsw> : index
// CHECK-NEXT:   %[[V2:.*]] = arith.addi %[[V1]], %c1 : index
// CHECK-NEXT:   %[[V3:.*]] = memref.load %arg0[%[[V2]]] : memref<64xf32>
// CHECK-NEXT:   memref.store %[[V3]], %arg0[%[[V2]]] : memref<64xf32>
func.func @either(%A: memref<64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0] {tile.layout = "<[32], lane = [32 @ (1)]>"} : memref<64xf32>, vector<32xf32>
    scf.if %c {
      tile.store %x, %A[d0] : vector<32xf32>, memref<64xf32>
    } else {
      %y = arith.negf %x : vector<32xf32>
      tile.store %y, %A[d0 * 2] : vector<32xf32>, memref<64xf32>
    }
    %z = tile.load %A[d0 * 2 + 1] {tile.layout = "<[32], lane = [32 @ (1)]>"} : memref<64xf32>, vector<32xf32>
    tile.store %z, %A[d0 * 2 + 1] : vector<32xf32>, memref<64xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// Threads beyond those that a layout names hold copies, and do not store.
// CHECK-LABEL: func.func @beyond
// CHECK:      gpu.launch blocks(%[[ARG2:.*]], %[[ARG3:.*]], %[[ARG4:.*]]) in (%[[ARG8:.*]] = %c8, %[[ARG9:.*]] = %c1, %[[ARG10:.*]] = %c1) threads(%[[ARG5:.*]], %[[ARG6:.*]], %[[ARG7:.*]]) in (%[[ARG11:.*]] = %c64, %[[ARG12:.*]] = %c1, %[[ARG13:.*]] = %c1) {
// CHECK-NEXT:   %[[V0:.*]] = arith.remui %[[ARG5]], %c32 : index
// CHECK-NEXT:   %[[V1:.*]] = memref.load %arg0[%[[V0]]] : memref<32xf32>
// CHECK-NEXT:   %[[V2:.*]] = arith.negf %[[V1]] : f32
// CHECK-NEXT:   %[[V3:.*]] = arith.cmpi slt, %[[ARG5]], %c32 : index
// CHECK-NEXT:   scf.if %[[V3]] {
// CHECK-NEXT:     memref.store %[[V2]], %arg1[%[[V0]]] : memref<32xf32>
// CHECK-NEXT:   }
func.func @beyond(%A: memref<32xf32>, %B: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[d0] {tile.layout = "<[32], lane = [32 @ (1)]>"} : memref<32xf32>, vector<32xf32>
    %y = arith.negf %x : vector<32xf32>
    tile.store %y, %B[d0] : vector<32xf32>, memref<32xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 64, 1, 1>}
  return
}

// Whether rows are aligned on the device only the kernel knows.
// CHECK-LABEL: func.func @aligned
// CHECK:      gpu.launch blocks(%[[ARG2:.*]], %[[ARG3:.*]], %[[ARG4:.*]]) in (%[[ARG8:.*]] = %c8, %[[ARG9:.*]] = %c1, %[[ARG10:.*]] = %c1) threads(%[[ARG5:.*]], %[[ARG6:.*]], %[[ARG7:.*]]) in (%[[ARG11:.*]] = %c32, %[[ARG12:.*]] = %c1, %[[ARG13:.*]] = %c1) {
// CHECK-NEXT:   %[[ALIGNED:.*]] = gpu.rows_aligned %arg0 to 16 : memref<?x?xf32>
// CHECK-NEXT:   %[[V0:.*]] = arith.andi %[[ALIGNED]], %arg1 : i1
// CHECK-NEXT:   scf.if %[[V0]] {
// CHECK-NEXT:     %[[V1:.*]] = memref.load %arg0[%[[ARG2]], %[[ARG5]]] : memref<?x?xf32>
// CHECK-NEXT:     %[[V2:.*]] = arith.negf %[[V1]] : f32
// CHECK-NEXT:     memref.store %[[V2]], %arg0[%[[ARG2]], %[[ARG5]]] : memref<?x?xf32>
// CHECK-NEXT:   }
func.func @aligned(%A: memref<?x?xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = gpu.rows_aligned %A to 16 : memref<?x?xf32>
  %b = arith.andi %a, %c : i1
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    scf.if %b {
      %x = tile.load %A[%i, d0] {tile.layout = "<[32], lane = [32 @ (1)]>"} : memref<?x?xf32>, vector<32xf32>
      %y = arith.negf %x : vector<32xf32>
      tile.store %y, %A[%i, d0] : vector<32xf32>, memref<?x?xf32>
    }
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}

// A loop of another mapper stays.
// CHECK-LABEL: func.func @other
// CHECK:      scf.parallel (%[[ARG2:.*]]) = (%c0) to (%c8) step (%c1) {
// CHECK-NEXT:   memref.store %arg1, %arg0[%[[ARG2]]] : memref<8xf32>
// CHECK-NEXT:   scf.reduce
// CHECK-NEXT: } {gpu.mapper = "loops"}
func.func @other(%A: memref<8xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    memref.store %f, %A[%i] : memref<8xf32>
  } {gpu.mapper = "loops"}
  return
}

// Four elements are one access where the mask has all of them, and up to four where not. A mask that is the same along
// the row is a condition of the access.
// CHECK-LABEL: func.func @masked
// CHECK:      %[[M0:.*]] = arith.cmpf olt, %{{.*}}, %cst : f32
// CHECK-NEXT: %[[M1:.*]] = arith.cmpf olt, %{{.*}}, %cst : f32
// CHECK-NEXT: %[[M2:.*]] = arith.cmpf olt, %{{.*}}, %cst : f32
// CHECK-NEXT: %[[M3:.*]] = arith.cmpf olt, %{{.*}}, %cst : f32
// CHECK-NEXT: %[[TWO:.*]] = arith.andi %[[M0]], %[[M1]] : i1
// CHECK-NEXT: %[[THREE:.*]] = arith.andi %[[TWO]], %[[M2]] : i1
// CHECK-NEXT: %[[ALL:.*]] = arith.andi %[[THREE]], %[[M3]] : i1
// CHECK-NEXT: %[[Y:.*]]:4 = scf.if %[[ALL]] -> (f32, f32, f32, f32) {
// CHECK:        vector.load %arg0
// CHECK:      } else {
// CHECK-NEXT:   scf.if %[[M0]] -> (f32) {
// CHECK-NEXT:     memref.load %arg0
// CHECK-NEXT:     scf.yield
// CHECK-NEXT:   } else {
// CHECK-NEXT:     scf.yield %cst : f32
// CHECK-NEXT:   }
// CHECK:        scf.if %[[M1]] -> (f32) {
// CHECK:        scf.if %[[M2]] -> (f32) {
// CHECK:        scf.if %[[M3]] -> (f32) {
// CHECK:      scf.if %[[ALL]] {
// CHECK:        vector.store %{{.*}}, %arg1
// CHECK-NEXT: } else {
// CHECK-NEXT:   scf.if %[[M0]] {
// CHECK-NEXT:     memref.store %[[Y]]#0, %arg1
// CHECK-NEXT:   }
// CHECK:      scf.if %arg2 {
// CHECK-NEXT:   vector.store %{{[0-9]+}}, %arg1
func.func @masked(%A: memref<8x128xf32>, %B: memref<8x128xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<128xf32>
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %x = tile.load %A[%i, d0] {alignment = 16 : i64, tile.layout = "<[128], reg = [4 @ (1)], lane = [32 @ (4)]>"} : memref<8x128xf32>, vector<128xf32>
    %m = arith.cmpf olt, %x, %zero : vector<128xf32>
    %y = tile.load %A[0, d0] mask %m pad %pad {alignment = 16 : i64, tile.layout = "<[128], reg = [4 @ (1)], lane = [32 @ (4)]>"} : memref<8x128xf32>, vector<128xf32>
    tile.store %y, %B[%i, d0] mask %m {alignment = 16 : i64} : vector<128xf32>, memref<8x128xf32>
    %all = vector.broadcast %c : i1 to vector<128xi1>
    tile.store %x, %B[%i, d0] mask %all {alignment = 16 : i64} : vector<128xf32>, memref<8x128xf32>
  } {gpu.mapper = "tile", gpu.block = array<i64: 32, 1, 1>}
  return
}
