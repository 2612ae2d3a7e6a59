// Reports of times and counts, on standard error.
//
// RUN: terrace-opt %s -pass-pipeline='builtin.module(func.func(cse,canonicalize),symbol-dce)' -mlir-timing 2>&1 >/dev/null | FileCheck %s
// RUN: terrace-opt %s -pass-pipeline='builtin.module(func.func(cse,canonicalize))' -mlir-pass-statistics 2>&1 >/dev/null | FileCheck %s --check-prefix=COUNT

// CHECK: ... Execution time report ...
// CHECK: Total Execution Time: {{[0-9.]+}} seconds
// CHECK: ----Wall Time---- ----Name----
// CHECK: Parser
// CHECK-NEXT: Verifier
// CHECK-NEXT: 'func.func' Pipeline
// CHECK-NEXT: {{  }}CSE
// CHECK-NEXT: {{  }}Canonicalizer
// CHECK-NEXT: SymbolDCE
// CHECK-NEXT: Output
// CHECK-NEXT: Rest
// CHECK-NEXT: {{[0-9.]+}} (100.0%) Total

// COUNT: ... Pass statistics report ...
// COUNT: CSE
// COUNT-NEXT: (S) 1 num-cse'd {{.*}}
// COUNT: Canonicalizer

func.func @f(%a: i32) -> i32 {
  %0 = arith.muli %a, %a : i32
  %1 = arith.muli %a, %a : i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}
