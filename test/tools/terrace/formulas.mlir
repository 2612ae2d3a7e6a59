// Models in formulas: what they become, how they run, and what is said of wrong ones.
//
// RUN: split-file %s %t
// RUN: terrace compile %t/heat.tf --emit mlir | FileCheck %s --check-prefix=MLIR
// RUN: terrace run %t/heat.tf --arg N=6 --arg h=0.25 --verify | FileCheck %s --check-prefix=SHOWN
// RUN: terrace run %t/heat.tf --arg N=6 --arg h=0.25 --target emulator --verify | FileCheck %s --check-prefix=SHOWN
// RUN: terrace compile %t/heat.tf --emit ptx | FileCheck %s --check-prefix=PTX
// RUN: terrace compile %t/heat.tf --target cpu --emit mlir | FileCheck %s --check-prefix=CPU
// RUN: not terrace run %t/heat.tf --arg N=6 --arg h=0.25 --arg U=zeros:3 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not terrace run %t/heat.tf --arg N=-1 --arg h=0.25 --arg U=zeros:0 --arg V=zeros:2x0 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not terrace run %t/short.tf --arg N=2 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not terrace run %t/far.tf --arg N=4 --target cpu 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: not terrace run %t/far.tf --arg N=4 --target interp 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: not terrace run %t/far.tf --arg N=4 --target emulator 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: not terrace run %t/between.tf --arg N=4 2>&1 | FileCheck %s --check-prefix=BETWEEN
// RUN: not terrace run %t/wrong.tf 2>&1 | FileCheck %s --check-prefix=WRONG

// MLIR: func.func @heat(%arg0: index {terrace.name = "N"}, %arg1: f64 {terrace.name = "h"}, %arg2: memref<?xf64> {{.*}}, %arg3: memref<?x?xf64>
// MLIR: cf.assert {{.*}}, "the parameter N is negative"
// MLIR: cf.assert {{.*}}, "dimension 1 of the array V has another size than the model says, N floordiv 2 + 1"
// What U was is read: the new values go to an array of their own.
// MLIR: memref.alloc
// MLIR: affine.for
// MLIR: affine.for
// MLIR: memref.dealloc
// Each second element is not read by the others: there is one loop, with bands.
// MLIR: affine.for
// MLIR: affine.load %arg3[1, %{{.*}}] : memref<?x?xf64>
// MLIR: affine.store %{{.*}}, %arg3[0, %{{.*}}] : memref<?x?xf64>
// MLIR-NOT: affine.for
// MLIR: return

// SHOWN: array{{ +}}U{{ +}}7xf64
// SHOWN: array{{ +}}V{{ +}}2x4xf64
// SHOWN: verify   passed

// h*a + h*b is one product.
// CPU: func.func @heat
// PTX: .entry
// SHAPE: parameter U:
// SHORT: parameter U: with these numbers it would have -2 elements along a dimension
// FAR: far.tf:3:25: error: {{.*}} an index i of the array U is not there
// FAR: far.tf:3:25: note: the index goes from 4 to 6, and the array from 1 to 4
// BETWEEN: between.tf:3:6: error: 'cf.assert' op an index i of the array D is not there
// BETWEEN: between.tf:3:6: note: the index is 4, and the array from 1 to 4 in steps of 2
// NEGATIVE: error: 'cf.assert' op the parameter N is negative

// WRONG: wrong.tf:2:16: error: `U` has no such index `i`: with N = 0, i = 0 it is -1, and the array goes from 0 to 0
// WRONG-NEXT: compute U(i) = U[-1]
compute U(i) = g
// WRONG: wrong.tf:3:16: error: `g` is not declared

//--- heat.tf
model heat(N: index; h: real) precision f64
array U(i: 0..N)
array V(i: 0..N) bands i 2
compute U(i skip 1 1) = U[i] + h*U[i-1] - 2*h*U[i] + h*U[i+1]
compute V(i skip 0 1 step 2) parallel i = V[i+1]*h
//--- wrong.tf
model wrong(N: index) array U(i: 0..N)
compute U(i) = U[-1]
compute U(i) = g

//--- short.tf
model short(N: index) precision f64
array U(i: 5..N)
compute U(i) = 1

//--- far.tf
model far(N: index) precision f64
array U(i: 1..N)
compute U(i skip 0 1) = U[2*N-i-1]

//--- between.tf
model between(N: index) precision f64
array D(i: 1..N by 2)
edge D(N) = 2
