// The order of a model's loops on cores is chosen nest by nest, by what it is estimated to cost.
//
// RUN: split-file %s %t
// RUN: terrace run %t/m.tf --arg N=9 --arg M=7 --target cpu --verify --print-ir-before affine-sequentialize 2>&1 | FileCheck %s
//
// A chain along rows: a thread has whole rows, though `carried` has its loop outside as the model is written.
// CHECK:      affine.parallel (%[[I:.*]]) = (0) to (symbol(%arg0)) {
// CHECK-NEXT:   affine.for %[[K:.*]] = 0 to %arg1 {
// CHECK:          affine.store %{{.*}}, %arg3[%[[I]], %[[K]] + 1]
// The same down columns stays outside: what is next to each other in memory are the chains.
// CHECK:      affine.for %[[K:.*]] = 0 to %arg1 {
// CHECK-NEXT:   affine.parallel (%[[I:.*]]) = (0) to (symbol(%arg0)) {
// CHECK:          affine.store %{{.*}}, %arg4[%[[K]] + 1, %[[I]]]
// Of arrays that lie in two orders a statement goes along the rows of those that most of it reads, in strips.
// CHECK:      affine.parallel (%[[S:.*]]) = (0) to (symbol(%arg0)) step (512) {
// CHECK-NEXT:   affine.parallel (%[[K:.*]]) = (0) to (symbol(%arg1)) {
// CHECK-NEXT:     affine.parallel (%[[I:.*]]) = (%[[S]])
// CHECK:            affine.store %{{.*}}, %arg2[%[[I]], %[[K]]]
// RUN: terrace run %t/m.tf --arg N=9 --arg M=7 --target cpu --verify | FileCheck %s --check-prefix=RIGHT
// RIGHT: verify   passed

//--- m.tf
model m(N, M: index) precision f32
array A(i: 1..N, k: 1..M)
array B(i: 1..N, k: 0..M)
array C(i: 1..N, k: 0..M) order k i
array D(i: 1..N, k: 1..M) order k i
compute B(i, k skip 1 0) carried k parallel i = 0.5*B[i,k-1] + A[i,k]
compute C(i, k skip 1 0) carried k parallel i = 0.5*C[i,k-1] + D[i,k]
compute A(i, k) = C[i,k] + D[i,k]*D[i,k] + C[i,k-1]
