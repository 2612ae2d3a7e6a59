// What random programs do not have: other ways for tiles to go on, and ops without loops.
//
// RUN: terrace run %s --target interp | FileCheck %s
// RUN: terrace-opt %s -tile-expand -o %t.mlir
// RUN: terrace run %t.mlir --target interp | FileCheck %s
// RUN: FileCheck %s --check-prefix=LOOPS --input-file=%t.mlir
// LOOPS-NOT: tile.
// CHECK: array    0 {{.*}} checksum sum 2.7458270108e0 weighted 2.0282166663e0
// CHECK: array    1 {{.*}} checksum sum 5.1957765186e1 weighted 2.6448346088e1
func.func private @twice(%v: vector<2x3xf64>) -> vector<2x3xf64> {
  %w = arith.addf %v, %v : vector<2x3xf64>
  return %w : vector<2x3xf64>
}

func.func @main(%A: memref<2x3xf64> {terrace.init = "random:2x3:0"}, %R: memref<9x2x3xf64> {terrace.init = "zeros:9x2x3"}, %n: index {terrace.init = "2"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %half = arith.constant 0.5 : f64
  %a = tile.load %A[d0, d1] : memref<2x3xf64>, vector<2x3xf64>
  // A call.
  %b = func.call @twice(%a) : (vector<2x3xf64>) -> vector<2x3xf64>
  tile.store %b, %R[0, d0, d1] : vector<2x3xf64>, memref<9x2x3xf64>
  // A loop that ends on data.
  %w:2 = scf.while (%v = %a, %k = %c0) : (vector<2x3xf64>, index) -> (vector<2x3xf64>, index) {
    %more = arith.cmpi slt, %k, %n : index
    scf.condition(%more) %v, %k : vector<2x3xf64>, index
  } do {
  ^bb0(%v: vector<2x3xf64>, %k: index):
    %sum = arith.addf %v, %b : vector<2x3xf64>
    %next = arith.addi %k, %c1 : index
    scf.yield %sum, %next : vector<2x3xf64>, index
  }
  tile.store %w#0, %R[1, d0, d1] : vector<2x3xf64>, memref<9x2x3xf64>
  // One of several.
  %s = scf.index_switch %n -> vector<2x3xf64>
  case 1 {
    scf.yield %a : vector<2x3xf64>
  }
  case 2 {
    %x = arith.negf %a : vector<2x3xf64>
    scf.yield %x : vector<2x3xf64>
  }
  default {
    scf.yield %b : vector<2x3xf64>
  }
  tile.store %s, %R[2, d0, d1] : vector<2x3xf64>, memref<9x2x3xf64>
  // What a parallel loop reduces.
  %p = scf.parallel (%i) = (%c0) to (%c3) step (%c1) init (%a) -> vector<2x3xf64> {
    %row = tile.load %A[0, d0] : memref<2x3xf64>, vector<3xf64>
    %both = vector.broadcast %row : vector<3xf64> to vector<2x3xf64>
    scf.reduce(%both : vector<2x3xf64>) {
    ^bb0(%l: vector<2x3xf64>, %r: vector<2x3xf64>):
      %sum = arith.addf %l, %r : vector<2x3xf64>
      scf.reduce.return %sum : vector<2x3xf64>
    }
  }
  tile.store %p, %R[3, d0, d1] : vector<2x3xf64>, memref<9x2x3xf64>
  // Elements at known and computed positions.
  %e = vector.extract %a[1, %n] : f64 from vector<2x3xf64>
  %r = vector.extract %a[%c1] : vector<3xf64> from vector<2x3xf64>
  %i0 = vector.insert %e, %a [0, %c1] : f64 into vector<2x3xf64>
  %i1 = vector.insert %r, %i0 [0] : vector<3xf64> into vector<2x3xf64>
  tile.store %i1, %R[4, d0, d1] : vector<2x3xf64>, memref<9x2x3xf64>
  // Masks by sizes, and a condition that is no vector.
  %m = vector.create_mask %c1, %n : vector<2x3xi1>
  %k = vector.constant_mask [2, 1] : vector<2x3xi1>
  %mk = arith.xori %m, %k : vector<2x3xi1>
  %z = arith.constant dense<[[0.25, 0.5, 0.75], [1.0, 1.25, 1.5]]> : vector<2x3xf64>
  %y = arith.select %mk, %a, %z : vector<2x3xi1>, vector<2x3xf64>
  %no = arith.constant false
  %u = arith.select %no, %a, %y : vector<2x3xf64>
  tile.store %u, %R[5, d0, d1] : vector<2x3xf64>, memref<9x2x3xf64>
  %f = vector.fma %a, %b, %y : vector<2x3xf64>
  tile.store %f, %R[6, d0, d1] : vector<2x3xf64>, memref<9x2x3xf64>
  // Two results.
  %sin, %cos = math.sincos %a : vector<2x3xf64>
  tile.store %sin, %R[7, d0, d1] : vector<2x3xf64>, memref<9x2x3xf64>
  tile.store %cos, %R[8, d0, d1] : vector<2x3xf64>, memref<9x2x3xf64>
  return
}
