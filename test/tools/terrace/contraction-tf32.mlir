// A product of f32 rounded to tf32, at sizes that no tile divides, on the emulator, which
// looks for races and accesses out of bounds: the one factor along k, the other not, and each
// the other way round. It is rounded, and not by more than that.
// RUN: terrace run %s --entry rows --target emulator --allow-tf32 --verify | FileCheck %s
// RUN: terrace run %s --entry columns --target emulator --allow-tf32 --verify | FileCheck %s
// RUN: terrace run %s --entry rows --target emulator --verify | FileCheck %s --check-prefix=EXACT
// RUN: terrace compile %s --emit ptx --allow-tf32 --arch sm_80 | FileCheck %s --check-prefix=PTX

// CHECK: verify   passed against the interpreter, largest relative error {{.*}}e-{{[4-6]}}
// EXACT: verify   passed against the interpreter, largest relative error {{.*}}e-{{[7-9]}}
// PTX: cvt.rna.tf32.f32
// PTX: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32

func.func @rows(%A: memref<133x45xf32> {terrace.name = "A", terrace.init = "random:133x45:1"},
                %B: memref<45x70xf32> {terrace.name = "B", terrace.init = "random:45x70:2"},
                %C: memref<133x70xf32> {terrace.name = "C", terrace.init = "random:133x70:3"}) {
  affine.for %i = 0 to 133 {
    affine.for %j = 0 to 70 {
      affine.for %k = 0 to 45 {
        %a = affine.load %A[%i, %k] : memref<133x45xf32>
        %b = affine.load %B[%k, %j] : memref<45x70xf32>
        %ab = arith.mulf %a, %b : f32
        %c = affine.load %C[%i, %j] : memref<133x70xf32>
        %sum = arith.addf %c, %ab : f32
        affine.store %sum, %C[%i, %j] : memref<133x70xf32>
      }
    }
  }
  return
}

func.func @columns(%A: memref<45x133xf32> {terrace.name = "A", terrace.init = "random:45x133:1"},
                   %B: memref<70x45xf32> {terrace.name = "B", terrace.init = "random:70x45:2"},
                   %C: memref<133x70xf32> {terrace.name = "C", terrace.init = "random:133x70:3"}) {
  affine.for %i = 0 to 133 {
    affine.for %j = 0 to 70 {
      affine.for %k = 0 to 45 {
        %a = affine.load %A[%k, %i] : memref<45x133xf32>
        %b = affine.load %B[%j, %k] : memref<70x45xf32>
        %ab = arith.mulf %a, %b : f32
        %c = affine.load %C[%i, %j] : memref<133x70xf32>
        %sum = arith.addf %c, %ab : f32
        affine.store %sum, %C[%i, %j] : memref<133x70xf32>
      }
    }
  }
  return
}
