// Options of terrace cc's own that lack something.
//
// RUN: not terrace cc -c %s -ta 2>&1 | FileCheck %s --check-prefix=TA
// RUN: terrace cc -c %s -o %t.o -ta=nvidia:cc10 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not terrace cc -c %s --target-arch 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: not terrace cc -c %s --target-arch=sm_10 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not terrace cc -c %s --terrace-keep 2>&1 | FileCheck %s --check-prefix=KEEP
// RUN: terrace cc -c %s -o %t.o -fast -Mlarge_arrays -Minline=levels:4 -mp -tp=haswell -c11 -Werror

// TA: error: found -ta, expected -ta=TARGET, such as -ta=nvidia:cc90
// OLD: terrace cc: warning: found cc10; the oldest architecture there is code for is sm_70, which is taken instead
// ARCH: error: found --target-arch, expected --target-arch=sm_NN
// UNKNOWN: error: --target-arch: unknown architecture 'sm_10'; known are
// KEEP: error: found --terrace-keep, expected --terrace-keep=DIR
int x;
