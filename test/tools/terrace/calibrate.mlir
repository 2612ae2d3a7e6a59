// The machine measured: on the emulator all kernels of it work, and the figures say nothing.
//
// RUN: terrace calibrate --target emulator -o %t.machine | FileCheck %s
// RUN: FileCheck %s --check-prefix=FILE --input-file=%t.machine
// RUN: not terrace calibrate --device 99 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not terrace calibrate --target interp 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not terrace calibrate --target emulator -o %t.machine/x 2>&1 | FileCheck %s --check-prefix=PLACE

// CHECK: the emulator (sm_90)
// CHECK: measured{{.*}}built in
// CHECK: clock_ghz
// CHECK: memory_gb_s {{.*}} GB/s: Device memory
// CHECK: shared_latency
// CHECK: f64_matrix_tflops
// CHECK: built in: sm_90 (H200 SXM)
// CHECK: written to {{.*}}.machine

// FILE: # Measured by terrace calibrate.
// FILE: arch = sm_90
// FILE: memory_gb_s = {{[0-9.e-]+}} measured

// NONE: error: {{.*(driver|device)}}
// CPU: error: found target interp, expected gpu or emulator
// PLACE: error: cannot write '{{.*}}.machine/x'
