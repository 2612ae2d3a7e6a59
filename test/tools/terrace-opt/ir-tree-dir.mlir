// Prints of the IR around passes go to files, in a folder for each op.
//
// RUN: rm -rf %t
// RUN: terrace-opt %s --mlir-print-ir-tree-dir=%t --mlir-print-ir-after-all -o - \
// RUN:   -p 'builtin.module(canonicalize,canonicalize,func.func(cse),builtin.module(func.func(cse,canonicalize),cse),cse)' > %t.out 2> %t.err
// RUN: count 0 < %t.err
// RUN: FileCheck %s --check-prefix=OUT --input-file=%t.out
// RUN: FileCheck %s --check-prefix=FIRST --input-file=%t/builtin_module_outer/0_canonicalize.mlir
// RUN: cat %t/builtin_module_outer/1_canonicalize.mlir | FileCheck %s --check-prefix=FIRST
// RUN: cat %t/builtin_module_outer/func_func_sym_A/1_0_cse.mlir | FileCheck %s --check-prefix=A
// RUN: cat %t/builtin_module_outer/builtin_module_no-symbol-name/func_func_b/1_0_0_cse.mlir | FileCheck %s --check-prefix=B
// RUN: cat %t/builtin_module_outer/builtin_module_no-symbol-name/func_func_b/1_0_1_canonicalize.mlir | FileCheck %s --check-prefix=B
// RUN: cat %t/builtin_module_outer/builtin_module_no-symbol-name/1_1_cse.mlir %t/builtin_module_outer/2_cse.mlir | FileCheck %s --check-prefix=LAST
//
// A folder that cannot be made is said, and the passes run.
// RUN: terrace-opt %s --cse --mlir-print-ir-tree-dir=%s --mlir-print-ir-after=cse 2> %t.err | FileCheck %s --check-prefix=OUT
// RUN: FileCheck %s --check-prefix=WRONG --input-file=%t.err
//
// OUT-NOT: IR Dump
// OUT: module @outer
// FIRST: // -----// IR Dump After Canonicalizer (canonicalize) //----- //
// FIRST-NEXT: module @outer
// A: // -----// IR Dump After CSE (cse) //----- //
// A-NEXT: func.func @"sym/A"
// B: // -----// IR Dump After
// B-NEXT: func.func @b()
// LAST: IR Dump After CSE (cse)
// LAST-NEXT: module {
// LAST: IR Dump After CSE (cse)
// LAST-NEXT: module @outer {
// WRONG: error: cannot write '{{.*}}ir-tree-dir.mlir/builtin_module_outer/0_cse.mlir':

module @outer {
  func.func @"sym/A"() {
    return
  }
  module {
    func.func @b() {
      return
    }
  }
}
