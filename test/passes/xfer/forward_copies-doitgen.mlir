// A product cannot write over its own factor, and goes to the host from where it was put: no kernel
// copies it, and no more moves than the arrays.
// RUN: terrace run %S/../../../examples/doitgen.mlir --target emulator --verify --size R=5 --size Q=7 --size P=33 | FileCheck %s
// RUN: terrace run %S/../../../examples/polybench/doitgen.mlir --target emulator --verify --size NR=5 --size NQ=7 --size NP=33 | FileCheck %s --check-prefix=SUM

// CHECK:     doitgen_f64_kernel_0
// CHECK-NOT: doitgen_f64_kernel_1
// CHECK:     host to device 17952 2
// CHECK:     device to host 9240 1
// CHECK-NOT: on device
// CHECK:     passed against the interpreter

// The other kernel is for the last row, which is an argument.

// SUM:     doitgen_f64_kernel_0
// SUM:     doitgen_f64_kernel_1 gpu 1x1x1
// SUM-NOT: doitgen_f64_kernel_2
// SUM:     host to device 17952 2
// SUM:     device to host 9504 2
// SUM-NOT: on device
// SUM:     passed against the interpreter
