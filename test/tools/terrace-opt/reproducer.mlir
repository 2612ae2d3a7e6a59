// A pass that fails leaves behind what it takes to see that again.
//
// RUN: not terrace-opt %s -pass-pipeline='builtin.module(func.func(cse,canonicalize{max-iterations=1 test-convergence}))' -mlir-pass-pipeline-crash-reproducer=%t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAVED --input-file=%t
// RUN: terrace-opt %s -canonicalize -mlir-pass-pipeline-crash-reproducer=%t.unused 2>&1 | FileCheck %s --check-prefix=QUIET
// RUN: not cat %t.unused
// RUN: not terrace-opt %s -canonicalize='max-iterations=1 test-convergence' -mlir-pass-pipeline-crash-reproducer=%t.nowhere/file 2>&1 | FileCheck %s --check-prefix=NOWHERE

// CHECK: error: 'func.func' op canonicalization did not converge in 1 iterations
// CHECK: error: Failures have been detected while processing an MLIR pass pipeline
// CHECK: note: Pipeline failed while executing [`Canonicalizer` on 'func.func' operation: @f]: reproducer generated at `{{.*}}reproducer.mlir{{.*}}`

// SAVED: func.func @f(
// SAVED: arith.addi %c1_i32, %c1_i32
// SAVED: {-#
// SAVED: mlir_reproducer: {
// SAVED: pipeline: "builtin.module(func.func(cse,canonicalize{max-iterations=1 {{.*}}test-convergence=true {{.*}}}))"

// QUIET-NOT: reproducer
// QUIET: func.func @f

// NOWHERE: no reproducer was written to `{{.*}}.nowhere/file`

func.func @f(%a: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %0 = arith.addi %c1, %c1 : i32
  %1 = arith.addi %a, %0 : i32
  return %1 : i32
}
