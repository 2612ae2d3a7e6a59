// RUN: terrace compile --emit ptx %s | FileCheck %s --check-prefix=WIDE
// RUN: terrace compile --emit ptx --index-bitwidth=32 %s | FileCheck %s --check-prefix=NARROW
// RUN: not terrace compile --emit ptx --index-bitwidth=16 %s 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: terrace run %s --target emulator --verify --index-bitwidth=32 --arg 0=random:20x30 --arg 1=3 | FileCheck %s --check-prefix=RESULT
// RUN: not terrace run %s --target emulator --index-bitwidth=32 --arg 0=random:20x30 --arg 1=3000000000 2>&1 | FileCheck %s --check-prefix=OVER

// BAD: found `16`, expected 32 or 64
// RESULT: verify   passed
// OVER: the index parameter {{[0-9]+}} is 3000000000, but its kernel was compiled with --index-bitwidth=32; expected at most 2147483647, or --index-bitwidth=64

// WIDE-LABEL: .entry
// WIDE: setp.{{.*}}64

// NARROW-LABEL: .entry
// NARROW-NOT: setp.{{.*}}64
// NARROW: ret;
func.func @f(%a: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = memref.dim %a, %c0 : memref<?x?xf32>
  %w = memref.dim %a, %c1 : memref<?x?xf32>
  affine.parallel (%i, %j) = (0, 0) to (symbol(%h), symbol(%w)) {
    %x = memref.load %a[%i, %j] : memref<?x?xf32>
    %k = arith.addi %j, %n : index
    %l = arith.index_cast %k : index to i64
    %f = arith.sitofp %l : i64 to f32
    %y = arith.addf %x, %f : f32
    memref.store %y, %a[%i, %j] : memref<?x?xf32>
  }
  return
}
