// What of the machine can be used, and what each lack costs.
//
// RUN: env TERRACE_NUM_THREADS=1 TERRACE_PTXAS=none TERRACE_CACHE_DIR=%t.cache TERRACE_RUNTIME=%s terrace doctor | FileCheck %s
// RUN: env TERRACE_CACHE=0 terrace doctor --json | FileCheck %s --check-prefix=JSON
// RUN: terrace doctor | FileCheck %s --check-prefix=KEPT
// RUN: not env TERRACE_PTXAS=%s terrace doctor | FileCheck %s --check-prefix=PTXAS
// RUN: not env TERRACE_HOST_CC=%t.nowhere/cc terrace doctor | FileCheck %s --check-prefix=NO-CC
// RUN: not env TERRACE_HOST_CC=false terrace doctor | FileCheck %s --check-prefix=BAD-CC
// RUN: not env TERRACE_RUNTIME=%t.nowhere terrace doctor | FileCheck %s --check-prefix=RUNTIME
// RUN: not env TERRACE_MLIR=%t.nowhere terrace doctor | FileCheck %s --check-prefix=MLIR
// RUN: not env TERRACE_NUM_THREADS=many terrace doctor | FileCheck %s --check-prefix=THREADS
// RUN: not env TERRACE_CACHE_DIR=%s/x terrace doctor | FileCheck %s --check-prefix=CACHE
// RUN: not env TERRACE_CACHE=perhaps terrace doctor | FileCheck %s --check-prefix=SETTING
// RUN: mkdir -p %t.wrong
// RUN: cp %s %t.wrong/host.cores
// RUN: not env TERRACE_CACHE_DIR=%t.wrong terrace doctor | FileCheck %s --check-prefix=FIGURES

// CHECK: {{^}}terrace {{[0-9.]+$}}
// CHECK-NEXT: {{(found|lacking)}}  CUDA driver
// CHECK: lacking  ptxas {{ *}}there is none
// CHECK-NEXT: terrace explain does not tell registers and spills of kernels.
// CHECK: found    runtime {{.*}} MiB, which the environment names: {{.*}}doctor.mlir
// CHECK: found    threads {{ *}}1, on {{[0-9]+}} core
// CHECK: vectors {{ *}}{{128|256|512}} bits
// CHECK: found    cache {{.*}}.cache: 0 entries, 0 bytes
// CHECK: lacking  cores' figures  not measured
// CHECK-NEXT: terrace calibrate --target cpu

// KEPT: found    runtime {{.*}} MiB, unpacked to {{.*}}libterrace_runtime.a

// JSON: "version": "
// JSON: "name": "ptxas",
// JSON-NEXT: "state": "{{found|lacking}}",
// JSON: "name": "runtime",
// JSON-NEXT: "state": "found",
// JSON-NEXT: "found": "{{.*}} MiB, unpacked for each run, since there is no cache",
// JSON-NEXT: "cost": null
// JSON: "name": "cache",
// JSON-NEXT: "state": "lacking",
// JSON-NEXT: "found": "TERRACE_CACHE=0",

// PTXAS: wrong {{ *}}ptxas {{ *}}{{.*}}doctor.mlir
// NO-CC: wrong {{ *}}C compiler {{ *}}TERRACE_HOST_CC: there is no '{{.*}}nowhere/cc'
// NO-CC-NEXT: terrace cc does not work
// BAD-CC: wrong {{ *}}C compiler {{ *}}{{.*}}false compiles and links no program: it fails and does not say why
// RUNTIME: wrong {{ *}}runtime {{ *}}TERRACE_RUNTIME names '{{.*}}nowhere', where there is no file
// MLIR: wrong {{ *}}terrace-mlir {{ *}}TERRACE_MLIR names '{{.*}}nowhere', which is no file
// THREADS: wrong {{ *}}threads {{ *}}found TERRACE_NUM_THREADS=`many`, expected a number of threads
// CACHE: wrong {{ *}}cache {{ *}}cannot make '{{.*}}doctor.mlir/x': Not a directory
// SETTING: wrong {{ *}}cache {{ *}}found TERRACE_CACHE=`perhaps`, expected `1` or `0`
// FIGURES: wrong {{ *}}cores' figures {{ *}}{{.*}}host.cores:1:1:
