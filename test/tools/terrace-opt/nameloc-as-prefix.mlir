// Values are called by the names in their locations where that is asked for.
//
// RUN: terrace-opt %s --mlir-use-nameloc-as-prefix | FileCheck %s
// RUN: terrace-opt %s --mlir-use-nameloc-as-prefix --cse | FileCheck %s
// RUN: terrace-opt %s | FileCheck %s --check-prefix=PLAIN

func.func private @two() -> (index, index)

// CHECK-LABEL: func.func @names(
// CHECK-SAME: %rows: index,
// PLAIN-LABEL: func.func @names(%arg0: index,
func.func @names(%a: index loc("rows"), %m: memref<?xf32>, %c: i1) -> index {
  // The name of a constant yields to that of its location.
  // CHECK-NEXT: %seven = arith.constant 7
  // PLAIN-NEXT: %c7 = arith.constant 7
  %0 = arith.constant 7 : index loc("seven")
  // CHECK-NEXT: %c8 = arith.constant 8
  %1 = arith.constant 8 : index
  // CHECK-NEXT: %pair:2 = call @two
  %2:2 = call @two() : () -> (index, index) loc("pair")
  // A name that is taken gets a number.
  // CHECK-NEXT: %x = memref.load %{{.*}}[%rows]
  %3 = memref.load %m[%a] : memref<?xf32> loc("x")
  // CHECK-NEXT: %x_0 = memref.load %{{.*}}[%pair#1]
  %4 = memref.load %m[%2#1] : memref<?xf32> loc("x"("file.c":1:2))
  // The first name in a location of several counts.
  // CHECK-NEXT: %sum = arith.addf %x, %x_0
  %5 = arith.addf %3, %4 : f32 loc(fused["file.c":3:4, callsite("sum" at "caller")])
  // CHECK-NEXT: memref.store %sum, %{{.*}}[%seven]
  memref.store %5, %m[%0] : memref<?xf32>
  // CHECK-NEXT: cf.cond_br %{{.*}}, ^bb1(%pair#0 : index), ^bb1(%c8 : index)
  cf.cond_br %c, ^bb1(%2#0 : index), ^bb1(%1 : index)
// CHECK-NEXT: ^bb1(%_2nd_way: index):
^bb1(%6: index loc("2nd way")):
  // CHECK-NEXT: return %_2nd_way
  return %6 : index
}
