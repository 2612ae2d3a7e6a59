// What the texts of pipelines and pass options may be, and what is said of others.
//
// RUN: terrace-opt %s -pass-pipeline='builtin.module(func.func(cse,canonicalize{top-down=false max-iterations=3}),any(cse))' -dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=DUMP
// RUN: terrace-opt %s -cse -canonicalize='region-simplify=disabled' -dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=FLAGS
// RUN: terrace-opt %s -map-parallel-to-gpu -map-parallel-to-gpu -gpu-kernel-outlining -dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=NEST
// RUN: terrace-opt %s -pass-pipeline='builtin.module()' | FileCheck %s
// RUN: not terrace-opt %s -pass-pipeline='builtin.module(nothing)' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not terrace-opt %s -pass-pipeline='builtin.module(func.func(cse,nothing))' 2>&1 | FileCheck %s --check-prefix=INNER
// RUN: not terrace-opt %s -pass-pipeline='cse' 2>&1 | FileCheck %s --check-prefix=WRAP
// RUN: not terrace-opt %s -pass-pipeline='builtin.module(cse))' 2>&1 | FileCheck %s --check-prefix=EXTRA
// RUN: not terrace-opt %s -pass-pipeline='builtin.module(func.func(cse)' 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not terrace-opt %s -pass-pipeline='builtin.module(cse{)' 2>&1 | FileCheck %s --check-prefix=BRACE
// RUN: not terrace-opt %s -pass-pipeline='builtin.module(func.func(gpu-kernel-outlining))' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// RUN: not terrace-opt %s -pass-pipeline='func.func(cse)' 2>&1 | FileCheck %s --check-prefix=ROOT
// RUN: not terrace-opt %s -pass-pipeline='func.func()' 2>&1 | FileCheck %s --check-prefix=ROOT
// RUN: not terrace-opt %s -pass-pipeline='builtin.module(canonicalize{top-down=maybe})' 2>&1 | FileCheck %s --check-prefix=BOOL
// RUN: not terrace-opt %s -pass-pipeline='builtin.module(canonicalize{max-iterations=ten})' 2>&1 | FileCheck %s --check-prefix=INT
// RUN: not terrace-opt %s -pass-pipeline='builtin.module(canonicalize{nothing=1})' 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not terrace-opt %s -canonicalize=nothing=1 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not terrace-opt %s -cse -pass-pipeline='builtin.module(cse)' 2>&1 | FileCheck %s --check-prefix=BOTH

// DUMP: Pass Manager with 2 passes:
// DUMP-NEXT: builtin.module(
// DUMP-NEXT:   func.func(
// DUMP-NEXT:     cse,
// DUMP-NEXT:     canonicalize{max-iterations=3 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=false}
// DUMP-NEXT:   ),
// DUMP-NEXT:   any(
// DUMP-NEXT:     cse
// DUMP-NEXT:   )
// DUMP-NEXT: )

// FLAGS: builtin.module(
// FLAGS-NEXT:   cse,
// FLAGS-NEXT:   canonicalize{{.*}} region-simplify=disabled

// A pass for functions is nested, together with its neighbours.
// NEST: builtin.module(
// NEST-NEXT:   func.func(
// NEST-NEXT:     map-parallel-to-gpu
// NEST-NEXT:     map-parallel-to-gpu
// NEST-NEXT:   ),
// NEST-NEXT:   gpu-kernel-outlining

// CHECK: func.func @f()

// UNKNOWN: MLIR Textual PassPipeline Parser:1:1: error: 'nothing' does not refer to a registered pass or pass pipeline
// UNKNOWN-NEXT: {{^}}nothing
// UNKNOWN-NEXT: {{^}}^
// INNER: MLIR Textual PassPipeline Parser:1:15: error: 'nothing' does not refer to a registered pass or pass pipeline
// WRAP: expected pass pipeline to be wrapped with the anchor operation type, e.g. 'builtin.module(...)'
// EXTRA: error: encountered extra closing ')' creating unbalanced parentheses while parsing pipeline
// MISSING: error: encountered unbalanced parentheses while parsing pipeline
// BRACE: error: missing closing '}' while processing pass options
// ANCHOR: Can't add pass 'GpuKernelOutliningPass' restricted to 'builtin.module' on a PassManager intended to run on 'func.func', did you intend to nest?
// ROOT: error: can't run 'func.func' pass manager on 'builtin.module' op
// BOOL: for the --top-down option: 'maybe' is invalid value for boolean argument! Try 0 or 1
// INT: for the --max-iterations option: 'ten' value invalid for long argument!
// OPTION: <Pass-Options-Parser>: no such option nothing
// BOTH: '-pass-pipeline' option can't be used with individual pass options

func.func @f() {
  return
}
