// Functions of C that a program declares and calls are found in libraries, where they take numbers of
// one type and give one.
//
// RUN: terrace run %s --entry exponentials --arg 0=zeros --load libm.so.6 --target interp | FileCheck %s
// RUN: terrace run %s --entry exponentials --arg 0=zeros --load libm.so.6 --verify | FileCheck %s --check-prefixes=CHECK,VERIFY
// RUN: terrace run %s --entry exponentials --arg 0=zeros --load libm.so.6 --target emulator --verify | FileCheck %s --check-prefixes=CHECK,VERIFY
// RUN: not terrace run %s --entry exponentials --arg 0=zeros 2>&1 | FileCheck %s --check-prefix=NONE
// CHECK: array    0        4xf64                checksum sum 4.0000000000e0
// VERIFY: verify   passed
// NONE: foreign-functions.mlir:{{.*}}: error: the C function `exp` is in no library that was loaded; expected `--load FILE.so` with it

func.func @exponentials(%a: memref<4xf64>) -> i32 attributes {llvm.linkage = #llvm.linkage<external>} {
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 4 {
    %0 = affine.load %a[%i] : memref<4xf64>
    %1 = func.call @exp(%0) : (f64) -> f64
    affine.store %1, %a[%i] : memref<4xf64>
  }
  return %zero : i32
}
func.func private @exp(f64) -> f64 attributes {llvm.linkage = #llvm.linkage<external>}
func.func private @nobody(f64) -> f64
