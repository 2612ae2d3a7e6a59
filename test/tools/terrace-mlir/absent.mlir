// Where there is no terrace-mlir, what builds it is said.
//
// RUN: not env TERRACE_MLIR=%t.nowhere terrace run --mlir-import %s 2>&1 | FileCheck %s
// RUN: not env TERRACE_MLIR=%t.nowhere terrace-opt --load-mlir %s 2>&1 | FileCheck %s
// RUN: not env TERRACE_MLIR=%t.nowhere terrace-opt --upstream %s 2>&1 | FileCheck %s
// RUN: not env TERRACE_MLIR= PATH=/nowhere terrace run --mlir-import %s 2>&1 | FileCheck %s --check-prefix=BUILD
// CHECK: error: {{.*}}TERRACE_MLIR names '{{.*}}.nowhere', which is no file; expected the program terrace-mlir
// BUILD: error: there is no terrace-mlir, which calls upstream's parser and passes. With LLVM and MLIR 22 'cargo build --release --manifest-path mlir/Cargo.toml' builds it

func.func @f() {
  return
}
