// RUN: terrace-opt %s | FileCheck %s
// RUN: terrace-opt %s | terrace-opt | FileCheck %s
// RUN: terrace-opt %s --mlir-print-op-generic | terrace-opt | FileCheck %s
// RUN: terrace-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// CHECK-LABEL: func @fill
func.func @fill(%v: f32, %t: tensor<?xf32>, %m: memref<4xf32>) -> tensor<?xf32> {
  // CHECK: linalg.fill {d.a} ins(%{{.*}} : f32) outs(%{{.*}} : tensor<?xf32>) -> tensor<?xf32>
  // GENERIC: "linalg.fill"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  // GENERIC-NEXT: ^bb0(%[[V:.*]]: f32, %{{.*}}: f32):
  // GENERIC-NEXT: "linalg.yield"(%[[V]]) : (f32) -> ()
  %0 = linalg.fill {d.a} ins(%v : f32) outs(%t : tensor<?xf32>) -> tensor<?xf32>
  // CHECK: linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : memref<4xf32>){{$}}
  linalg.fill ins(%v : f32) outs(%m : memref<4xf32>)
  return %0 : tensor<?xf32>
}
