// RUN: terrace-opt %s -allow-unregistered-dialect -split-input-file -symbol-dce | FileCheck %s
// RUN: terrace-opt %s -allow-unregistered-dialect -split-input-file -pass-pipeline='builtin.module(builtin.module(symbol-dce))' | FileCheck %s --check-prefix=INNER
// RUN: not terrace-opt %s -allow-unregistered-dialect -split-input-file -pass-pipeline='builtin.module(func.func(symbol-dce))' 2>&1 | FileCheck %s --check-prefix=TABLE

// TABLE: error: 'func.func' op was scheduled to run under SymbolDCE, but does not define a symbol table

// A private symbol needs a reference, which may lead through others.
// CHECK-LABEL: module @flat
// CHECK-NOT: @dead
// CHECK: func.func private @c()
// CHECK: func.func private @b()
// CHECK: func.func @a()
// CHECK-NOT: @dead
module @flat {
  func.func private @dead()
  func.func private @c()
  func.func private @b() {
    call @c() : () -> ()
    return
  }
  func.func @a() {
    call @b() : () -> ()
    return
  }
  // Two that refer to each other only.
  func.func private @dead_1() {
    call @dead_2() : () -> ()
    return
  }
  func.func private @dead_2() {
    call @dead_1() : () -> ()
    return
  }
}

// -----

// References in attributes of any depth, and in the properties of unknown ops.
// CHECK-LABEL: module @attributes
// CHECK: @in_array
// CHECK: @in_dictionary
// CHECK: @in_properties
module @attributes {
  func.func private @in_array()
  func.func private @in_dictionary()
  func.func private @in_properties()
  "test.user"() {a = [[@in_array]], d = {f = @in_dictionary}} : () -> ()
  "test.user"() <{p = @in_properties}> : () -> ()
  "test.user"() {a = @nowhere} : () -> ()
}

// -----

// Who can name the table sees its public and nested symbols.
// CHECK-LABEL: module @tables
// CHECK: module @open
// CHECK-NOT: @lost
// CHECK: func.func nested @found
// CHECK-NOT: @unfound
// CHECK: func.func @public
// CHECK-NOT: module @closed
// INNER-LABEL: module @tables
// INNER: module @open
// INNER-NOT: @lost
// INNER: func.func nested @found
// INNER: func.func nested @unfound
module @tables {
  module @open {
    func.func private @lost()
    func.func nested @found()
    func.func nested @unfound()
    func.func @public() {
      return
    }
  }
  module @closed attributes {sym_visibility = "private"} {
    func.func @inside() {
      return
    }
  }
  "test.user"() {use = @open::@found} : () -> ()
}
