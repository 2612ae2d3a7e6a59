// RUN: terrace run %S/../../../../examples/gemm.mlir --target emulator --verify --size M=70 --size N=66 --size K=50 | FileCheck %s --check-prefix=GEMM
// RUN: terrace run %S/../../../../examples/polybench/jacobi-2d.mlir --target emulator --verify --size N=150 --arg T=8 | FileCheck %s --check-prefix=JACOBI
// RUN: terrace run %S/../../../../examples/solvers/nbody-f32.mlir --target emulator --verify --size N=67 --arg T=1 | FileCheck %s --check-prefix=NBODY

// The operations of products and of several steps of a stencil a launch are known: the last
// columns are rates of operations and bytes, and none is `-`.

// GEMM: gemm_f64_kernel{{[_0-9]*}} gpu {{.*}} ms {{[0-9.]+}} {{[0-9.]+}}{{$}}
// GEMM: verify passed against the interpreter

// JACOBI: jacobi_2d_f64_kernel gpu 1x1x11 {{.*}} ms {{[0-9.]+}} {{[0-9.]+}}{{$}}
// JACOBI: verify passed against the interpreter

// NBODY: {{.*}} gpu {{.*}} {{[0-9.]+}} {{[0-9.]+}}{{$}}
// NBODY: verify passed against the interpreter
