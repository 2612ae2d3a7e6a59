// Flags of the tool itself.
//
// RUN: terrace-opt < %s | FileCheck %s
// RUN: terrace-opt - < %s | FileCheck %s
// RUN: terrace-opt %s -o %t && FileCheck %s --input-file=%t
// RUN: terrace-opt %s -o - | FileCheck %s
// RUN: terrace-opt --canonicalize %s | FileCheck %s
// RUN: terrace-opt -p 'builtin.module(canonicalize)' %s | FileCheck %s
// RUN: terrace-opt -list-passes | FileCheck %s --check-prefix=PASSES
// RUN: terrace-opt -show-dialects | FileCheck %s --check-prefix=DIALECTS
// RUN: terrace-opt --help | FileCheck %s --check-prefix=HELP
// RUN: terrace-opt --version | FileCheck %s --check-prefix=VERSION
// RUN: not terrace-opt %s -nothing-like-it 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not terrace-opt %s -canonicalise 2>&1 | FileCheck %s --check-prefix=CLOSE
// RUN: not terrace-opt %s %s 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not terrace-opt %t.nowhere 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not terrace-opt %s -o %t.nowhere/out 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not terrace-opt %s -error-limit=few 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not terrace-opt %s -pass-pipeline 2>&1 | FileCheck %s --check-prefix=VALUE

// CHECK: func.func @f()

// PASSES: --canonicalize{{ +}}Canonicalize operations
// PASSES-NEXT: top-down=<true|false>{{ +}}Seed the worklist{{.*}} [default: true]
// PASSES: --cse{{ +}}Eliminate common sub-expressions

// DIALECTS: Available Dialects: affine,arith,{{.*}}func,gpu,{{.*}}scf,schedule,{{.*}}vector,xfer


// HELP: -o=<file>{{ +}}Write the output here; {{.*}} [default: -]
// HELP-NEXT: --split-input-file[=marker]{{ +}}Treat
// HELP: --verify-each[=true|false]{{ +}}Verify after every pass [default: true]
// HELP: -p=<pipeline>{{ +}}As --pass-pipeline
// HELP: --error-limit=<n>{{ +}}Stop {{.*}} [default: 20]
// HELP: --affine-delay-updates
// HELP-NEXT: size=<unsigned n>{{ +}}Steps of a tile [default: 32]
// HELP: --canonicalize
// HELP: region-simplify=<disabled|normal|aggressive>{{ +}}{{.*}} [default: normal]

// VERSION: terrace-opt {{[0-9]+\.[0-9]+\.[0-9]+}}

// UNKNOWN: terrace-opt: Unknown command line argument '-nothing-like-it'.  Try: 'terrace-opt --help'
// CLOSE: terrace-opt: Did you mean '--canonicalize'?
// TWO: terrace-opt: Too many positional arguments specified
// FILE: cannot open input file '{{.*}}.nowhere': {{[Nn]}}o such file or directory
// OUTPUT: cannot open output file '{{.*}}.nowhere/out': {{.*}}
// NUMBER: for the --error-limit option: 'few' value invalid for integer argument!
// VALUE: for the --pass-pipeline option: requires a value!

func.func @f() {
  return
}
