// RUN: terrace run %s --target interp > %t.1
// RUN: terrace-opt %s -affine-parallel-boxes | terrace run - --target interp > %t.2
// RUN: grep array %t.1 | FileCheck %s
// RUN: grep array %t.2 | FileCheck %s
// RUN: terrace-opt %s -affine-parallel-boxes | FileCheck %s --check-prefix=BOX

// Bands whose bounds move are divided and rounded in all ways, at each place of the loop around, within bounds and beyond: each
// iteration that there was adds its own number, and no other does.
// BOX-COUNT-4: affine.if
// CHECK: array {{ *}}a {{ *}}60x8x17xf64 {{ *}}checksum sum 1.0547600000e5 weighted 5.2171418332e4
func.func @bands(
    %a: memref<?x?x?xf64> {terrace.name = "a", terrace.dims = ["C", "T", "N"], terrace.init = "zeros:60x8x17"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f64
  %three = arith.constant 3.0 : f64
  %seven = arith.constant 7.0 : f64
  %twenty = arith.constant 20.0 : f64
  %cs = memref.dim %a, %c0 : memref<?x?x?xf64>
  %ts = memref.dim %a, %c1 : memref<?x?x?xf64>
  %n = memref.dim %a, %c2 : memref<?x?x?xf64>
  affine.for %c = 0 to %cs {
    affine.parallel (%t) = (0) to (symbol(%ts)) {
      affine.parallel (%i) = (max((%c - %t * 4 - symbol(%n) + 2) ceildiv 2, 1)) to (min((%c - %t * 4 - 1) floordiv 2 + 1, symbol(%n) - 1)) {
        %0 = affine.load %a[%c, %t, %i] : memref<?x?x?xf64>
        %1 = arith.addf %0, %one : f64
        affine.store %1, %a[%c, %t, %i] : memref<?x?x?xf64>
      }
    }
    affine.parallel (%t) = (0) to (symbol(%ts)) {
      affine.parallel (%i) = (max((%t - %c + 2) floordiv 3, 0)) to (min((%t - %c + symbol(%n)) ceildiv 3 + 5, symbol(%n))) {
        %0 = affine.load %a[%c, %t, %i] : memref<?x?x?xf64>
        %1 = arith.addf %0, %three : f64
        affine.store %1, %a[%c, %t, %i] : memref<?x?x?xf64>
      }
    }
    affine.parallel (%t) = (0) to (symbol(%ts)) {
      affine.parallel (%i) = ((%t * 2) floordiv 3) to (symbol(%n)) {
        %0 = affine.load %a[%c, %t, %i] : memref<?x?x?xf64>
        %1 = arith.addf %0, %seven : f64
        affine.store %1, %a[%c, %t, %i] : memref<?x?x?xf64>
      }
    }
    affine.parallel (%t) = (0) to (symbol(%ts)) {
      affine.parallel (%i) = (2) to (min((symbol(%n) - %t) ceildiv 2, 16)) {
        %0 = affine.load %a[%c, %t, %i] : memref<?x?x?xf64>
        %1 = arith.addf %0, %twenty : f64
        affine.store %1, %a[%c, %t, %i] : memref<?x?x?xf64>
      }
    }
  }
  return
}
