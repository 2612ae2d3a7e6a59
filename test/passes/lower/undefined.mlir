// RUN: terrace-opt --lower-undefined %s | FileCheck %s

// CHECK-LABEL: func @undefined
func.func @undefined() -> (i32, f32, vector<4xf64>, index) {
  // CHECK-DAG: %[[I:.*]] = arith.constant 0 : i32
  // CHECK-DAG: %[[F:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK-DAG: %[[V:.*]] = arith.constant dense<0.000000e+00> : vector<4xf64>
  // CHECK-DAG: %[[N:.*]] = arith.constant 0 : index
  // CHECK: return %[[I]], %[[F]], %[[V]], %[[N]]
  %0 = llvm.mlir.undef : i32
  %1 = ub.poison : f32
  %2 = llvm.mlir.poison : vector<4xf64>
  %3 = llvm.mlir.zero : index
  return %0, %1, %2, %3 : i32, f32, vector<4xf64>, index
}

// Of an op that is no number nothing is made.
// CHECK-LABEL: func @others
func.func @others() -> (memref<4xf32>, i64, i32, i8) {
  // CHECK: ub.poison : memref<4xf32>
  %0 = ub.poison : memref<4xf32>
  // CHECK-DAG: arith.constant 3 : i64
  %1 = llvm.mlir.constant(3 : index) : i64
  // CHECK-DAG: arith.constant 4 : i32
  %2 = llvm.mlir.constant(4 : i32) : i32
  // CHECK-DAG: llvm.mlir.constant(1.000000e+00 : f8E4M3FN) : i8
  %3 = llvm.mlir.constant(1.0 : f8E4M3FN) : i8
  return %0, %1, %2, %3 : memref<4xf32>, i64, i32, i8
}
