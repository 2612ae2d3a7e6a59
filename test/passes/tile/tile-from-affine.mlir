// RUN: terrace-opt %s -tile-from-affine=reassociate=true -canonicalize -cse | FileCheck %s

// What one loop stores the loops behind it have in registers, and what is stored again is stored once. Sums
// may be made in any order.
// CHECK-LABEL: func.func @forward
// CHECK-NEXT: %[[CST:.*]] = arith.constant dense<0.000000e+00> : vector<2xf32>
// CHECK-NEXT: %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[C70:.*]] = arith.constant 70 : index
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: scf.parallel (%[[ARG2:.*]]) = (%[[C0]]) to (%[[C70]]) step (%[[C2]]) {
// CHECK-NEXT:   %[[ALIGNED:.*]] = gpu.rows_aligned %arg0 to 16 : memref<70x1024xf32>
// CHECK-NEXT:   %[[ALIGNED_0:.*]] = gpu.rows_aligned %arg1 to 16 : memref<70x1024xf32>
// CHECK-NEXT:   %[[V0:.*]] = arith.andi %[[ALIGNED]], %[[ALIGNED_0]] : i1
// CHECK-NEXT:   scf.if %[[V0]] {
// CHECK-NEXT:     %[[V1:.*]] = tile.load %arg0[d0 + %[[ARG2]], d1] {alignment = 16 : i64, granule = 4 : i64, tile.layout = "<[2, 1024], reg = [4 @ (0,1), 4 @ (0,256)], lane = [32 @ (0,4)], warp = [2 @ (0,128), 2 @ (1,0)]>"} : memref<70x1024xf32>, vector<2x1024xf32>
// CHECK-NEXT:     %[[V2:.*]] = math.exp %[[V1]] : vector<2x1024xf32>
// CHECK-NEXT:     %[[V3:.*]] = tile.reduce addf %[[V2]], %[[CST]] axes [1] {fastmath = #arith.fastmath<reassoc>, tile.layout = "<[2, 1024], reg = [4 @ (0,1), 4 @ (0,256)], lane = [32 @ (0,4)], warp = [2 @ (0,128), 2 @ (1,0)]>"} : vector<2x1024xf32> -> vector<2xf32>
// CHECK-NEXT:     %[[V4:.*]] = vector.shape_cast %[[V3]] : vector<2xf32> to vector<2x1xf32>
// CHECK-NEXT:     %[[V5:.*]] = vector.broadcast %[[V4]] {tile.layout = "<[2, 1024], reg = [4 @ (0,1), 4 @ (0,256)], lane = [32 @ (0,4)], warp = [2 @ (0,128), 2 @ (1,0)]>"} : vector<2x1xf32> to vector<2x1024xf32>
// CHECK-NEXT:     %[[V6:.*]] = arith.divf %[[V2]], %[[V5]] : vector<2x1024xf32>
// CHECK-NEXT:     tile.store %[[V6]], %arg1[d0 + %[[ARG2]], d1] {alignment = 16 : i64, granule = 4 : i64, tile.layout = "<[2, 1024], reg = [4 @ (0,1), 4 @ (0,256)], lane = [32 @ (0,4)], warp = [2 @ (0,128), 2 @ (1,0)]>"} : vector<2x1024xf32>, memref<70x1024xf32>
// CHECK-NEXT:   } else {
// CHECK-NEXT:     %[[V1:.*]] = tile.load %arg0[d0 + %[[ARG2]], d1] {tile.layout = "<[2, 1024], reg = [16 @ (0,64)], lane = [32 @ (0,1)], warp = [2 @ (0,32), 2 @ (1,0)]>"} : memref<70x1024xf32>, vector<2x1024xf32>
// CHECK-NEXT:     %[[V2:.*]] = math.exp %[[V1]] : vector<2x1024xf32>
// CHECK-NEXT:     %[[V3:.*]] = tile.reduce addf %[[V2]], %[[CST]] axes [1] {fastmath = #arith.fastmath<reassoc>, tile.layout = "<[2, 1024], reg = [16 @ (0,64)], lane = [32 @ (0,1)], warp = [2 @ (0,32), 2 @ (1,0)]>"} : vector<2x1024xf32> -> vector<2xf32>
// CHECK-NEXT:     %[[V4:.*]] = vector.shape_cast %[[V3]] : vector<2xf32> to vector<2x1xf32>
// CHECK-NEXT:     %[[V5:.*]] = vector.broadcast %[[V4]] {tile.layout = "<[2, 1024], reg = [16 @ (0,64)], lane = [32 @ (0,1)], warp = [2 @ (0,32), 2 @ (1,0)]>"} : vector<2x1xf32> to vector<2x1024xf32>
// CHECK-NEXT:     %[[V6:.*]] = arith.divf %[[V2]], %[[V5]] : vector<2x1024xf32>
// CHECK-NEXT:     tile.store %[[V6]], %arg1[d0 + %[[ARG2]], d1] {tile.layout = "<[2, 1024], reg = [16 @ (0,64)], lane = [32 @ (0,1)], warp = [2 @ (0,32), 2 @ (1,0)]>"} : vector<2x1024xf32>, memref<70x1024xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   scf.reduce
// CHECK-NEXT: } {gpu.block = array<i64: 128, 1, 1>, gpu.mapper = "tile"}
// CHECK-NEXT: return
func.func @forward(%A: memref<70x1024xf32>, %B: memref<70x1024xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.parallel (%i) = (0) to (70) {
    affine.parallel (%j) = (0) to (1024) {
      %x = affine.load %A[%i, %j] : memref<70x1024xf32>
      %e = math.exp %x : f32
      affine.store %e, %B[%i, %j] : memref<70x1024xf32>
    }
    %s = affine.for %j = 0 to 1024 iter_args(%a = %zero) -> f32 {
      %x = affine.load %B[%i, %j] : memref<70x1024xf32>
      %t = arith.addf %a, %x : f32
      affine.yield %t : f32
    }
    affine.parallel (%j) = (0) to (1024) {
      %x = affine.load %B[%i, %j] : memref<70x1024xf32>
      %q = arith.divf %x, %s : f32
      affine.store %q, %B[%i, %j] : memref<70x1024xf32>
    }
  }
  return
}

// A row whose length is no multiple of four has no wide accesses, and one version.
// CHECK-LABEL: func.func @odd
// CHECK:      scf.parallel (%[[ARG2:.*]]) = (%c0) to (%c70) step (%c1) {
// CHECK-NEXT:   %[[V0:.*]] = tile.load %arg0[%[[ARG2]], d0] limits [%c4095] pad %{{.*}} {tile.layout = "<[4096], reg = [16 @ (256)], lane = [32 @ (1)], warp = [8 @ (32)]>"} : memref<70x4095xf32>, vector<4096xf32>
// CHECK-NEXT:   %[[V1:.*]] = tile.reduce maximumf %[[V0]], %{{.*}} axes [0] limits [%c4095] {fastmath = #arith.fastmath<reassoc>, tile.layout = "<[4096], reg = [16 @ (256)], lane = [32 @ (1)], warp = [8 @ (32)]>"} : vector<4096xf32> -> f32
// CHECK:        tile.store %{{.*}}, %arg1[%[[ARG2]], d0] limits [%c4095] {tile.layout = "<[4096], reg = [16 @ (256)], lane = [32 @ (1)], warp = [8 @ (32)]>"} : vector<4096xf32>, memref<70x4095xf32>
// CHECK:      } {gpu.block = array<i64: 256, 1, 1>, gpu.mapper = "tile"}
func.func @odd(%A: memref<70x4095xf32>, %B: memref<70x4095xf32>) {
  %least = arith.constant 0xFF800000 : f32
  affine.parallel (%i) = (0) to (70) {
    %m = affine.for %j = 0 to 4095 iter_args(%a = %least) -> f32 {
      %x = affine.load %A[%i, %j] : memref<70x4095xf32>
      %t = arith.maximumf %a, %x : f32
      affine.yield %t : f32
    }
    affine.parallel (%j) = (0) to (4095) {
      %x = affine.load %A[%i, %j] : memref<70x4095xf32>
      %d = arith.subf %x, %m : f32
      affine.store %d, %B[%i, %j] : memref<70x4095xf32>
    }
  }
  return
}

// A row that fills the tile has no limits.
// CHECK-LABEL: func.func @whole
// CHECK:      scf.parallel (%[[ARG3:.*]]) = (%c0) to (%c70) step (%c1) {
// CHECK:        scf.if %{{.*}} {
// CHECK-NEXT:     %[[V2:.*]] = tile.load %arg0[%[[ARG3]], d0] {alignment = 16 : i64, granule = 4 : i64, tile.layout = "<[4096], reg = [4 @ (1), 4 @ (1024)], lane = [32 @ (4)], warp = [8 @ (128)]>"} : memref<70x4096xf32>, vector<4096xf32>
// CHECK-NEXT:     %[[V3:.*]] = tile.reduce maximumf %[[V2]], %{{.*}} axes [0] {fastmath = #arith.fastmath<reassoc>, tile.layout = "<[4096], reg = [4 @ (1), 4 @ (1024)], lane = [32 @ (4)], warp = [8 @ (128)]>"} : vector<4096xf32> -> f32
// CHECK:          tile.store %{{.*}}, %arg1[%[[ARG3]], d0] {alignment = 16 : i64, granule = 4 : i64, tile.layout = "<[4096], reg = [4 @ (1), 4 @ (1024)], lane = [32 @ (4)], warp = [8 @ (128)]>"} : vector<4096xf32>, memref<70x4096xf32>
// CHECK:        } else {
// CHECK-NEXT:     %[[V2:.*]] = tile.load %arg0[%[[ARG3]], d0] {tile.layout = "<[4096], reg = [16 @ (256)], lane = [32 @ (1)], warp = [8 @ (32)]>"} : memref<70x4096xf32>, vector<4096xf32>
// CHECK-NEXT:     %[[V3:.*]] = tile.reduce maximumf %[[V2]], %{{.*}} axes [0] {fastmath = #arith.fastmath<reassoc>, tile.layout = "<[4096], reg = [16 @ (256)], lane = [32 @ (1)], warp = [8 @ (32)]>"} : vector<4096xf32> -> f32
// CHECK:          tile.store %{{.*}}, %arg1[%[[ARG3]], d0] {tile.layout = "<[4096], reg = [16 @ (256)], lane = [32 @ (1)], warp = [8 @ (32)]>"} : vector<4096xf32>, memref<70x4096xf32>
// CHECK:      } {gpu.block = array<i64: 256, 1, 1>, gpu.mapper = "tile"}
func.func @whole(%A: memref<70x4096xf32>, %B: memref<70x4096xf32>, %M: memref<70xf32>) {
  %least = arith.constant 0xFF800000 : f32
  affine.parallel (%i) = (0) to (70) {
    %m = affine.for %j = 0 to 4096 iter_args(%a = %least) -> f32 {
      %x = affine.load %A[%i, %j] : memref<70x4096xf32>
      %t = arith.maximumf %a, %x : f32
      affine.yield %t : f32
    }
    affine.parallel (%j) = (0) to (4096) {
      %x = affine.load %A[%i, %j] : memref<70x4096xf32>
      %d = arith.subf %x, %m : f32
      affine.store %d, %B[%i, %j] : memref<70x4096xf32>
    }
    affine.store %m, %M[%i] : memref<70xf32>
  }
  return
}

// Of a length that is not known there are versions for rows of up to 64, 256, 1024, 4096 and 8192 elements, with
// 32, 8, 2 rows a block and one, and two nests for longer ones.
// CHECK-LABEL: func.func @lengths
// CHECK:      %[[V0:.*]] = arith.cmpi sle, %arg0, %c64 : index
// CHECK-NEXT: scf.if %[[V0]] {
// CHECK-NEXT:   scf.parallel (%[[ARG3:.*]]) = (%c0) to (%c70) step (%c32) {
// CHECK-NEXT:     %[[V1:.*]] = arith.remui %arg0, %c4 : index
// CHECK:          %[[ALIGNED:.*]] = gpu.rows_aligned %arg1 to 16 : memref<?x?xf32>
// CHECK-NEXT:     %[[ALIGNED_5:.*]] = gpu.rows_aligned %arg2 to 16 : memref<?x?xf32>
// CHECK:          scf.if %{{.*}} {
// CHECK:            %[[V6:.*]] = tile.load %arg1[d0 + %[[ARG3]], d1] limits [%{{.*}}, %arg0] pad %{{.*}} {alignment = 16 : i64, granule = 4 : i64, tile.layout = "<[32, 64], reg = [4 @ (0,1), 4 @ (0,16)], lane = [4 @ (0,4), 8 @ (1,0)], warp = [4 @ (8,0)]>"} : memref<?x?xf32>, vector<32x64xf32>
// CHECK-NEXT:       %[[V7:.*]] = tile.reduce maximumf %[[V6]], %{{.*}} axes [1] limits [%{{.*}}, %arg0] {fastmath = #arith.fastmath<reassoc>, tile.layout = "<[32, 64], reg = [4 @ (0,1), 4 @ (0,16)], lane = [4 @ (0,4), 8 @ (1,0)], warp = [4 @ (8,0)]>"} : vector<32x64xf32> -> vector<32xf32>
// CHECK:            tile.store %{{.*}}, %arg2[d0 + %[[ARG3]], d1] limits [%{{.*}}, %arg0] {alignment = 16 : i64, granule = 4 : i64, tile.layout = "<[32, 64], reg = [4 @ (0,1), 4 @ (0,16)], lane = [4 @ (0,4), 8 @ (1,0)], warp = [4 @ (8,0)]>"} : vector<32x64xf32>, memref<?x?xf32>
// CHECK-NEXT:     } else {
// CHECK:            %[[V6:.*]] = tile.load %arg1[d0 + %[[ARG3]], d1] limits [%{{.*}}, %arg0] pad %{{.*}} {tile.layout = "<[32, 64], reg = [16 @ (0,4)], lane = [4 @ (0,1), 8 @ (1,0)], warp = [4 @ (8,0)]>"} : memref<?x?xf32>, vector<32x64xf32>
// CHECK-NEXT:       %[[V7:.*]] = tile.reduce maximumf %[[V6]], %{{.*}} axes [1] limits [%{{.*}}, %arg0] {fastmath = #arith.fastmath<reassoc>, tile.layout = "<[32, 64], reg = [16 @ (0,4)], lane = [4 @ (0,1), 8 @ (1,0)], warp = [4 @ (8,0)]>"} : vector<32x64xf32> -> vector<32xf32>
// CHECK:            tile.store %{{.*}}, %arg2[d0 + %[[ARG3]], d1] limits [%{{.*}}, %arg0] {tile.layout = "<[32, 64], reg = [16 @ (0,4)], lane = [4 @ (0,1), 8 @ (1,0)], warp = [4 @ (8,0)]>"} : vector<32x64xf32>, memref<?x?xf32>
// CHECK:        } {gpu.block = array<i64: 128, 1, 1>, gpu.mapper = "tile"}
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[V1:.*]] = arith.cmpi sle, %arg0, %c256 : index
// CHECK-NEXT:   scf.if %[[V1]] {
// CHECK-NEXT:     scf.parallel (%[[ARG3:.*]]) = (%c0) to (%c70) step (%c8) {
// CHECK-NEXT:       %[[V2:.*]] = arith.remui %arg0, %c4 : index
// CHECK:            %[[ALIGNED:.*]] = gpu.rows_aligned %arg1 to 16 : memref<?x?xf32>
// CHECK-NEXT:       %[[ALIGNED_5:.*]] = gpu.rows_aligned %arg2 to 16 : memref<?x?xf32>
// CHECK:            scf.if %{{.*}} {
// CHECK:              %[[V7:.*]] = tile.load %arg1[d0 + %[[ARG3]], d1] limits [%{{.*}}, %arg0] pad %{{.*}} {alignment = 16 : i64, granule = 4 : i64, tile.layout = "<[8, 256], reg = [4 @ (0,1), 4 @ (0,64)], lane = [16 @ (0,4), 2 @ (1,0)], warp = [4 @ (2,0)]>"} : memref<?x?xf32>, vector<8x256xf32>
// CHECK-NEXT:         %[[V8:.*]] = tile.reduce maximumf %[[V7]], %{{.*}} axes [1] limits [%{{.*}}, %arg0] {fastmath = #arith.fastmath<reassoc>, tile.layout = "<[8, 256], reg = [4 @ (0,1), 4 @ (0,64)], lane = [16 @ (0,4), 2 @ (1,0)], warp = [4 @ (2,0)]>"} : vector<8x256xf32> -> vector<8xf32>
// CHECK:              tile.store %{{.*}}, %arg2[d0 + %[[ARG3]], d1] limits [%{{.*}}, %arg0] {alignment = 16 : i64, granule = 4 : i64, tile.layout = "<[8, 256], reg = [4 @ (0,1), 4 @ (0,64)], lane = [16 @ (0,4), 2 @ (1,0)], warp = [4 @ (2,0)]>"} : vector<8x256xf32>, memref<?x?xf32>
// CHECK-NEXT:       } else {
// CHECK:              %[[V7:.*]] = tile.load %arg1[d0 + %[[ARG3]], d1] limits [%{{.*}}, %arg0] pad %{{.*}} {tile.layout = "<[8, 256], reg = [16 @ (0,16)], lane = [16 @ (0,1), 2 @ (1,0)], warp = [4 @ (2,0)]>"} : memref<?x?xf32>, vector<8x256xf32>
// CHECK-NEXT:         %[[V8:.*]] = tile.reduce maximumf %[[V7]], %{{.*}} axes [1] limits [%{{.*}}, %arg0] {fastmath = #arith.fastmath<reassoc>, tile.layout = "<[8, 256], reg = [16 @ (0,16)], lane = [16 @ (0,1), 2 @ (1,0)], warp = [4 @ (2,0)]>"} : vector<8x256xf32> -> vector<8xf32>
// CHECK:              tile.store %{{.*}}, %arg2[d0 + %[[ARG3]], d1] limits [%{{.*}}, %arg0] {tile.layout = "<[8, 256], reg = [16 @ (0,16)], lane = [16 @ (0,1), 2 @ (1,0)], warp = [4 @ (2,0)]>"} : vector<8x256xf32>, memref<?x?xf32>
// CHECK:          } {gpu.block = array<i64: 128, 1, 1>, gpu.mapper = "tile"}
// CHECK-NEXT:   } else {
// CHECK-NEXT:     %[[V2:.*]] = arith.cmpi sle, %arg0, %c1024 : index
// CHECK-NEXT:     scf.if %[[V2]] {
// CHECK-NEXT:       scf.parallel (%[[ARG3:.*]]) = (%c0) to (%c70) step (%c2) {
// CHECK-NEXT:         %[[V3:.*]] = arith.remui %arg0, %c4 : index
// CHECK:              %[[ALIGNED:.*]] = gpu.rows_aligned %arg1 to 16 : memref<?x?xf32>
// CHECK-NEXT:         %[[ALIGNED_5:.*]] = gpu.rows_aligned %arg2 to 16 : memref<?x?xf32>
// CHECK:              scf.if %{{.*}} {
// CHECK-NEXT:           %[[V7:.*]] = tile.load %arg1[d0 + %[[ARG3]], d1] limits [_, %arg0] pad %{{.*}} {alignment = 16 : i64, granule = 4 : i64, tile.layout = "<[2, 1024], reg = [4 @ (0,1), 4 @ (0,256)], lane = [32 @ (0,4)], warp = [2 @ (0,128), 2 @ (1,0)]>"} : memref<?x?xf32>, vector<2x1024xf32>
// CHECK-NEXT:           %[[V8:.*]] = tile.reduce maximumf %[[V7]], %{{.*}} axes [1] limits [_, %arg0] {fastmath = #arith.fastmath<reassoc>, tile.layout = "<[2, 1024], reg = [4 @ (0,1), 4 @ (0,256)], lane = [32 @ (0,4)], warp = [2 @ (0,128), 2 @ (1,0)]>"} : vector<2x1024xf32> -> vector<2xf32>
// CHECK:                tile.store %{{.*}}, %arg2[d0 + %[[ARG3]], d1] limits [_, %arg0] {alignment = 16 : i64, granule = 4 : i64, tile.layout = "<[2, 1024], reg = [4 @ (0,1), 4 @ (0,256)], lane = [32 @ (0,4)], warp = [2 @ (0,128), 2 @ (1,0)]>"} : vector<2x1024xf32>, memref<?x?xf32>
// CHECK-NEXT:         } else {
// CHECK-NEXT:           %[[V7:.*]] = tile.load %arg1[d0 + %[[ARG3]], d1] limits [_, %arg0] pad %{{.*}} {tile.layout = "<[2, 1024], reg = [16 @ (0,64)], lane = [32 @ (0,1)], warp = [2 @ (0,32), 2 @ (1,0)]>"} : memref<?x?xf32>, vector<2x1024xf32>
// CHECK-NEXT:           %[[V8:.*]] = tile.reduce maximumf %[[V7]], %{{.*}} axes [1] limits [_, %arg0] {fastmath = #arith.fastmath<reassoc>, tile.layout = "<[2, 1024], reg = [16 @ (0,64)], lane = [32 @ (0,1)], warp = [2 @ (0,32), 2 @ (1,0)]>"} : vector<2x1024xf32> -> vector<2xf32>
// CHECK:                tile.store %{{.*}}, %arg2[d0 + %[[ARG3]], d1] limits [_, %arg0] {tile.layout = "<[2, 1024], reg = [16 @ (0,64)], lane = [32 @ (0,1)], warp = [2 @ (0,32), 2 @ (1,0)]>"} : vector<2x1024xf32>, memref<?x?xf32>
// CHECK:            } {gpu.block = array<i64: 128, 1, 1>, gpu.mapper = "tile"}
// CHECK-NEXT:     } else {
// CHECK-NEXT:       %[[V3:.*]] = arith.cmpi sle, %arg0, %c4096 : index
// CHECK-NEXT:       scf.if %[[V3]] {
// CHECK-NEXT:         scf.parallel (%[[ARG3:.*]]) = (%c0) to (%c70) step (%c1) {
// CHECK-NEXT:           %[[V4:.*]] = arith.remui %arg0, %c4 : index
// CHECK:                %[[ALIGNED:.*]] = gpu.rows_aligned %arg1 to 16 : memref<?x?xf32>
// CHECK-NEXT:           %[[ALIGNED_5:.*]] = gpu.rows_aligned %arg2 to 16 : memref<?x?xf32>
// CHECK:                scf.if %{{.*}} {
// CHECK-NEXT:             %[[V8:.*]] = tile.load %arg1[%[[ARG3]], d0] limits [%arg0] pad %{{.*}} {alignment = 16 : i64, granule = 4 : i64, tile.layout = "<[4096], reg = [4 @ (1), 4 @ (1024)], lane = [32 @ (4)], warp = [8 @ (128)]>"} : memref<?x?xf32>, vector<4096xf32>
// CHECK-NEXT:             %[[V9:.*]] = tile.reduce maximumf %[[V8]], %{{.*}} axes [0] limits [%arg0] {fastmath = #arith.fastmath<reassoc>, tile.layout = "<[4096], reg = [4 @ (1), 4 @ (1024)], lane = [32 @ (4)], warp = [8 @ (128)]>"} : vector<4096xf32> -> f32
// CHECK:                  tile.store %{{.*}}, %arg2[%[[ARG3]], d0] limits [%arg0] {alignment = 16 : i64, granule = 4 : i64, tile.layout = "<[4096], reg = [4 @ (1), 4 @ (1024)], lane = [32 @ (4)], warp = [8 @ (128)]>"} : vector<4096xf32>, memref<?x?xf32>
// CHECK-NEXT:           } else {
// CHECK-NEXT:             %[[V8:.*]] = tile.load %arg1[%[[ARG3]], d0] limits [%arg0] pad %{{.*}} {tile.layout = "<[4096], reg = [16 @ (256)], lane = [32 @ (1)], warp = [8 @ (32)]>"} : memref<?x?xf32>, vector<4096xf32>
// CHECK-NEXT:             %[[V9:.*]] = tile.reduce maximumf %[[V8]], %{{.*}} axes [0] limits [%arg0] {fastmath = #arith.fastmath<reassoc>, tile.layout = "<[4096], reg = [16 @ (256)], lane = [32 @ (1)], warp = [8 @ (32)]>"} : vector<4096xf32> -> f32
// CHECK:                  tile.store %{{.*}}, %arg2[%[[ARG3]], d0] limits [%arg0] {tile.layout = "<[4096], reg = [16 @ (256)], lane = [32 @ (1)], warp = [8 @ (32)]>"} : vector<4096xf32>, memref<?x?xf32>
// CHECK:              } {gpu.block = array<i64: 256, 1, 1>, gpu.mapper = "tile"}
// CHECK-NEXT:       } else {
// CHECK-NEXT:         %[[V4:.*]] = arith.cmpi sle, %arg0, %c8192 : index
// CHECK-NEXT:         scf.if %[[V4]] {
// CHECK:                tile.store %{{.*}} {alignment = 16 : i64, granule = 4 : i64, tile.layout = "<[8192], reg = [4 @ (1), 4 @ (2048)], lane = [32 @ (4)], warp = [16 @ (128)]>"}
// CHECK:                tile.store %{{.*}} {tile.layout = "<[8192], reg = [16 @ (512)], lane = [32 @ (1)], warp = [16 @ (32)]>"}
// CHECK:              } {gpu.block = array<i64: 512, 1, 1>, gpu.mapper = "tile"}
// CHECK-NEXT:         } else {
// CHECK-NEXT:           %[[KEPT:.*]] = memref.alloc() : memref<70xf32>
// CHECK:              scf.parallel (%[[ARG3:.*]], %[[PART:.*]]) = (%c0, %c0) to (%c70, %{{.*}}) step (%c1, %c1) {
// CHECK:                memref.store %{{.*}}, %{{.*}}[%[[PART]], %[[ARG3]]]
// CHECK:              scf.parallel (%[[ARG3:.*]]) = (%c0) to (%c70) step (%c32) {
// CHECK:                tile.store %{{.*}}, %[[KEPT]][d0 + %[[ARG3]]]
// CHECK:              affine.parallel (%[[ARG3:.*]]) = (0) to (70) {
// CHECK-NEXT:           affine.parallel (%[[ARG4:.*]]) = (0) to (symbol(%arg0)) {
// CHECK-NEXT:             affine.load %[[KEPT]][%[[ARG3]]] : memref<70xf32>
// CHECK:              memref.dealloc %[[KEPT]] : memref<70xf32>
func.func @lengths(%n: index, %A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  %least = arith.constant 0xFF800000 : f32
  affine.parallel (%i) = (0) to (70) {
    %m = affine.for %j = 0 to %n iter_args(%a = %least) -> f32 {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %t = arith.maximumf %a, %x : f32
      affine.yield %t : f32
    }
    affine.parallel (%j) = (0) to (symbol(%n)) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %d = arith.subf %x, %m : f32
      affine.store %d, %B[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// Short rows: 32 of them a block, four threads each. The last block has fewer.
// CHECK-LABEL: func.func @short
// CHECK:      scf.parallel (%[[ARG2:.*]]) = (%c0) to (%c70) step (%c32) {
// CHECK:        scf.if %{{.*}} {
// CHECK-NEXT:     %[[V1:.*]] = arith.subi %c70, %[[ARG2]] : index
// CHECK-NEXT:     %[[V2:.*]] = tile.load %arg0[d0 + %[[ARG2]], d1] limits [%[[V1]]] pad %{{.*}} {alignment = 16 : i64, granule = 4 : i64, tile.layout = "<[32, 16], reg = [4 @ (0,1)], lane = [4 @ (0,4), 8 @ (1,0)], warp = [4 @ (8,0)]>"} : memref<70x16xf32>, vector<32x16xf32>
// CHECK-NEXT:     %[[V3:.*]] = tile.reduce maximumf %[[V2]], %{{.*}} axes [1] limits [%[[V1]]] {fastmath = #arith.fastmath<reassoc>, tile.layout = "<[32, 16], reg = [4 @ (0,1)], lane = [4 @ (0,4), 8 @ (1,0)], warp = [4 @ (8,0)]>"} : vector<32x16xf32> -> vector<32xf32>
// CHECK-NEXT:     %[[V4:.*]] = vector.shape_cast %[[V3]] : vector<32xf32> to vector<32x1xf32>
// CHECK-NEXT:     %[[V5:.*]] = vector.broadcast %[[V4]] {tile.layout = "<[32, 16], reg = [4 @ (0,1)], lane = [4 @ (0,4), 8 @ (1,0)], warp = [4 @ (8,0)]>"} : vector<32x1xf32> to vector<32x16xf32>
// CHECK:          tile.store %{{.*}}, %arg1[d0 + %[[ARG2]], d1] limits [%[[V1]]] {alignment = 16 : i64, granule = 4 : i64, tile.layout = "<[32, 16], reg = [4 @ (0,1)], lane = [4 @ (0,4), 8 @ (1,0)], warp = [4 @ (8,0)]>"} : vector<32x16xf32>, memref<70x16xf32>
// CHECK-NEXT:   } else {
// CHECK-NEXT:     %[[V1:.*]] = arith.subi %c70, %[[ARG2]] : index
// CHECK-NEXT:     %[[V2:.*]] = tile.load %arg0[d0 + %[[ARG2]], d1] limits [%[[V1]]] pad %{{.*}} {tile.layout = "<[32, 16], reg = [4 @ (0,4)], lane = [4 @ (0,1), 8 @ (1,0)], warp = [4 @ (8,0)]>"} : memref<70x16xf32>, vector<32x16xf32>
// CHECK-NEXT:     %[[V3:.*]] = tile.reduce maximumf %[[V2]], %{{.*}} axes [1] limits [%[[V1]]] {fastmath = #arith.fastmath<reassoc>, tile.layout = "<[32, 16], reg = [4 @ (0,4)], lane = [4 @ (0,1), 8 @ (1,0)], warp = [4 @ (8,0)]>"} : vector<32x16xf32> -> vector<32xf32>
// CHECK-NEXT:     %[[V4:.*]] = vector.shape_cast %[[V3]] : vector<32xf32> to vector<32x1xf32>
// CHECK-NEXT:     %[[V5:.*]] = vector.broadcast %[[V4]] {tile.layout = "<[32, 16], reg = [4 @ (0,4)], lane = [4 @ (0,1), 8 @ (1,0)], warp = [4 @ (8,0)]>"} : vector<32x1xf32> to vector<32x16xf32>
// CHECK:          tile.store %{{.*}}, %arg1[d0 + %[[ARG2]], d1] limits [%[[V1]]] {tile.layout = "<[32, 16], reg = [4 @ (0,4)], lane = [4 @ (0,1), 8 @ (1,0)], warp = [4 @ (8,0)]>"} : vector<32x16xf32>, memref<70x16xf32>
// CHECK:      } {gpu.block = array<i64: 128, 1, 1>, gpu.mapper = "tile"}
func.func @short(%A: memref<70x16xf32>, %B: memref<70x16xf32>) {
  %least = arith.constant 0xFF800000 : f32
  affine.parallel (%i) = (0) to (70) {
    %m = affine.for %j = 0 to 16 iter_args(%a = %least) -> f32 {
      %x = affine.load %A[%i, %j] : memref<70x16xf32>
      %t = arith.maximumf %a, %x : f32
      affine.yield %t : f32
    }
    affine.parallel (%j) = (0) to (16) {
      %x = affine.load %A[%i, %j] : memref<70x16xf32>
      %d = arith.subf %x, %m : f32
      affine.store %d, %B[%i, %j] : memref<70x16xf32>
    }
  }
  return
}

// Two rows a block.
// CHECK-LABEL: func.func @two
// CHECK:      scf.parallel (%[[ARG2:.*]]) = (%c0) to (%c70) step (%c2) {
// CHECK-NEXT:   %[[V0:.*]] = tile.load %arg0[d0 + %[[ARG2]], d1] limits [_, %c1023] pad %c0_i32 {tile.layout = "<[2, 1024], reg = [16 @ (0,64)], lane = [32 @ (0,1)], warp = [2 @ (0,32), 2 @ (1,0)]>"} : memref<70x1023xi32>, vector<2x1024xi32>
// CHECK-NEXT:   %[[V1:.*]] = tile.reduce maxs %[[V0]], %{{.*}} axes [1] limits [_, %c1023] {fastmath = #arith.fastmath<reassoc>, tile.layout = "<[2, 1024], reg = [16 @ (0,64)], lane = [32 @ (0,1)], warp = [2 @ (0,32), 2 @ (1,0)]>"} : vector<2x1024xi32> -> vector<2xi32>
// CHECK-NEXT:   %[[V2:.*]] = vector.shape_cast %[[V1]] : vector<2xi32> to vector<2x1xi32>
// CHECK-NEXT:   %[[V3:.*]] = vector.broadcast %[[V2]] {tile.layout = "<[2, 1024], reg = [16 @ (0,64)], lane = [32 @ (0,1)], warp = [2 @ (0,32), 2 @ (1,0)]>"} : vector<2x1xi32> to vector<2x1024xi32>
// CHECK-NEXT:   %[[V4:.*]] = arith.subi %[[V0]], %[[V3]] : vector<2x1024xi32>
// CHECK-NEXT:   tile.store %[[V4]], %arg1[d0 + %[[ARG2]], d1] limits [_, %c1023] {tile.layout = "<[2, 1024], reg = [16 @ (0,64)], lane = [32 @ (0,1)], warp = [2 @ (0,32), 2 @ (1,0)]>"} : vector<2x1024xi32>, memref<70x1023xi32>
// CHECK:      } {gpu.block = array<i64: 128, 1, 1>, gpu.mapper = "tile"}
func.func @two(%A: memref<70x1023xi32>, %B: memref<70x1023xi32>) {
  %least = arith.constant -100 : i32
  affine.parallel (%i) = (0) to (70) {
    %m = affine.for %j = 0 to 1023 iter_args(%a = %least) -> i32 {
      %x = affine.load %A[%i, %j] : memref<70x1023xi32>
      %t = arith.maxsi %a, %x : i32
      affine.yield %t : i32
    }
    affine.parallel (%j) = (0) to (1023) {
      %x = affine.load %A[%i, %j] : memref<70x1023xi32>
      %d = arith.subi %x, %m : i32
      affine.store %d, %B[%i, %j] : memref<70x1023xi32>
    }
  }
  return
}

// A long row: each of its loops is a nest of its own, with more than one block for a row.
// CHECK-LABEL: func.func @pieces
// CHECK:      %[[KEPT:.*]] = memref.alloc() : memref<70xf64>
// CHECK:      scf.parallel (%[[I:.*]], %[[PART:.*]]) = (%c0, %c0) to (%c70, %{{.*}}) step (%c1, %c1) {
// CHECK:        memref.store %{{.*}}, %{{.*}}[%[[PART]], %[[I]]]
// CHECK:      scf.parallel (%[[I:.*]]) = (%c0) to (%c70) step (%c32) {
// CHECK:        tile.store %{{.*}}, %[[KEPT]][d0 + %[[I]]]
// CHECK:      affine.parallel (%[[I:.*]]) = (0) to (70) {
// CHECK-NEXT:   affine.parallel (%[[J:.*]]) = (0) to (100000) {
// CHECK-NEXT:     affine.load %[[KEPT]][%[[I]]] : memref<70xf64>
// CHECK:      memref.dealloc %[[KEPT]] : memref<70xf64>
func.func @pieces(%A: memref<70x100000xf64>, %B: memref<70x100000xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.parallel (%i) = (0) to (70) {
    %s = affine.for %j = 0 to 100000 iter_args(%a = %zero) -> f64 {
      %x = affine.load %A[%i, %j] : memref<70x100000xf64>
      %e = math.exp %x : f64
      %t = arith.addf %a, %e : f64
      affine.yield %t : f64
    }
    affine.parallel (%j) = (0) to (100000) {
      %x = affine.load %A[%i, %j] : memref<70x100000xf64>
      %d = arith.divf %x, %s : f64
      affine.store %d, %B[%i, %j] : memref<70x100000xf64>
    }
  }
  return
}

// Loops that begin at other numbers than the first: lower limits. What the second loop wants of A the first loads.
// CHECK-LABEL: func.func @begins
// CHECK:      scf.parallel (%[[ARG2:.*]]) = (%c0) to (%c70) step (%c1) {
// CHECK-NEXT:   %[[V0:.*]] = tile.load %arg0[%[[ARG2]], d0] limits [%c2 to %c4095] pad %{{.*}} {tile.layout = "<[4096], reg = [16 @ (256)], lane = [32 @ (1)], warp = [8 @ (32)]>"} : memref<70x4095xf32>, vector<4096xf32>
// CHECK-NEXT:   %[[V1:.*]] = tile.reduce maximumf %[[V0]], %{{.*}} axes [0] limits [%c5 to %c4095] {fastmath = #arith.fastmath<reassoc>, tile.layout = "<[4096], reg = [16 @ (256)], lane = [32 @ (1)], warp = [8 @ (32)]>"} : vector<4096xf32> -> f32
// CHECK:        tile.store %{{.*}}, %arg1[%[[ARG2]], d0] limits [%c2 to %c4095] {tile.layout = "<[4096], reg = [16 @ (256)], lane = [32 @ (1)], warp = [8 @ (32)]>"} : vector<4096xf32>, memref<70x4095xf32>
// CHECK:      } {gpu.block = array<i64: 256, 1, 1>, gpu.mapper = "tile"}
func.func @begins(%A: memref<70x4095xf32>, %B: memref<70x4095xf32>) {
  %least = arith.constant 0xFF800000 : f32
  affine.parallel (%i) = (0) to (70) {
    %m = affine.for %j = 5 to 4095 iter_args(%a = %least) -> f32 {
      %x = affine.load %A[%i, %j] : memref<70x4095xf32>
      %t = arith.maximumf %a, %x : f32
      affine.yield %t : f32
    }
    affine.parallel (%j) = (2) to (4095) {
      %x = affine.load %A[%i, %j] : memref<70x4095xf32>
      %d = arith.subf %x, %m : f32
      affine.store %d, %B[%i, %j] : memref<70x4095xf32>
    }
  }
  return
}

// What of a row is the same for all its elements, and the counter of a row and of an element as numbers.
// CHECK-LABEL: func.func @counters
// CHECK-NEXT: %[[C3:.*]] = arith.constant 3 : index
// CHECK-NEXT: %[[CST:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[C4095:.*]] = arith.constant 4095 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[C70:.*]] = arith.constant 70 : index
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[CST_0:.*]] = arith.constant 0xFF800000 : f32
// CHECK-NEXT: scf.parallel (%[[ARG3:.*]]) = (%[[C0]]) to (%[[C70]]) step (%[[C1]]) {
// CHECK-NEXT:   %[[V0:.*]] = memref.load %arg2[%[[ARG3]]] : memref<70xf32>
// CHECK-NEXT:   %[[V1:.*]] = tile.load %arg0[%[[ARG3]], d0] limits [%[[C4095]]] pad %[[CST]] {tile.layout = "<[4096], reg = [16 @ (256)], lane = [32 @ (1)], warp = [8 @ (32)]>"} : memref<70x4095xf32>, vector<4096xf32>
// CHECK-NEXT:   %[[V2:.*]] = tile.reduce maximumf %[[V1]], %[[CST_0]] axes [0] limits [%[[C4095]]] {fastmath = #arith.fastmath<reassoc>, tile.layout = "<[4096], reg = [16 @ (256)], lane = [32 @ (1)], warp = [8 @ (32)]>"} : vector<4096xf32> -> f32
// CHECK-NEXT:   %[[V3:.*]] = arith.muli %[[ARG3]], %[[C3]] : index
// CHECK-NEXT:   %[[V4:.*]] = vector.step {tile.layout = "<[4096], reg = [16 @ (256)], lane = [32 @ (1)], warp = [8 @ (32)]>"} : vector<4096xindex>
// CHECK:        %[[V6:.*]] = arith.addi %{{.*}}, %[[V4]] : vector<4096xindex>
// CHECK-NEXT:   %[[V7:.*]] = arith.index_cast %[[V6]] : vector<4096xindex> to vector<4096xi32>
// CHECK-NEXT:   %[[V8:.*]] = arith.sitofp %[[V7]] : vector<4096xi32> to vector<4096xf32>
// CHECK:        %[[V10:.*]] = arith.addf %[[V8]], %{{.*}} : vector<4096xf32>
// CHECK:        %[[V12:.*]] = arith.subf %[[V10]], %{{.*}} : vector<4096xf32>
// CHECK-NEXT:   tile.store %[[V12]], %arg1[%[[ARG3]], d0] limits [%[[C4095]]] {tile.layout = "<[4096], reg = [16 @ (256)], lane = [32 @ (1)], warp = [8 @ (32)]>"} : vector<4096xf32>, memref<70x4095xf32>
// CHECK:      } {gpu.block = array<i64: 256, 1, 1>, gpu.mapper = "tile"}
func.func @counters(%A: memref<70x4095xf32>, %B: memref<70x4095xf32>, %S: memref<70xf32>) {
  %least = arith.constant 0xFF800000 : f32
  affine.parallel (%i) = (0) to (70) {
    %y = affine.load %S[%i] : memref<70xf32>
    %m = affine.for %j = 0 to 4095 iter_args(%a = %least) -> f32 {
      %x = affine.load %A[%i, %j] : memref<70x4095xf32>
      %t = arith.maximumf %a, %x : f32
      affine.yield %t : f32
    }
    affine.parallel (%j) = (0) to (4095) {
      %k = affine.apply affine_map<(d0, d1) -> (d0 * 3 + d1)>(%i, %j)
      %l = arith.index_cast %k : index to i32
      %f = arith.sitofp %l : i32 to f32
      %d = arith.addf %f, %y : f32
      %e = arith.subf %d, %m : f32
      affine.store %e, %B[%i, %j] : memref<70x4095xf32>
    }
  }
  return
}

// A transpose: what is loaded along a row of A changes threads and is stored along a row of B.
// CHECK-LABEL: func.func @transpose
// CHECK-NEXT: %[[C640:.*]] = arith.constant 640 : index
// CHECK-NEXT: %[[C64:.*]] = arith.constant 64 : index
// CHECK-NEXT: %[[C1024:.*]] = arith.constant 1024 : index
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: scf.parallel (%[[ARG2:.*]], %[[ARG3:.*]]) = (%[[C0]], %[[C0]]) to (%[[C1024]], %[[C640]]) step (%[[C64]], %[[C64]]) {
// CHECK-NEXT:   %[[ALIGNED:.*]] = gpu.rows_aligned %arg0 to 16 : memref<640x1024xf32>
// CHECK-NEXT:   %[[ALIGNED_0:.*]] = gpu.rows_aligned %arg1 to 16 : memref<1024x640xf32>
// CHECK-NEXT:   %[[V0:.*]] = arith.andi %[[ALIGNED]], %[[ALIGNED_0]] : i1
// CHECK-NEXT:   scf.if %[[V0]] {
// CHECK-NEXT:     %[[V1:.*]] = tile.load %arg0[d1 + %[[ARG3]], d0 + %[[ARG2]]] {alignment = 16 : i64, granule = 4 : i64, tile.layout = "<[64, 64], reg = [4 @ (1,0), 4 @ (0,16)], lane = [16 @ (4,0), 2 @ (0,1)], warp = [8 @ (0,2)]>"} : memref<640x1024xf32>, vector<64x64xf32>
// CHECK-NEXT:     %[[V2:.*]] = tile.convert %[[V1]] {tile.layout = "<[64, 64], reg = [4 @ (0,1), 4 @ (16,0)], lane = [16 @ (0,4), 2 @ (1,0)], warp = [8 @ (2,0)]>"} : vector<64x64xf32>
// CHECK-NEXT:     tile.store %[[V2]], %arg1[d0 + %[[ARG2]], d1 + %[[ARG3]]] {alignment = 16 : i64, granule = 4 : i64, tile.layout = "<[64, 64], reg = [4 @ (0,1), 4 @ (16,0)], lane = [16 @ (0,4), 2 @ (1,0)], warp = [8 @ (2,0)]>"} : vector<64x64xf32>, memref<1024x640xf32>
// CHECK-NEXT:   } else {
// CHECK-NEXT:     %[[V1:.*]] = tile.load %arg0[d1 + %[[ARG3]], d0 + %[[ARG2]]] {tile.layout = "<[64, 64], reg = [16 @ (0,4)], lane = [32 @ (1,0)], warp = [2 @ (32,0), 4 @ (0,1)]>"} : memref<640x1024xf32>, vector<64x64xf32>
// CHECK-NEXT:     %[[V2:.*]] = tile.convert %[[V1]] {tile.layout = "<[64, 64], reg = [16 @ (4,0)], lane = [32 @ (0,1)], warp = [2 @ (0,32), 4 @ (1,0)]>"} : vector<64x64xf32>
// CHECK-NEXT:     tile.store %[[V2]], %arg1[d0 + %[[ARG2]], d1 + %[[ARG3]]] {tile.layout = "<[64, 64], reg = [16 @ (4,0)], lane = [32 @ (0,1)], warp = [2 @ (0,32), 4 @ (1,0)]>"} : vector<64x64xf32>, memref<1024x640xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   scf.reduce
// CHECK-NEXT: } {gpu.block = array<i64: 256, 1, 1>, gpu.mapper = "tile"}
// CHECK-NEXT: return
func.func @transpose(%A: memref<640x1024xf32>, %B: memref<1024x640xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (1024, 640) {
    %x = affine.load %A[%j, %i] : memref<640x1024xf32>
    affine.store %x, %B[%i, %j] : memref<1024x640xf32>
  }
  return
}

// Of three dimensions two are those of the tile, which need not come out even.
// CHECK-LABEL: func.func @permute
// CHECK:      scf.if %{{.*}} {
// CHECK-NEXT:   affine.parallel (%[[ARG3:.*]], %[[ARG4:.*]], %[[ARG5:.*]]) = (0, 0, 0) to (symbol(%arg0), 30, 500) {
// CHECK:      } else {
// CHECK-NEXT:   scf.parallel (%[[ARG3:.*]], %[[ARG4:.*]], %[[ARG5:.*]]) = (%c0, %c0, %c0) to (%arg0, %c30, %c500) step (%c64, %c1, %c32) {
// CHECK:          scf.if %{{.*}} {
// CHECK-NEXT:       %[[V6:.*]] = arith.subi %arg0, %[[ARG3]] : index
// CHECK-NEXT:       %[[V7:.*]] = arith.subi %c500, %[[ARG5]] : index
// CHECK-NEXT:       %[[V8:.*]] = tile.load %arg1[%[[ARG4]], d1 + %[[ARG5]], d0 + %[[ARG3]]] limits [%[[V6]], %[[V7]]] pad %c0_i64 {alignment = 16 : i64, granule = 2 : i64, tile.layout = "<[64, 32], reg = [2 @ (1,0), 4 @ (0,8)], lane = [32 @ (2,0)], warp = [8 @ (0,1)]>"} : memref<30x500x?xi64>, vector<64x32xi64>
// CHECK-NEXT:       %[[V9:.*]] = tile.convert %[[V8]] {tile.layout = "<[64, 32], reg = [2 @ (0,1), 4 @ (16,0)], lane = [16 @ (0,2), 2 @ (1,0)], warp = [8 @ (2,0)]>"} : vector<64x32xi64>
// CHECK-NEXT:       tile.store %[[V9]], %arg2[d0 + %[[ARG3]], %[[ARG4]], d1 + %[[ARG5]]] limits [%[[V6]], %[[V7]]] {alignment = 16 : i64, granule = 2 : i64, tile.layout = "<[64, 32], reg = [2 @ (0,1), 4 @ (16,0)], lane = [16 @ (0,2), 2 @ (1,0)], warp = [8 @ (2,0)]>"} : vector<64x32xi64>, memref<?x30x500xi64>
// CHECK-NEXT:     } else {
// CHECK-NEXT:       %[[V6:.*]] = arith.subi %arg0, %[[ARG3]] : index
// CHECK-NEXT:       %[[V7:.*]] = arith.subi %c500, %[[ARG5]] : index
// CHECK-NEXT:       %[[V8:.*]] = tile.load %arg1[%[[ARG4]], d1 + %[[ARG5]], d0 + %[[ARG3]]] limits [%[[V6]], %[[V7]]] pad %c0_i64 {tile.layout = "<[64, 32], reg = [8 @ (0,4)], lane = [32 @ (1,0)], warp = [2 @ (32,0), 4 @ (0,1)]>"} : memref<30x500x?xi64>, vector<64x32xi64>
// CHECK-NEXT:       %[[V9:.*]] = tile.convert %[[V8]] {tile.layout = "<[64, 32], reg = [8 @ (8,0)], lane = [32 @ (0,1)], warp = [8 @ (1,0)]>"} : vector<64x32xi64>
// CHECK-NEXT:       tile.store %[[V9]], %arg2[d0 + %[[ARG3]], %[[ARG4]], d1 + %[[ARG5]]] limits [%[[V6]], %[[V7]]] {tile.layout = "<[64, 32], reg = [8 @ (8,0)], lane = [32 @ (0,1)], warp = [8 @ (1,0)]>"} : vector<64x32xi64>, memref<?x30x500xi64>
// CHECK:        } {gpu.block = array<i64: 256, 1, 1>, gpu.mapper = "tile"}
func.func @permute(%n: index, %A: memref<30x500x?xi64>, %B: memref<?x30x500xi64>) {
  affine.parallel (%k, %i, %j) = (0, 0, 0) to (%n, 30, 500) {
    %x = affine.load %A[%i, %j, %k] : memref<30x500x?xi64>
    affine.store %x, %B[%k, %i, %j] : memref<?x30x500xi64>
  }
  return
}

// An array that is adjacent along the stores needs no conversion.
// CHECK-LABEL: func.func @add
// CHECK:      scf.parallel (%[[ARG3:.*]], %[[ARG4:.*]]) = (%c0, %c0) to (%c1000, %c640) step (%c64, %c64) {
// CHECK:        scf.if %{{.*}} {
// CHECK-NEXT:     %[[V2:.*]] = arith.subi %c1000, %[[ARG3]] : index
// CHECK-NEXT:     %[[V3:.*]] = tile.load %arg0[d1 + %[[ARG4]], d0 + %[[ARG3]]] limits [%[[V2]]] pad %{{.*}} {alignment = 16 : i64, granule = 4 : i64, tile.layout = "<[64, 64], reg = [4 @ (1,0), 4 @ (0,16)], lane = [16 @ (4,0), 2 @ (0,1)], warp = [8 @ (0,2)]>"} : memref<640x1000xf32>, vector<64x64xf32>
// CHECK-NEXT:     %[[V4:.*]] = tile.convert %[[V3]] {tile.layout = "<[64, 64], reg = [4 @ (0,1), 4 @ (16,0)], lane = [16 @ (0,4), 2 @ (1,0)], warp = [8 @ (2,0)]>"} : vector<64x64xf32>
// CHECK-NEXT:     %[[V5:.*]] = tile.load %arg1[d0 + %[[ARG3]], d1 + %[[ARG4]]] limits [%[[V2]]] pad %{{.*}} {alignment = 16 : i64, granule = 4 : i64, tile.layout = "<[64, 64], reg = [4 @ (0,1), 4 @ (16,0)], lane = [16 @ (0,4), 2 @ (1,0)], warp = [8 @ (2,0)]>"} : memref<1000x640xf32>, vector<64x64xf32>
// CHECK:          tile.store %{{.*}}, %arg2[d0 + %[[ARG3]], d1 + %[[ARG4]]] limits [%[[V2]]] {alignment = 16 : i64, granule = 4 : i64, tile.layout = "<[64, 64], reg = [4 @ (0,1), 4 @ (16,0)], lane = [16 @ (0,4), 2 @ (1,0)], warp = [8 @ (2,0)]>"} : vector<64x64xf32>, memref<1000x640xf32>
// CHECK-NEXT:   } else {
// CHECK-NEXT:     %[[V2:.*]] = arith.subi %c1000, %[[ARG3]] : index
// CHECK-NEXT:     %[[V3:.*]] = tile.load %arg0[d1 + %[[ARG4]], d0 + %[[ARG3]]] limits [%[[V2]]] pad %{{.*}} {tile.layout = "<[64, 64], reg = [16 @ (0,4)], lane = [32 @ (1,0)], warp = [2 @ (32,0), 4 @ (0,1)]>"} : memref<640x1000xf32>, vector<64x64xf32>
// CHECK-NEXT:     %[[V4:.*]] = tile.convert %[[V3]] {tile.layout = "<[64, 64], reg = [16 @ (4,0)], lane = [32 @ (0,1)], warp = [2 @ (0,32), 4 @ (1,0)]>"} : vector<64x64xf32>
// CHECK-NEXT:     %[[V5:.*]] = tile.load %arg1[d0 + %[[ARG3]], d1 + %[[ARG4]]] limits [%[[V2]]] pad %{{.*}} {tile.layout = "<[64, 64], reg = [16 @ (4,0)], lane = [32 @ (0,1)], warp = [2 @ (0,32), 4 @ (1,0)]>"} : memref<1000x640xf32>, vector<64x64xf32>
// CHECK:          tile.store %{{.*}}, %arg2[d0 + %[[ARG3]], d1 + %[[ARG4]]] limits [%[[V2]]] {tile.layout = "<[64, 64], reg = [16 @ (4,0)], lane = [32 @ (0,1)], warp = [2 @ (0,32), 4 @ (1,0)]>"} : vector<64x64xf32>, memref<1000x640xf32>
// CHECK:      } {gpu.block = array<i64: 256, 1, 1>, gpu.mapper = "tile"}
func.func @add(%A: memref<640x1000xf32>, %B: memref<1000x640xf32>, %C: memref<1000x640xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (1000, 640) {
    %x = affine.load %A[%j, %i] : memref<640x1000xf32>
    %y = affine.load %B[%i, %j] : memref<1000x640xf32>
    %z = arith.addf %x, %y : f32
    affine.store %z, %C[%i, %j] : memref<1000x640xf32>
  }
  return
}

// A sum of each row and nothing else is for gpu-map-reductions, where rows are short and many.
// CHECK-LABEL: func.func @taken
// CHECK-NEXT: %[[CST:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: affine.parallel (%[[ARG2:.*]]) = (0) to (9000) {
// CHECK-NEXT:   %[[V0:.*]] = affine.for %[[ARG3:.*]] = 0 to 100 iter_args(%[[ARG4:.*]] = %[[CST]]) -> (f32) {
// CHECK-NEXT:     %[[V1:.*]] = affine.load %arg0[%[[ARG2]], %[[ARG3]]] : memref<9000x100xf32>
// CHECK-NEXT:     %[[V2:.*]] = arith.addf %[[ARG4]], %[[V1]] : f32
// CHECK-NEXT:     affine.yield %[[V2]] : f32
// CHECK-NEXT:   }
// CHECK-NEXT:   affine.store %[[V0]], %arg1[%[[ARG2]]] : memref<9000xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @taken(%A: memref<9000x100xf32>, %S: memref<9000xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.parallel (%i) = (0) to (9000) {
    %s = affine.for %j = 0 to 100 iter_args(%a = %zero) -> f32 {
      %x = affine.load %A[%i, %j] : memref<9000x100xf32>
      %t = arith.addf %a, %x : f32
      affine.yield %t : f32
    }
    affine.store %s, %S[%i] : memref<9000xf32>
  }
  return
}

// A number of each row is no reason to turn a tile round.
// CHECK-LABEL: func.func @scaled
// CHECK-NOT: tile.
// CHECK: affine.parallel
func.func @scaled(%A: memref<700x900xf32>, %s: memref<700xf32>, %B: memref<700x900xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (700, 900) {
    %x = affine.load %A[%i, %j] : memref<700x900xf32>
    %y = affine.load %s[%i] : memref<700xf32>
    %z = arith.mulf %x, %y : f32
    affine.store %z, %B[%i, %j] : memref<700x900xf32>
  }
  return
}
