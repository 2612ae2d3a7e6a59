// RUN: terrace-opt %s | FileCheck %s
// RUN: terrace-opt %s | terrace-opt | FileCheck %s
// RUN: terrace-opt --mlir-print-op-generic %s | terrace-opt | FileCheck %s

// CHECK-LABEL: func @values
// CHECK-SAME: %{{.*}}: !llvm.ptr
func.func @values(%p: !llvm.ptr) -> (i32, f64, i64) {
  // CHECK: llvm.mlir.undef : i32
  %0 = llvm.mlir.undef : i32
  // CHECK: llvm.mlir.poison {d.a} : vector<4xi8>
  %1 = llvm.mlir.poison {d.a} : vector<4xi8>
  // CHECK: llvm.mlir.zero : f64
  %2 = llvm.mlir.zero : f64
  // CHECK: llvm.mlir.zero : !llvm.ptr
  %3 = llvm.mlir.zero : !llvm.ptr
  // CHECK: llvm.mlir.constant(1 : index) : i64
  %4 = llvm.mlir.constant(1 : index) : i64
  return %0, %2, %4 : i32, f64, i64
}
