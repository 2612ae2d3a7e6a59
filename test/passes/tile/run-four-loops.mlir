// Elements of four loops, of which a grid has three: on tiles where their rows are long enough, as they are where most of a
// tile would be behind the ends.
//
// DEFINE: %{run} = terrace run %s --target emulator --verify
// RUN: %{run} --size I=3 --size J=4 --size K=9 --size L=150 | FileCheck %s
// RUN: %{run} --size I=5 --size J=6 --size K=17 --size L=5 | FileCheck %s
// RUN: %{run} --size I=5 --size J=6 --size K=2 --size L=80 | FileCheck %s
// RUN: %{run} --size I=1 --size J=6 --size K=2 --size L=0 | FileCheck %s
// RUN: terrace-opt %s --tile-from-affine | FileCheck %s --check-prefix=BOTH
//
// CHECK: verify   passed
//
// BOTH-LABEL: func.func @four
// BOTH:       scf.if
// BOTH:         affine.parallel
// BOTH:       else
// BOTH:         gpu.mapper = "tile"
func.func @four(%A: memref<?x?x?x?xi8> {terrace.dims = ["I", "J", "K", "L"], terrace.init = "iota:2x3x4x5"},
                %B: memref<?x?x?x?xi8> {terrace.dims = ["I", "J", "K", "L"], terrace.init = "zeros:2x3x4x5"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %i = memref.dim %A, %c0 : memref<?x?x?x?xi8>
  %j = memref.dim %A, %c1 : memref<?x?x?x?xi8>
  %k = memref.dim %A, %c2 : memref<?x?x?x?xi8>
  %l = memref.dim %A, %c3 : memref<?x?x?x?xi8>
  affine.parallel (%a, %b, %c, %d) = (0, 0, 0, 0) to (symbol(%i), symbol(%j), symbol(%k), symbol(%l)) {
    %x = affine.load %A[%a, %b, %c, %d] : memref<?x?x?x?xi8>
    %y = arith.addi %x, %x : i8
    affine.store %y, %B[%a, %b, %c, %d] : memref<?x?x?x?xi8>
  }
  return
}
