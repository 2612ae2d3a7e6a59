// RUN: terrace run %S/../../../examples/lu.mlir --target emulator --verify --size N=195 --fp-contract=off | FileCheck %s --check-prefix=SAME
// RUN: terrace run %S/../../../examples/polybench/ludcmp.mlir --target emulator --verify --size N=161 | FileCheck %s
// RUN: terrace run %S/../../../examples/polybench/cholesky.mlir --target emulator --verify --size N=160 | FileCheck %s
// RUN: terrace run %S/../../../examples/polybench/cholesky.mlir --target emulator --verify --size N=127 | FileCheck %s
// RUN: terrace run %S/../../../examples/polybench/lu.mlir --target emulator --verify --size N=160 | FileCheck %s
// RUN: terrace run %S/../../../examples/polybench/lu.mlir --target emulator --verify --size N=127 | FileCheck %s
// Whole factorizations on the emulator: with sizes below, at and around the ends of tiles of 32
// steps, of which four have to be left. The last updates are products on the matrix units.

// CHECK: verify   passed
// Without contraction every bit is the interpreter's.
// SAME: verify   passed against the interpreter, largest relative error 0.00e0
