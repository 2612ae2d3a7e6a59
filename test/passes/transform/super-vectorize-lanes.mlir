// The last vector of a copy takes lanes that were never written, and its mask drops them.
//
// RUN: terrace-opt %s -affine-data-copy-generate=fast-mem-capacity=0 -affine-super-vectorize=virtual-vector-size=4,2 -o %t.mlir
// RUN: terrace run %t.mlir --target interp | FileCheck %s
// RUN: terrace run %s --target interp | FileCheck %s
// CHECK: array    2 {{.*}} checksum sum -1.2000000000e1 weighted 6.7210952759e1
func.func @main(%n: index {terrace.init = "1"}, %m: index {terrace.init = "5"}, %A0: memref<8x6xi64> {terrace.init = "random:8x6:0"}, %A1: memref<?xf64> {terrace.init = "random:7:1"}) {
  %v1 = arith.constant 0 : index
  %v2 = memref.dim %A1, %v1 : memref<?xf64>
  affine.for %i16 = 1 to 5 {
    %v18 = arith.constant 9 : i64
    affine.store %v18, %A0[symbol(%n) * 2 + 2 + -1, (symbol(%m) + %i16 + symbol(%v2) + -3) ceildiv 2 + -3] : memref<8x6xi64>
  }
  return
}
