// What all iterations combine, where they choose under conditions: a least value that is computed again where it is
// chosen, as `if (f(a[i]) < s) s = f(a[i])` does.
//
// RUN: terrace run %s --target emulator --verify --size M=1 --size N=3000 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --size M=7 --size N=9 | FileCheck %s
// RUN: terrace-opt %s --tile-from-affine | FileCheck %s --check-prefix=TILES
//
// CHECK: verify   passed
//
// TILES-LABEL: func.func @whole
// TILES-NOT:   affine.parallel
// TILES:       gpu.mapper = "tile"
func.func @whole(%A: memref<?x?xf32> {terrace.dims = ["M", "N"], terrace.init = "random:60x33:1"},
                 %B: memref<?x?xf32> {terrace.dims = ["M", "N"], terrace.init = "random:60x33:2"},
                 %S: memref<1xf32> {terrace.init = "zeros:1"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f32
  %none = arith.constant 0x7F800000 : f32
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  %s = affine.parallel (%i) = (0) to (symbol(%m)) reduce ("minnumf") -> (f32) {
    %t = affine.parallel (%j) = (0) to (symbol(%n)) reduce ("minnumf") -> (f32) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %b = affine.load %B[%i, %j] : memref<?x?xf32>
      %great = arith.cmpf ogt, %x, %half : f32
      %y = arith.select %great, %b, %x : f32
      %q = arith.divf %y, %half : f32
      %less = arith.cmpf olt, %q, %none : f32
      %chosen = scf.if %less -> (f32) {
        %again = arith.select %great, %b, %x : f32
        %r = arith.divf %again, %half : f32
        scf.yield %r : f32
      } else {
        scf.yield %none : f32
      }
      affine.yield %chosen : f32
    }
    affine.yield %t : f32
  }
  affine.store %s, %S[0] : memref<1xf32>
  return
}
