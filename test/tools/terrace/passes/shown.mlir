// What is shown of passes on standard error, whatever the tool makes besides.
//
// RUN: terrace run %s --print-ir-after-all 2>&1 >/dev/null | FileCheck %s --check-prefix=ALL
// RUN: terrace run %s --print-ir-before=cse --print-ir-after=affine-parallelize,lower-affine 2>&1 >/dev/null | FileCheck %s --check-prefix=NAMED
// RUN: terrace run %s --print-ir-before-all 2>&1 >/dev/null | FileCheck %s --check-prefix=BEFORE
// RUN: terrace compile %s --emit ptx --print-ir-after gpu-kernel-outlining 2>&1 >/dev/null | FileCheck %s --check-prefix=GPU
// RUN: terrace compile %s --emit schedule --print-ir-after=gpu-map,lower-affine 2>&1 >/dev/null | FileCheck %s --check-prefix=SCHEDULE
// RUN: terrace compile %s --emit mlir > %t.plain && terrace compile %s --emit mlir --print-ir-after-all --timing 2>/dev/null > %t.shown && cmp %t.plain %t.shown
// RUN: terrace run %s --timing 2>&1 >/dev/null | FileCheck %s --check-prefix=TIMES
// RUN: terrace run %s --target emulator --timing 2>&1 >/dev/null | FileCheck %s --check-prefix=GPU-TIMES
// RUN: terrace run %s 2>&1 >/dev/null | FileCheck %s --check-prefix=QUIET --allow-empty
//
// QUIET-NOT: {{.}}
//
// ALL-NOT: IR Dump Before
// ALL: // -----// IR Dump After XferLowerData (xfer-lower-data) of {{.*}}shown.mlir for cpu ('builtin.module' operation) //----- //
// ALL: // -----// IR Dump After AffineParallelize (affine-parallelize) of {{.*}}shown.mlir for cpu ('func.func' operation: @first) //----- //
// ALL-NEXT: {{^}}func.func @first(
// ALL-NEXT: affine.parallel
// ALL: // -----// IR Dump After AffineParallelize (affine-parallelize) of {{.*}}shown.mlir for cpu ('func.func' operation: @second) //----- //
// ALL-NEXT: {{^}}func.func @second(
// ALL: // -----// IR Dump After LowerAffinePass (lower-affine)
// ALL: // -----// IR Dump After Canonicalizer (canonicalize)
// ALL: // -----// IR Dump After CSE (cse)
// ALL: (memref-hoist-bounds-checks)
//
// NAMED-NOT: IR Dump
// NAMED: IR Dump After AffineParallelize (affine-parallelize) of {{.*}}: @first)
// NAMED: IR Dump After AffineParallelize (affine-parallelize) of {{.*}}: @second)
// NAMED: IR Dump After LowerAffinePass (lower-affine)
// NAMED: IR Dump Before CSE (cse)
// NAMED: IR Dump Before CSE (cse)
// NAMED-NOT: IR Dump
//
// BEFORE-NOT: IR Dump After
// BEFORE: IR Dump Before XferLowerData (xfer-lower-data)
// BEFORE: affine.for
//
// GPU-NOT: IR Dump
// GPU: IR Dump After GpuKernelOutliningPass (gpu-kernel-outlining) of {{.*}}shown.mlir for gpu ('builtin.module' operation) //----- //
// GPU: gpu.launch_func
// GPU: gpu.func
// GPU-NOT: IR Dump
//
// SCHEDULE: (gpu-map) of {{.*}}shown.mlir for gpu
// SCHEDULE: note: the pass 'lower-affine' did not run: there is nothing to print around it
//
// TIMES: ... Execution time report ...
// TIMES: Total Execution Time:
// TIMES: Parser
// TIMES-NEXT: Passes of {{.*}}shown.mlir for cpu
// TIMES: 'func.func' Pipeline
// TIMES-NEXT: AffineParallelize
// TIMES: CSE
// TIMES: Machine code
// TIMES-NEXT: Rest
// TIMES-NEXT: Total
//
// GPU-TIMES: Parser
// GPU-TIMES-NEXT: Passes of {{.*}}shown.mlir for emulator
// GPU-TIMES: PTX
// GPU-TIMES: Machine code
//
// A name that is no pass.
//
// RUN: not terrace run %s --print-ir-after=cse,canonicalise 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not terrace compile %s --emit asm --print-ir-before=Xyzzyxyzzy 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: not terrace compile %s --emit asm --print-ir-after=terrace-cpu-pipeline 2>&1 | FileCheck %s --check-prefix=PIPELINE
//
// NEAR: error: invalid value 'canonicalise' for '--print-ir-after <PASS,...>': found 'canonicalise', which is no pass; did you mean 'canonicalize'? terrace-opt --list-passes lists all passes
// FAR: '--print-ir-before <PASS,...>': found 'Xyzzyxyzzy', which is no pass; terrace-opt --list-passes lists all passes
// PIPELINE: found 'terrace-cpu-pipeline', which is no pass; it is a pipeline: name one of its passes. terrace-opt --list-passes lists all passes

func.func @first(%x: memref<16xf32> {terrace.init = "iota"}) {
  affine.for %i = 0 to 16 {
    %v = affine.load %x[%i] : memref<16xf32>
    %w = arith.addf %v, %v : f32
    affine.store %w, %x[%i] : memref<16xf32>
  }
  return
}
func.func @second(%x: memref<16xf32>) {
  affine.for %i = 0 to 16 {
    %v = affine.load %x[%i] : memref<16xf32>
    %w = arith.mulf %v, %v : f32
    affine.store %w, %x[%i] : memref<16xf32>
  }
  return
}
