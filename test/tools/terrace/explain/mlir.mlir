// `explain` is about C: a file of MLIR text is not read as such.
// RUN: not terrace explain %s 2>&1 | FileCheck %s

// CHECK: mlir.mlir: error: found a file of MLIR text, expected a C file: `terrace explain` says what becomes of C; `terrace compile {{.*}}mlir.mlir --emit mlir` shows what becomes of this, and `terrace-opt {{.*}}mlir.mlir --affine-print-dependences` what its loops depend on
// CHECK-NOT: error
func.func @f() {
  return
}
